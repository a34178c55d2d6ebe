/// An error as a sentence for a person: the key of the sentence, and what it says in its places. The sentences name no
/// button and no command; an app says itself how to go on.
///
/// To translate the sentences, copy ``english`` into a table of strings, translate that, and look keys up:
///
/// ```swift
/// let text = error.message.text { bundle.localizedString(forKey: $0, value: nil, table: "Trolley") }
/// ```
public struct ErrorMessage: Hashable, Sendable {
    /// What kind of error it is.
    public let code: ErrorCode
    /// The sentence's key in ``english``: the code; with `sync.` before it, what the error means to a sync and to the changes that
    /// wait.
    public let key: String
    /// What stands in the sentence's places: `{email}` stands for the argument `email`. `reason` is always English, so a
    /// translation may leave it out.
    public let arguments: [String: String]
    /// The sentence of the place `{cause}`, when another error is the cause.
    public var cause: ErrorMessage? { causes.first }
    private let causes: [ErrorMessage]
    /// The service's own sentence, in English, which says more about this request than the code does.
    public let detail: String?

    init(
        _ code: ErrorCode, key: String? = nil, _ arguments: [String: String] = [:], cause: ErrorMessage? = nil,
        detail: String? = nil
    ) {
        self.code = code
        self.key = key ?? code.rawValue
        self.arguments = arguments
        causes = cause.map { [$0] } ?? []
        self.detail = detail
    }

    /// The sentence in another language.
    /// - Parameter translation: the translation of a key of ``english``. For nil, or the key itself, the sentence is
    ///   English.
    public func text(_ translation: (String) -> String?) -> String {
        guard let template = translation(key), template != key else {
            return detail ?? filled(Self.english[key] ?? key, translation)
        }
        return filled(template, translation)
    }

    private func filled(_ template: String, _ translation: (String) -> String?) -> String {
        var text = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            if name == "cause" {
                text += cause?.text(translation) ?? ""
            } else {
                text += arguments[name] ?? ""
            }
            rest = rest[rest.index(after: close)...]
        }
        text += rest
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension ErrorMessage: CustomStringConvertible {
    /// The sentence in English.
    public var description: String { text { _ in nil } }
}
