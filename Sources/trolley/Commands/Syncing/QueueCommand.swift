import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct QueueCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "queue",
            abstract: localized(
                "Show the upload queue, the to-apply queue, and refused changes.",
                de: "Zeigen, was zu senden ist, was noch nicht gezeigt wird und was abgelehnt wurde."),
            discussion: discussion(
                examples: """
                    trolley queue --all
                    trolley queue --retry
                    trolley queue --keep-in 'What I could not send' --dismiss
                    """))
    }

    @Flag(help: .localized("Show each entry.", de: "Jede Änderung zeigen."))
    var all = false

    @Flag(
        help: .localized(
            "First make refused changes again, on lists that are still here.",
            de: "Zuerst abgelehnte Änderungen noch einmal machen, auf Listen, die noch hier sind."))
    var retry = false

    @Option(
        name: .customLong("keep-in"),
        help: .localized(
            "Create a list of your own with this name from refused changes.",
            de: "Aus abgelehnten Änderungen eine eigene Liste mit diesem Namen anlegen."))
    var keepIn: String?

    @Flag(
        help: .localized(
            "Dismiss refused changes and notices of lists that left, and show them once more.",
            de: "Abgelehnte Änderungen und Hinweise auf Listen, die weg sind, ausblenden, und noch einmal zeigen."))
    var dismiss = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        var refused = 0
        if retry, try await device.retryRejected() > 0 { refused = try await device.syncAfterChange().rejected }
        if let keepIn { try await keepRefused(in: keepIn, on: device, console) }
        // Before the output, so that it lists exactly the dismissed changes.
        let dismissed = dismiss ? try await device.dismiss() : nil
        let queues = try await device.queues()
        for list in queues.lists where !list.upload.isEmpty || !list.toApply.isEmpty {
            console.say(console.terminal.bold(list.name ?? list.list.description))
            show(
                list.isLocal
                    ? localized("kept on this device", de: "nur auf diesem Gerät")
                    : localized("to be sent", de: "zu senden"), list.upload, console)
            show(localized("to be applied", de: "zu übernehmen"), list.toApply.map(\.entry), console)
        }
        if queues.waiting == 0 { console.say(localized("Nothing waits to be sent.", de: "Es ist nichts zu senden.")) }
        let hidden = try await device.session() == nil ? try await device.hiddenLists() : []
        for account in hidden { console.say(account.sentence) }
        if let words = queues.nextTryWords() { console.say(words) }
        show(queues.rejected, queues.notices, console)
        if let dismissed, !dismissed.rejected.isEmpty || !dismissed.notices.isEmpty {
            show(dismissed.rejected, dismissed.notices, console)
            let notices = console.count(dismissed.notices.count, .notice)
            let changes = console.count(dismissed.rejected.count, .refusedChange)
            console.say(localized("Dismissed: \(changes), \(notices).", de: "Ausgeblendet: \(changes), \(notices)."))
        } else if dismissed != nil {
            console.say(localized("There was nothing to dismiss.", de: "Es gab nichts auszublenden."))
        }
        console.answer { writer in
            queues.write(to: &writer)
            writer.write(hidden)
            guard let dismissed else { return }
            writer.key("dismissed")
            writer.object { $0.write(dismissed.rejected, dismissed.notices) }
        }
        if refused > 0 { throw ExitCode.failure }
    }

    private func keepRefused(in name: String, on device: Device, _ console: Console) async throws {
        for list in Set(try await device.queues().rejected.map(\.list)).sorted() {
            try await device.makeList(named: name, fromRejectedOf: list)
        }
        let left = try await device.queues().rejected.count
        guard left > 0 else { return }
        let changes = console.count(left, .refusedChange)
        console.say(
            localized(
                "Not kept in a list, because they make no items: \(changes).",
                de: "Nicht in einer Liste behalten, weil sich daraus keine Einträge machen lassen: \(changes)."))
    }

    private func show(_ rejected: [RejectedEntry], _ notices: [Notice], _ console: Console) {
        for entry in rejected {
            let list = entry.listName.map { localized(" on '\($0)'", de: " auf „\($0)“") } ?? ""
            let why = localized(entry.detail ?? entry.code.title, de: entry.code.german(detail: entry.detail))
            console.say(
                localized("Refused\(list): ", de: "Abgelehnt\(list): ")
                    + "\(entry.entry.summary) – \(entry.code.rawValue): \(why)")
        }
        for notice in notices { console.say(notice.sentence) }
    }

    private func show(_ title: String, _ entries: [JournalEntry], _ console: Console) {
        guard !entries.isEmpty else { return }
        let counts = entries.countsByOperation.map { "\($0.count) \($0.operation.words)" }
        console.say("  \(entries.count) \(title): " + counts.joined(separator: ", "))
        for entry in entries where all {
            console.say("    \(entry.summary)  \(console.terminal.dim(entry.id.description))")
        }
    }
}

extension JournalEntry {
    /// A short description of the entry.
    fileprivate var summary: String {
        let text =
            fields[Fields.text]?.string.map { localized(" '\($0)'", de: " „\($0)“") } ?? item.map { " \($0)" } ?? ""
        return operation.words + text
    }
}

extension DeviceQueues {
    /// After a failed try: until when the service asked to wait, and what to run. Only `watch` tries again without a person.
    /// - Returns: nil when nothing waits, or the last try succeeded.
    func nextTryWords(at now: Timestamp = .now()) -> String? {
        guard let nextTry, waiting > 0 else { return nil }
        guard askedToWait, nextTry > now else {
            return localized("To try again: trolley sync", de: "Um es noch einmal zu versuchen: trolley sync")
        }
        let end = Moment(time: nextTry, now: now).since
        return localized(
            "The service asked to wait until \(end). Then: trolley sync",
            de: "Der Dienst bittet, bis \(end) zu warten. Danach: trolley sync")
    }

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
        writer.write(rejected, notices)
    }
}

extension JSONWriter {
    /// The members `rejected` and `notices`.
    fileprivate mutating func write(_ rejected: [RejectedEntry], _ notices: [Notice]) {
        key("rejected")
        array { writer in
            for entry in rejected { writer.object { entry.write(to: &$0) } }
        }
        key("notices")
        array { writer in
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
