import TrolleyClient
import TrolleyJournal

// Advice for a device that the service no longer knows.

extension AccountSession {
    /// A service's address as an argument of `sign-in` and the like, with the flag that it needs.
    static func argument(_ server: String) -> String { isReadable(at: server) ? "\(server) --insecure" : server }
}

extension Device {
    /// Prints, after a command's output, that the service no longer knows this device, and what to do.
    func advise() async throws {
        if let session = try await session() {
            if try await sessionEnded() != nil { Terminal.warn(session.advice) }
        } else if let signedOut = try await signedOutElsewhere() {
            let hidden = try await hiddenLists().first { $0.email == signedOut.email && $0.server == signedOut.server }
            Terminal.warn(signedOut.advice(waiting: hidden?.waiting ?? 0))
        }
    }

    /// Says why an answer comes from this device alone.
    var withoutService: String {
        get async throws {
            guard try await session() != nil else {
                return localized("Nobody is signed in on this device.", de: "Auf diesem Gerät ist niemand angemeldet.")
            }
            return try await sessionEnded() == nil
                ? localized("The service can't be reached.", de: "Der Dienst ist nicht zu erreichen.")
                : localized("The service no longer knows this device.", de: "Der Dienst kennt dieses Gerät nicht mehr.")
        }
    }

    /// Says that an answer is what this device knew last, and why.
    var knownLast: String {
        get async throws {
            try await withoutService + " "
                + localized("This is what this device knew last.", de: "Das ist, was dieses Gerät zuletzt wusste.")
        }
    }
}

extension AccountSession {
    /// Advice for a session that the service no longer knows.
    var advice: String {
        localized(
            """
            \(server) no longer knows this device. Your lists stay here, can be changed, and are sent when you sign in again:
              trolley sign-in \(server) --email \(email)
            If it has lost your account, since it was restored from a backup or emptied, sign up again. Your lists go along:
              trolley sign-up \(server) --email \(email) --name \(quoted(name))
            """,
            de: """
                \(server) kennt dieses Gerät nicht mehr. Deine Listen bleiben hier, lassen sich ändern und werden gesendet, wenn du dich wieder anmeldest:
                  trolley sign-in \(server) --email \(email)
                Wenn der Dienst dein Konto verloren hat, weil er aus einer Sicherung kam oder geleert wurde, lege es neu an. Deine Listen kommen mit:
                  trolley sign-up \(server) --email \(email) --name \(quoted(name))
                """)
    }

    private func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}

extension SignedOutElsewhere {
    /// - Parameter waiting: the number of changes that were not sent.
    fileprivate func advice(waiting: Int) -> String {
        let changes =
            waiting == 1
            ? localized("1 change that was not sent waits", de: "1 Änderung, die nicht gesendet wurde, wartet")
            : localized(
                "\(waiting) changes that were not sent wait",
                de: "\(waiting) Änderungen, die nicht gesendet wurden, warten")
        return localized(
            """
            This device was signed out from elsewhere (noticed \(at.words)), so the lists of \(email) have left it.\
            \(waiting == 0 ? "" : " \(changes) here.") To have them back:
              trolley sign-in \(AccountSession.argument(server)) --email \(email)
            """,
            de: """
                Dieses Gerät wurde von einem anderen aus abgemeldet (bemerkt \(at.words)), darum sind die Listen von \(email) nicht \
                mehr hier.\(waiting == 0 ? "" : " \(changes) hier.") So kommen sie wieder:
                  trolley sign-in \(AccountSession.argument(server)) --email \(email)
                """)
    }
}

extension HiddenLists {
    /// Says where hidden lists are, and how to show them again.
    var sentence: String {
        let lists = Noun.list.counted(lists)
        let unsent = Noun.unsentChange.counted(waiting)
        let also = waiting == 0 ? "" : localized(", with \(unsent)", de: ", dazu \(unsent)")
        let again = "trolley sign-in \(AccountSession.argument(server)) --email \(email)"
        return localized(
            "\(lists) of \(email)\(also), hidden until that account signs in: \(again)",
            de: "\(lists) von \(email)\(also), ausgeblendet, bis sich dieses Konto anmeldet: \(again)")
    }
}
