import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct DiagnosticsCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnostics",
        abstract: "Write what to send with the report of a problem: ids, counts and times, nothing that you wrote.",
        discussion: """
            It is one JSON document, with or without --json. 'trolley inspect' compares it with another device's or with the
            service's ('trolleyd diagnostics --json'), and names the entry at which they part.

            Example:
              trolley diagnostics > trolley-diagnostics.json
            """)

    @Flag(help: "With what you wrote, so that what the lists show can be compared as well.")
    var withContent = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let diagnostics = try await device.diagnostics(withContent: withContent)
        Console(json: true).answer { diagnostics.write(to: &$0) }
    }
}

extension DeviceDiagnostics {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("kind", "device")
        writer.member("format", 1)
        writer.member("server", session?.server)
        writer.member("account", session?.account.description)
        writer.member("device", session?.device.description)
        writer.member("now", now.wall.description)
        writer.member("boot", now.boot)
        writer.member("uptime", Int(now.uptime))
        writer.member("failuresInARow", pace.failures)
        writer.member("nextTry", pace.nextTry?.description)
        writer.key("askedToWait")
        writer.bool(pace.askedToWait)
        writer.member("sessionEndedAt", pace.sessionEndedAt?.description)
        writer.key("hidden")
        writer.array { writer in
            for account in hidden {
                writer.object { writer in
                    writer.member("lists", account.lists)
                    writer.member("waiting", account.waiting)
                }
            }
        }
        writer.key("failures")
        writer.array { writer in
            for failure in pace.lately ?? [] {
                writer.object { writer in
                    writer.member("code", failure.code)
                    writer.member("count", failure.count)
                    writer.member("at", failure.at.description)
                }
            }
        }
        writer.key("lists")
        writer.array { writer in
            for list in lists { writer.object { list.write(to: &$0) } }
        }
        writer.key("rejected")
        writer.array { writer in
            for entry in rejected { writer.object { entry.writeFacts(to: &$0, withContent: hasContent) } }
        }
        writer.key("notices")
        writer.array { writer in
            for notice in notices {
                writer.object { writer in
                    writer.member("list", notice.list)
                    writer.member("reason", notice.reason.rawValue)
                    writer.member("keptAside", notice.keptAside)
                    writer.member("at", notice.at.description)
                }
            }
        }
    }
}

extension DeviceDiagnostics.List {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.key("published")
        writer.bool(isPublished)
        writer.key("local")
        writer.bool(isLocal)
        writer.key("kept")
        writer.bool(isKept)
        writer.key("shopping")
        writer.bool(isShopping)
        writer.member("through", Int(through.rawValue))
        writer.member("confirmed", confirmed)
        writer.member("digest", digest.description)
        writer.member("differed", differed)
        writer.member("differedAt", differedAt?.description)
        for (name, counts) in [("upload", upload), ("toApply", toApply)] {
            writer.key(name)
            writer.object { writer in
                for operation in Operation.allCases {
                    if let count = counts[operation] { writer.member(operation.rawValue, count) }
                }
            }
        }
        if let name { writer.member("name", name) }
        writer.member("token", token)
        writer.member("entriesOmitted", entriesOmitted)
        for (name, entries) in [("queued", queued), ("entries", entries)] {
            writer.key(name)
            writer.array { writer in
                for entry in entries { entry.write(to: &writer) }
            }
        }
    }
}

extension RejectedEntry {
    /// All about it, what the person wrote only where that was asked for.
    fileprivate func writeFacts(to writer: inout JSONWriter, withContent: Bool) {
        writer.member("list", list)
        writer.member("entry", entry.id)
        writer.member("operation", entry.operation.rawValue)
        writer.member("deviceSequence", Int(entry.deviceSequence))
        writer.member("code", code.rawValue)
        writer.member("at", rejectedAt.description)
        guard withContent else { return }
        writer.key("content")
        entry.write(to: &writer)
    }
}
