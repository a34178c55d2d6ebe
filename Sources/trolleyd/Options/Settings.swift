import ArgumentParser
import Configuration
import FoundationEssentials
import Logging
import TrolleyServer
import TrolleyWire

/// A setting's value comes from its flag, otherwise from the environment (`TROLLEY_…`), otherwise from its default. The
/// environment is read once, when a command starts.
struct Settings {
    private let environment = ConfigReader(provider: EnvironmentVariablesProvider()).scoped(to: "trolley")

    /// - Throws: `ValidationError` (exit code 64) when the environment's value is invalid.
    func value<Value: LosslessStringConvertible>(_ flag: Value?, _ key: String, default value: Value) throws -> Value {
        try optional(flag, key) ?? value
    }

    /// Whether a switch is on: given as a flag, or `true` in the environment.
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

    /// The allowed values of a type, for error messages.
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

    /// The given settings by the names of their variables, for diagnostics: with values if they can't contain secrets,
    /// otherwise as `(set)`.
    /// - Parameter arguments: of the command; its flags precede the environment.
    static func shown(
        _ arguments: [String] = CommandLine.arguments,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String: String] {
        let harmless = [
            "_HOST", "_PORT", "_DATA_DIRECTORY", "_OLDER_THAN", "_LOG_LEVEL", "_LOG_FORMAT", "_REGISTRATION", "_PER_",
            "_TIMEOUT", "_SESSION_IDLE", "_CONNECTIONS", "_WAITING_PASSWORDS", "_TRUSTED_PROXIES", "_PROXY_HEADER",
            "_METRICS_FROM", "_ALLOWED_ORIGINS", "_PUSH_",
        ]
        let given = environment.filter { $0.key.hasPrefix("TROLLEY_") && !$0.value.isEmpty }
        return given.merging(flags(in: arguments)) { $1 }.reduce(into: [:]) { shown, setting in
            shown[setting.key] = harmless.contains { setting.key.contains($0) } ? setting.value : "(set)"
        }
    }

    /// The values of flags, by the names of the variables with the same meaning.
    private static func flags(in arguments: [String]) -> [String: String] {
        var flags: [String: String] = [:]
        for (index, argument) in arguments.enumerated() where argument.hasPrefix("--") {
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1)
            guard let name = parts.first else { continue }
            let following = arguments.dropFirst(index + 1).first.flatMap { $0.hasPrefix("--") ? nil : $0 }
            let variable = "TROLLEY_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
            flags[variable] = parts.count > 1 ? String(parts[1]) : following ?? "true"
        }
        return flags
    }
}
