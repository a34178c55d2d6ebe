import ArgumentParser
import TrolleyClient
import TrolleyWire

struct SignOutCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign out; the account's lists leave this device.",
        discussion: """
            What could not be sent stays here, hidden, and is sent when the account signs in on this device again.

            Example:
              trolley sign-out
            """)

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let result = try await device.signOut()
        console.say("Signed out.")
        if result.waiting > 0 {
            let waiting = console.count(result.waiting, "change")
            console.say("\(waiting) could not be sent and will be when you sign in again.")
        }
        if !result.isKnownToService {
            console.say("The service could not be told: it lists this device until you remove it from another one.")
        }
        console.answer { writer in
            writer.key("signedOut")
            writer.bool(true)
            writer.member("waiting", result.waiting)
            writer.key("serviceKnows")
            writer.bool(result.isKnownToService)
        }
    }
}
