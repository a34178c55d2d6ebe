/// What ArgumentParser writes around the program's own texts, in German. The library has no translations and no public type for
/// its errors, so its sentences are found by their words; one that a later version changes stays English.
enum ParserText {
    static func german(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }.joined(separator: "\n")
    }

    private static func line(_ line: String) -> String {
        let error = localizedPrefix
        if line.hasPrefix(error) {
            let sentence = String(line.dropFirst(error.count))
            return error + (errors.lazy.compactMap { $0.german(of: sentence) }.first ?? sentence)
        }
        var line = line
        for (english, german) in [
            ("(default:", "(Vorgabe:"), ("; default:", "; Vorgabe:"), ("(values:", "(Werte:"),
            (" Show the version.", " Die Version zeigen."), (" Show help information.", " Diese Hilfe zeigen."),
            (" Show subcommand help information.", " Die Hilfe zu einem Befehl zeigen."),
        ] { line = line.replacing(english, with: german) }
        return frames.lazy.compactMap { $0.german(of: line) }.first ?? line
    }

    private static var localizedPrefix: String { MessageLanguage.$current.withValue(.german) { Trolley._errorPrefix } }

    /// Headings, and the lines that point to more help.
    private static let frames = [
        Template("OVERVIEW: {}", "ÜBERSICHT: {}"), Template("USAGE: {}", "AUFRUF: {}"),
        Template("ARGUMENTS:", "ARGUMENTE:"), Template("OPTIONS:", "OPTIONEN:"), Template("SUBCOMMANDS:", "BEFEHLE:"),
        Template("{} SUBCOMMANDS:", "BEFEHLE ({}):"), Template("Usage: {}", "Aufruf: {}"),
        Template("Help:  {}", "Hilfe: {}"),
        Template("  See '{}' for detailed help.", "  Mehr zu einem Befehl: {}"),
        Template("  See '{}' for more information.", "  Mehr dazu: {}"),
    ]

    private static let errors = [
        Template("Unknown option '{}'. Did you mean '{}'?", "Die Option „{}“ gibt es nicht. Meinst du „{}“?"),
        Template("Unknown option '{}'", "Die Option „{}“ gibt es nicht."),
        Template("Missing value for '{}'", "Zu „{}“ fehlt der Wert."),
        Template(
            "The option '{}' does not take any value, but '{}' was specified.",
            "Zur Option „{}“ gehört kein Wert, auch nicht „{}“."),
        Template("Unexpected argument '{}'", "Das Argument „{}“ ist zu viel."),
        Template("{} unexpected arguments: '{}'", "{} Argumente sind zu viel: „{}“."),
        Template(
            "Value to be set with flag '{}' had already been set with flag '{}'",
            "„{}“ und „{}“ schließen sich aus."),
        Template("Missing expected argument '{}'", "Das Argument „{}“ fehlt."),
        Template("Missing one of: '{}'", "Eines von diesen fehlt: „{}“."),
        Template(
            "The value '{}' is invalid for '{}'. Please provide one of '{}'.",
            "Der Wert „{}“ geht nicht für „{}“. Möglich sind: „{}“."),
        Template(
            "The value '{}' is invalid for '{}'. Please provide one of the following:",
            "Der Wert „{}“ geht nicht für „{}“. Möglich sind:"),
        Template("The value '{}' is invalid for '{}': {}", "Der Wert „{}“ geht nicht für „{}“: {}"),
        Template("The value '{}' is invalid for '{}'", "Der Wert „{}“ geht nicht für „{}“."),
        Template("Missing required subcommand.", "Der Befehl fehlt."),
    ]
}
