import ArgumentParser
import TrolleyClient
import TrolleyWire

struct SignOutCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "sign-out",
            abstract: localized(
                "Sign out; the account's lists leave this device.",
                de: "Abmelden; die Listen des Kontos werden von diesem Gerät entfernt."),
            discussion: discussion(
                """
                Unsent changes stay here, hidden, and are sent when the account signs in on this device again. When the
                service can't be reached, the lists stay here as well, hidden. When the service no longer knows this device,
                it may have lost the account: the lists stay visible, only on this device.
                """,
                de: """
                    Nicht gesendete Änderungen bleiben hier, ausgeblendet, und werden gesendet, wenn sich das Konto auf diesem \
                    Gerät wieder anmeldet. Ist der Dienst nicht zu erreichen, bleiben auch die Listen hier, ausgeblendet. \
                    Kennt der Dienst dieses Gerät nicht mehr, hat er vielleicht das Konto verloren: Dann bleiben die Listen \
                    sichtbar, nur auf diesem Gerät.
                    """,
                examples: """
                    trolley sign-out
                    trolley sign-out --keep-lists
                    """))
    }

    @Flag(
        help: .localized(
            "Keep the lists visible, only on this device, until the account signs in again.",
            de: "Die Listen sichtbar lassen, nur auf diesem Gerät, bis sich das Konto wieder anmeldet."))
    var keepLists = false

    @Flag(
        help: .localized(
            "Remove the lists from this device, with unsent changes and everything that only this device has.",
            de: """
                Die Listen von diesem Gerät entfernen, mit nicht gesendeten Änderungen und allem, was nur dieses Gerät hat.
                """))
    var removeLists = false

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if keepLists, removeLists {
            throw ValidationError(
                localized(
                    "Give one of --keep-lists and --remove-lists.", de: "Gib --keep-lists oder --remove-lists an."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        guard let session = try await device.session() else { throw DeviceError.notSignedIn }
        let result = try await device.signOut(lists: keepLists ? .stay : removeLists ? .forget : nil)
        console.say(localized("Signed out.", de: "Abgemeldet."))
        if let sentence = sentence(result, session, console) { console.say(sentence) }
        if !result.isKnownToService {
            console.say(
                localized(
                    "The service could not be told: it lists this device until you sign it out from another one.",
                    de:
                        "Der Dienst weiß noch nichts davon: Er führt dieses Gerät, bis du es von einem anderen abmeldest."
                ))
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
        let (lists, waiting) = (console.count(result.count, .list), console.count(result.waiting, .change))
        let again = "trolley sign-in \(AccountSession.argument(session.server)) --email \(session.email)"
        switch result.lists {
        case .leave where result.waiting == 0: return nil
        case .leave:
            return localized(
                "\(waiting) could not be sent. Kept here, hidden, until you sign in again: \(again)",
                de: "Nicht gesendet: \(waiting). Das bleibt hier, ausgeblendet, bis du dich wieder anmeldest: \(again)")
        case _ where result.count == 0: return nil
        case .hide:
            return localized(
                "Kept here, hidden: \(lists), with \(waiting) that could not be sent, until you sign in again: \(again)",
                de:
                    "Bleibt hier, ausgeblendet, bis du dich wieder anmeldest: \(lists), nicht gesendet: \(waiting). \(again)"
            )
        case .stay:
            return localized(
                """
                Kept here, on this device alone: \(lists), until you sign in again: \(again)
                If the service has lost your account, sign up again, and they go along. To take one off this device: \
                trolley leave --delete --list NAME
                """,
                de: """
                    Bleibt hier, nur auf diesem Gerät, bis du dich wieder anmeldest: \(lists). \(again)
                    Hat der Dienst dein Konto verloren, lege es wieder an; sie kommen mit. Um eine von diesem Gerät zu nehmen: \
                    trolley leave --delete --list NAME
                    """)
        case .forget:
            return localized(
                "Removed from this device: \(lists), with \(waiting) that could not be sent.",
                de: "Von diesem Gerät entfernt: \(lists), nicht gesendet: \(waiting).")
        }
    }
}
