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
            guard try await session() != nil else { return "Nobody is signed in on this device." }
            return try await sessionEnded() == nil
                ? "The service can't be reached." : "The service no longer knows this device."
        }
    }
}

extension AccountSession {
    /// Advice for a session that the service no longer knows.
    var advice: String {
        """
        \(server) no longer knows this device. Your lists stay here, can be changed, and are sent when you sign in again:
          trolley sign-in \(server) --email \(email)
        If it has lost your account, since it was restored from a backup or emptied, sign up again. Your lists go along:
          trolley sign-up \(server) --email \(email) --name \(quoted(name))
        """
    }

    private func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}

extension SignedOutElsewhere {
    /// - Parameter waiting: the number of changes that were not sent.
    fileprivate func advice(waiting: Int) -> String {
        let changes = waiting == 1 ? "1 change that was not sent waits" : "\(waiting) changes that were not sent wait"
        return """
            This device was signed out from elsewhere (noticed \(at.words)), so the lists of \(email) have left it.\
            \(waiting == 0 ? "" : " \(changes) here.") To have them back:
              trolley sign-in \(AccountSession.argument(server)) --email \(email)
            """
    }
}

extension HiddenLists {
    /// Says where hidden lists are, and how to show them again.
    var sentence: String {
        let lists = "\(lists) list\(lists == 1 ? "" : "s")"
        let waiting = waiting == 0 ? "" : ", with \(waiting) unsent change\(waiting == 1 ? "" : "s")"
        return
            "\(lists) of \(email)\(waiting), hidden until that account signs in: trolley sign-in \(AccountSession.argument(server)) --email \(email)"
    }
}
