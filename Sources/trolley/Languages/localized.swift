import ArgumentParser

/// A text for a person, in each language of the program: only the one that is spoken is made.
///
/// ```swift
/// console.say(localized("'\(name)' is the current list.", de: "„\(name)“ ist jetzt die aktuelle Liste."))
/// ```
func localized(_ english: @autoclosure () -> String, de german: @autoclosure () -> String) -> String {
    switch MessageLanguage.current {
    case .english: english()
    case .german: german()
    }
}

extension ArgumentHelp {
    /// The help of an argument, in each language of the program.
    static func localized(_ english: String, de german: String) -> ArgumentHelp {
        ArgumentHelp(trolley.localized(english, de: german))
    }
}

/// The discussion of a command: what it does, then examples, which are the same in each language.
/// - Parameter examples: command lines.
func discussion(_ english: String, de german: String, examples: String) -> String {
    paragraphs(localized(english, de: german)) + "\n\n" + discussion(examples: examples)
}

/// The text with one line for each paragraph, so that only the terminal's width breaks lines. Indented lines stay lines.
func paragraphs(_ text: String) -> String {
    var paragraphs: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if let last = paragraphs.last, ![last, String(line)].contains(where: { $0.isEmpty || $0.hasPrefix(" ") }) {
            paragraphs[paragraphs.count - 1] = "\(last) \(line)"
        } else {
            paragraphs.append(String(line))
        }
    }
    return paragraphs.joined(separator: "\n")
}

func discussion(examples: String) -> String {
    let lines = examples.split(separator: "\n").map { "  \($0)" }
    return localized("Example:", de: "Beispiel:") + "\n" + lines.joined(separator: "\n")
}
