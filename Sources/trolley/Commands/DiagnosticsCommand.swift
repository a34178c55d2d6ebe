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
            It is one JSON document, with or without --json.

            Example:
              trolley diagnostics > trolley-diagnostics.json
            """)

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let diagnostics = try await device.diagnostics()
        Console(json: true).answer { diagnostics.write(to: &$0) }
    }
}

extension DeviceDiagnostics {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("server", session?.server)
        writer.member("account", session?.account.description)
        writer.member("device", session?.device.description)
        writer.member("now", now.wall.description)
        writer.member("boot", now.boot)
        writer.member("uptime", Int(now.uptime))
        writer.member("failures", pace.failures)
        writer.member("nextTry", pace.nextTry?.description)
        writer.key("askedToWait")
        writer.bool(pace.askedToWait)
        writer.key("lists")
        writer.array { writer in
            for list in lists { writer.object { list.write(to: &$0) } }
        }
        writer.key("rejected")
        writer.array { writer in
            for entry in rejected { writer.object { entry.writeFacts(to: &$0) } }
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
    }
}

extension RejectedEntry {
    /// All about it but what the person wrote.
    fileprivate func writeFacts(to writer: inout JSONWriter) {
        writer.member("list", list)
        writer.member("entry", entry.id)
        writer.member("operation", entry.operation.rawValue)
        writer.member("deviceSequence", Int(entry.deviceSequence))
        writer.member("code", code.rawValue)
        writer.member("at", rejectedAt.description)
    }
}
