import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct QueueCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Show what waits to be sent and to be applied, and what was refused.",
        discussion: """
            Example:
              trolley queue --all
            """)

    @Flag(help: "Show each entry.")
    var all = false

    @Flag(help: "First make the changes that were refused once more, on lists that are still here.")
    var retry = false

    @Option(name: .customLong("keep-in"), help: "Make a list of your own, of this name, of what was refused.")
    var keepIn: String?

    @Flag(help: "Then forget what was refused, and which lists left.")
    var dismiss = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        if retry, try await device.retryRejected() > 0 { console.say(try await device.trySending()) }
        if let keepIn {
            for list in Set(try await device.queues().rejected.map(\.list)).sorted() {
                try await device.makeList(named: keepIn, fromRejectedOf: list)
            }
        }
        let queues = try await device.queues()
        for list in queues.lists where !list.upload.isEmpty || !list.toApply.isEmpty {
            console.say(console.terminal.bold(list.name ?? list.list.description))
            show(list.isLocal ? "kept until the list is shared" : "to be sent", list.upload, console)
            show("to be applied", list.toApply.map(\.entry), console)
        }
        if queues.waiting == 0 { console.say("Nothing waits to be sent.") }
        if let nextTry = queues.nextTry, queues.waiting > 0 { console.say("Next try by itself: \(nextTry)") }
        for entry in queues.rejected {
            let list = entry.listName.map { " on '\($0)'" } ?? ""
            let why = entry.detail ?? entry.code.title
            console.say("Refused\(list): \(entry.entry.summary) – \(entry.code.rawValue): \(why)")
        }
        for notice in queues.notices {
            console.say("'\(notice.listName ?? notice.list.description)' left this device. \(notice.reason.sentence)")
        }
        console.answer { queues.write(to: &$0) }
        if dismiss { try await device.dismiss() }
    }

    private func show(_ title: String, _ entries: [JournalEntry], _ console: Console) {
        guard !entries.isEmpty else { return }
        let counts = entries.countsByOperation.map { "\($0.count) \($0.operation.rawValue)" }
        console.say("  \(entries.count) \(title): " + counts.joined(separator: ", "))
        for entry in entries where all {
            console.say("    \(entry.summary)  \(console.terminal.dim(entry.id.description))")
        }
    }
}

extension JournalEntry {
    /// The entry in a few words.
    fileprivate var summary: String {
        let text = fields[Fields.text]?.string.map { " '\($0)'" } ?? item.map { " \($0)" } ?? ""
        return operation.rawValue + text
    }
}

extension DeviceQueues {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("waiting", waiting)
        writer.member("nextTry", nextTry?.description)
        writer.key("lists")
        writer.array { writer in
            for list in lists {
                writer.object { writer in
                    writer.member("id", list.list)
                    writer.member("name", list.name)
                    writer.key("local")
                    writer.bool(list.isLocal)
                    writer.key("upload")
                    list.upload.writeQueue(to: &writer)
                    writer.key("toApply")
                    list.toApply.map(\.entry).writeQueue(to: &writer)
                }
            }
        }
        writer.key("rejected")
        writer.array { writer in
            for entry in rejected { writer.object { entry.write(to: &$0) } }
        }
        writer.key("notices")
        writer.array { writer in
            for notice in notices {
                writer.object { writer in
                    writer.member("list", notice.list)
                    writer.member("name", notice.listName)
                    writer.member("reason", notice.reason.rawValue)
                    writer.member("keptAside", notice.keptAside)
                    writer.member("at", notice.at.description)
                }
            }
        }
    }
}

extension RejectedEntry {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("list", list)
        writer.member("name", listName)
        writer.member("code", code.rawValue)
        writer.member("detail", detail ?? code.title)
        writer.member("at", rejectedAt.description)
        writer.key("entry")
        entry.write(to: &writer)
    }
}
