/// Reads passwords.
enum Password {
    /// `TROLLEY_PASSWORD`, or a prompt without echo; twice for a new password.
    static func read(_ console: Console, confirming: Bool) throws -> String {
        if let password = try Settings().password { return password }
        guard let password = Terminal.ask("Password: "), !password.isEmpty else { throw CommandError.noPassword }
        if confirming, Terminal.ask("Once more: ") != password { throw CommandError.passwordsDiffer }
        return password
    }

    /// The new password: `TROLLEY_NEW_PASSWORD`, or a prompt without echo, twice.
    static func readNew(_ console: Console) throws -> String {
        if let password = try Settings().newPassword { return password }
        guard let password = Terminal.ask("New password: "), !password.isEmpty else {
            throw CommandError.noNewPassword
        }
        guard Terminal.ask("Once more: ") == password else { throw CommandError.passwordsDiffer }
        return password
    }

    /// The name of this device on the service.
    static var deviceName: String { "trolley on \(Terminal.hostName)" }
}
