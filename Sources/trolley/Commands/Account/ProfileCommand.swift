import ArgumentParser
import TrolleyClient

struct ProfileCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Change your name as others see it, or the colour of your picture.",
        discussion: """
            What you did before appears under the new name, too. Without options, it shows both.

            Example:
              trolley profile --name 'Ann Smith'
              trolley profile --colour teal
            """)

    @Option(help: "Your name, as others see it.")
    var name: String?

    @Option(
        help: """
            The colour of your picture: green, teal, blue, indigo, purple, pink, red, orange, yellow, brown or grey. Empty: \
            the apps choose one.
            """)
    var colour: String?

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        guard try await device.session() != nil else { throw DeviceError.notSignedIn }
        let account =
            if name == nil, colour == nil {
                try await device.account.profile()
            } else {
                try await device.account.change(name: name, colour: colour)
            }
        let picture = account.colour.map { "your picture is \($0)" } ?? "the apps choose your picture's colour"
        console.say("Others see you as \(account.name); \(picture).")
        console.answer { writer in
            writer.member("account", account.id)
            writer.member("name", account.name)
            writer.member("colour", account.colour)
        }
    }
}
