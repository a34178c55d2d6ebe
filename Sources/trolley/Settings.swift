import ArgumentParser
import Configuration

/// What can be set by environment. A flag goes before.
struct Settings {
    /// The directory of the device's files.
    var home: String
    /// The list that is meant when none is named.
    var list: String?
    var json: Bool
    var password: String?
    /// The password that `trolley password` sets.
    var newPassword: String?
    /// Certificates that are trusted beside the system's.
    var certificates: String?
}

extension Settings {
    /// Reads `TROLLEY_HOME`, `TROLLEY_LIST`, `TROLLEY_JSON`, `TROLLEY_PASSWORD`, `TROLLEY_NEW_PASSWORD` and
    /// `TROLLEY_CA_FILE`.
    /// - Throws: `ValidationError`, which is wrong use.
    init(environment: EnvironmentVariablesProvider = EnvironmentVariablesProvider()) throws(ValidationError) {
        let reader = ConfigReader(provider: environment)
        let trolley = reader.scoped(to: "trolley")
        let userHome = reader.string(forKey: "home", default: ".")
        home = trolley.string(forKey: "home", default: userHome + "/.trolley")
        list = trolley.string(forKey: "list").flatMap { $0.isEmpty ? nil : $0 }
        password = trolley.string(forKey: "password", isSecret: true)
        newPassword = trolley.string(forKey: "new.password", isSecret: true)
        certificates = trolley.string(forKey: "ca.file")
        json = trolley.bool(forKey: "json", default: false)
        if let text = trolley.string(forKey: "json"), !text.isEmpty, trolley.bool(forKey: "json") == nil {
            throw ValidationError("TROLLEY_JSON must be true or false.")
        }
    }
}
