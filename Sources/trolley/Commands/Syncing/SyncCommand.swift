import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct SyncCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "sync",
            abstract: localized(
                "Send waiting changes and fetch new ones, at once.", de: "Sofort senden, was wartet, und Neues holen."),
            discussion: discussion(
                """
                A request that the service doesn't answer for 30 seconds is given up; what waits stays on this device.
                """,
                de: """
                    Eine Anfrage, die der Dienst 30 Sekunden lang nicht beantwortet, wird aufgegeben; was wartet, bleibt auf \
                    diesem Gerät.
                    """,
                examples: """
                    trolley sync
                    """))
    }

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let report = try await ProgressBar(device: device).during { try await device.sync(.manual) }
        for list in try await device.lists() {
            for invitation in try await device.list(list.id).waitingInvitations() where invitation.refusal != nil {
                console.say("\(list.name ?? list.id.description): \(invitation.text)")
            }
        }
        try console.finish(report)
    }
}

extension Console {
    /// Ends a command whose purpose is a sync: it fails if the sync failed.
    func finish(_ report: SyncReport) throws {
        say(
            localized(
                "\(report.sent) sent, \(report.received) received.",
                de: "\(report.sent) gesendet, \(report.received) empfangen."))
        sayRefused(report)
        answer { report.write(to: &$0) }
        guard let failure = report.failure else { return }
        if report.waiting > 0 { sayWaiting(report.waiting) }
        Terminal.warn(localized("Error: \(failure.words())", de: "Fehler: \(failure.words())"))
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
                writer.member("code", failure.message.code.rawValue)
                writer.member("message", failure.sentence)
            }
        }
        if let nextTry { writer.member("nextTry", nextTry.description) }
    }
}
