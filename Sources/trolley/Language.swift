import ArgumentParser
import TrolleyClient

/// The language of the device's catalogue: of what people write on their lists. What the program says has another one,
/// ``MessageLanguage``.
struct Language {
    /// One of `Device.catalogueLanguages`; nil: no catalogue is used.
    let code: String?

    static let choices = (Device.catalogueLanguages + ["none"]).joined(separator: ", ")

    /// - Parameter code: a language's code, or `none`.
    init?(code: String) {
        guard code == "none" || Device.catalogueLanguages.contains(code) else { return nil }
        self.code = code == "none" ? nil : code
    }

    init(argument: String) throws {
        guard let language = Language(code: argument) else {
            throw ValidationError(
                localized(
                    "The language must be one of \(Language.choices).",
                    de: "Die Sprache muss eine von diesen sein: \(Language.choices)."))
        }
        self = language
    }

    /// The language of a system's locale, such as `de_CH.UTF-8`. A system that has none (`C`, `POSIX`) speaks English; in a
    /// language without a catalogue none is used.
    init(locale: String) {
        let language = Language.code(ofLocale: locale)
        code = language == "C" || language == "POSIX" ? "en" : Device.catalogueLanguages.first { $0 == language }
    }

    /// `de` of `de_CH.UTF-8`.
    static func code(ofLocale locale: String) -> String {
        String(locale.prefix { $0 != "_" && $0 != "." && $0 != "@" && $0 != "-" })
    }
}
