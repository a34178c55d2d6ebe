import ArgumentParser
import Configuration
import Logging

/// Settings in the environment. Flags override them.
struct Settings {
    /// The directory of the device's files.
    var home: String
    /// The list to use when no option names one.
    var list: String?
    var json: Bool
    var password: String?
    /// The password that `trolley password` sets.
    var newPassword: String?
    /// Certificates to trust in addition to the system's.
    var certificates: String?
    /// Whether another machine's service may be without TLS.
    var insecure: Bool
    /// The language of the device's catalogue.
    var language: Language
    /// The level of the log; nil: there is no log.
    var log: Logger.Level?
}

extension Settings {
    /// Reads `TROLLEY_HOME`, `TROLLEY_LIST`, `TROLLEY_JSON`, `TROLLEY_PASSWORD`, `TROLLEY_NEW_PASSWORD`,
    /// `TROLLEY_CA_FILE`, `TROLLEY_INSECURE`, `TROLLEY_LANGUAGE` and `TROLLEY_LOG`; without a language, the system's `LC_ALL`,
    /// `LC_MESSAGES` and `LANG`.
    /// - Throws: `ValidationError` (exit code 64) when a value is invalid.
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
        insecure = trolley.bool(forKey: "insecure", default: false)
        if let code = trolley.string(forKey: "language"), !code.isEmpty {
            guard let given = Language(code: code) else {
                throw ValidationError(
                    localized(
                        "TROLLEY_LANGUAGE must be one of \(Language.choices).",
                        de: "TROLLEY_LANGUAGE muss eines von diesen sein: \(Language.choices)."))
            }
            language = given
        } else {
            language = Language(locale: Self.locale(reader))
        }
        if let level = trolley.string(forKey: "log"), !level.isEmpty {
            log = Logger.Level(rawValue: level)
            guard log != nil else {
                let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError(
                    localized(
                        "TROLLEY_LOG must be one of \(levels).",
                        de: "TROLLEY_LOG muss eines von diesen sein: \(levels)."))
            }
        }
        for name in ["json", "insecure"] {
            let key = ConfigKey(name)
            guard let text = trolley.string(forKey: key), !text.isEmpty, trolley.bool(forKey: key) == nil else {
                continue
            }
            throw ValidationError(
                localized(
                    "TROLLEY_\(name.uppercased()) must be true or false.",
                    de: "TROLLEY_\(name.uppercased()) muss true oder false sein."))
        }
    }
    /// The locale of the system's messages: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set (POSIX), otherwise `C`.
    fileprivate static func locale(_ reader: ConfigReader) -> String {
        let set = ["lc.all", "lc.messages", "lang"].lazy.compactMap { name in
            reader.string(forKey: ConfigKey(name)).flatMap { $0.isEmpty ? nil : $0 }
        }
        return set.first ?? "C"
    }
}

extension MessageLanguage {
    /// The language of the system's locale.
    static var ofSystem: MessageLanguage { of(EnvironmentVariablesProvider()) }

    static func of(_ environment: EnvironmentVariablesProvider) -> MessageLanguage {
        MessageLanguage(locale: Settings.locale(ConfigReader(provider: environment)))
    }
}
