/// Where a password comes from.
enum Password {
    /// `TROLLEY_PASSWORD`, or what the person types, unseen; twice for a new one.
    static func read(_ console: Console, confirming: Bool) throws -> String {
        if let password = try Settings().password { return password }
        guard let password = Terminal.ask("Password: "), !password.isEmpty else { throw CommandError.noPassword }
        if confirming, Terminal.ask("Once more: ") != password { throw CommandError.passwordsDiffer }
        return password
    }

    /// The password to be set: `TROLLEY_NEW_PASSWORD`, or what the person types, unseen, twice.
    static func readNew(_ console: Console) throws -> String {
        if let password = try Settings().newPassword { return password }
        guard let password = Terminal.ask("New password: "), !password.isEmpty else {
            throw CommandError.noNewPassword
        }
        guard Terminal.ask("Once more: ") == password else { throw CommandError.passwordsDiffer }
        return password
    }

    /// What the service calls this device.
    static var deviceName: String { "trolley on \(Terminal.hostName)" }
}
