import ArgumentParser
import TrolleyClient
import TrolleyWire

struct SignOutCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign out; the account's lists leave this device.",
        discussion: """
            Unsent changes stay here, hidden, and are sent when the account signs in on this device again. When the
            service can't be reached, the lists stay here as well, hidden. When the service no longer knows this device,
            it may have lost the account: the lists stay visible, only on this device.

            Example:
              trolley sign-out
              trolley sign-out --keep-lists
            """)

    @Flag(help: "Keep the lists visible, only on this device, until the account signs in again.")
    var keepLists = false

    @Flag(help: "Remove the lists from this device, with unsent changes and everything that only this device has.")
    var removeLists = false

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if keepLists, removeLists { throw ValidationError("Give one of --keep-lists and --remove-lists.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        guard let session = try await device.session() else { throw DeviceError.notSignedIn }
        let result = try await device.signOut(lists: keepLists ? .stay : removeLists ? .forget : nil)
        console.say("Signed out.")
        if let sentence = sentence(result, session, console) { console.say(sentence) }
        if !result.isKnownToService {
            console.say("The service could not be told: it lists this device until you sign it out from another one.")
        }
        console.answer { writer in
            writer.key("signedOut")
            writer.bool(true)
            writer.member("waiting", result.waiting)
            writer.key("serviceKnows")
            writer.bool(result.isKnownToService)
            writer.member("lists", result.lists.rawValue)
        }
    }

    /// The outcome for the lists on this device.
    private func sentence(_ result: Device.SignOut, _ session: AccountSession, _ console: Console) -> String? {
        let (lists, waiting) = (console.count(result.count, "list"), console.count(result.waiting, "change"))
        let again =
            "until you sign in again: trolley sign-in \(AccountSession.argument(session.server)) --email \(session.email)"
        switch result.lists {
        case .leave where result.waiting == 0: return nil
        case .leave: return "\(waiting) could not be sent. Kept here, hidden, \(again)"
        case _ where result.count == 0: return nil
        case .hide: return "Kept here, hidden: \(lists), with \(waiting) that could not be sent, \(again)"
        case .stay:
            return """
                Kept here, on this device alone: \(lists), \(again)
                If the service has lost your account, sign up again, and they go along. To take one off this device: \
                trolley leave --delete --list NAME
                """
        case .forget: return "Removed from this device: \(lists), with \(waiting) that could not be sent."
        }
    }
}
