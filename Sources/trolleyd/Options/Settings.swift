import ArgumentParser
import Configuration
import FoundationEssentials
import Logging
import TrolleyServer
import TrolleyWire

/// What was set by flag, else by environment (`TROLLEY_…`), else the default. Read once, when a command starts.
struct Settings {
    private let environment = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "trolley")

    /// - Throws: `ValidationError`, which is wrong use.
    func value<Value: LosslessStringConvertible>(_ flag: Value?, _ key: String, default value: Value) throws -> Value {
        try optional(flag, key) ?? value
    }

    /// A switch: given as a flag, or `true` in the environment.
    func isOn(_ flag: Bool, _ key: String) throws -> Bool { try flag || value(nil, key, default: false) }

    func optional<Value: LosslessStringConvertible>(_ flag: Value?, _ key: String) throws -> Value? {
        if let flag { return flag }
        guard let text = environment.string(forKey: ConfigKey(key)), !text.isEmpty else { return nil }
        guard let value = Value(text) else {
            let name = "TROLLEY_" + key.uppercased().map { $0 == "." ? "_" : String($0) }.joined()
            throw ValidationError("\(name) must be \(Self.allowed(Value.self))")
        }
        return value
    }

    /// What a setting of a type may be, for a person.
    private static func allowed(_ type: Any.Type) -> String {
        switch type {
        case is Bool.Type: "true or false"
        case is Int.Type: "a whole number"
        case is Age.Type: "an age, such as 14d, 12h, 30m or 45s"
        case is LogLevels.Type: "a level (\(choice(Logger.Level.self))), or levels by part: info,events=debug"
        case let choices as any CaseIterable.Type: choice(choices)
        default: "a valid \(type)"
        }
    }

    private static func choice<Choice: CaseIterable>(_ type: Choice.Type) -> String {
        "one of " + type.allCases.map { "\($0)" }.joined(separator: ", ")
    }

    /// What the environment sets, for diagnostics: the values of those settings that can't be secrets, of the others only
    /// that they are set.
    var shown: [String: String] {
        let harmless = [
            "_HOST", "_PORT", "_DATA_DIRECTORY", "_OLDER_THAN", "_LOG_LEVEL", "_LOG_FORMAT", "_REGISTRATION", "_PER_",
            "_TIMEOUT", "_SESSION_IDLE", "_CONNECTIONS", "_WAITING_PASSWORDS", "_TRUSTED_PROXIES", "_PROXY_HEADER",
            "_METRICS_FROM",
        ]
        let set = ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("TROLLEY_") && !$0.value.isEmpty }
        return Dictionary(
            uniqueKeysWithValues: set.map { name, value in
                (name, harmless.contains { name.contains($0) } ? value : "(set)")
            })
    }
}
