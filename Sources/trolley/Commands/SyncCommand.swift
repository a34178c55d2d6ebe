import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct SyncCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Send what waits and fetch what is new, at once.",
        discussion: """
            Example:
              trolley sync
            """)

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let report = try await device.sync(.byHand)
        console.say("\(report.sent) sent, \(report.received) received.")
        if report.rejected > 0 { console.say("\(console.count(report.rejected, "change")) refused. See: trolley queue") }
        console.answer { report.write(to: &$0) }
        guard let failure = report.failure else { return }
        if report.waiting > 0 { console.say("\(console.count(report.waiting, "change")) waiting to be sent.") }
        Terminal.warn("Error: \(failure)")
        throw ExitCode.failure
    }
}

extension SyncReport {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("outcome", outcome.rawValue)
        writer.member("sent", sent)
        writer.member("received", received)
        writer.member("rejected", rejected)
        writer.member("waiting", waiting)
        if let failure {
            writer.key("error")
            writer.object { writer in
                if let code = failure.code { writer.member("code", code.rawValue) }
                writer.member("message", failure.description)
            }
        }
        if let nextTry { writer.member("nextTry", nextTry.description) }
    }
}
