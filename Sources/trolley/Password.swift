/// Reads passwords.
enum Password {
    /// `TROLLEY_PASSWORD`, or a prompt without echo; twice for a new password.
    static func read(_ console: Console, confirming: Bool) throws -> String {
        if let password = try Settings().password { return password }
        guard let password = Terminal.ask(localized("Password: ", de: "Passwort: ")), !password.isEmpty else {
            throw CommandError.noPassword
        }
        if confirming, Terminal.ask(localized("Once more: ", de: "Noch einmal: ")) != password {
            throw CommandError.passwordsDiffer
        }
        return password
    }

    /// The new password: `TROLLEY_NEW_PASSWORD`, or a prompt without echo, twice.
    static func readNew(_ console: Console) throws -> String {
        if let password = try Settings().newPassword { return password }
        guard let password = Terminal.ask(localized("New password: ", de: "Neues Passwort: ")), !password.isEmpty else {
            throw CommandError.noNewPassword
        }
        guard Terminal.ask(localized("Once more: ", de: "Noch einmal: ")) == password else {
            throw CommandError.passwordsDiffer
        }
        return password
    }

    /// The name of this device on the service.
    static var deviceName: String {
        localized("trolley on \(Terminal.hostName)", de: "trolley auf \(Terminal.hostName)")
    }
}
