import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct WhoAmICommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "whoami",
            abstract: localized(
                "Show who is signed in on this device, and where.",
                de: "Zeigen, wer auf diesem Gerät angemeldet ist, und wo."),
            discussion: discussion(
                examples: """
                    trolley whoami
                    """))
    }

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        guard let session = try await device.session() else { throw DeviceError.notSignedIn }
        let ended = try await device.sessionEnded()
        console.say(
            localized(
                "\(session.name) <\(session.email)> at \(session.server)",
                de: "\(session.name) <\(session.email)> bei \(session.server)"))
        if let warning = session.warning { console.say(warning) }
        console.answer { writer in
            writer.member("server", session.server)
            writer.member("account", session.account)
            writer.member("email", session.email)
            writer.member("name", session.name)
            writer.member("device", session.device)
            writer.member("sessionEndedAt", ended?.description)
        }
    }
}
