/// An error as a sentence for a person: the sentence's key, and its arguments. The sentences name no button and no
/// command; an app adds its own advice.
///
/// To translate the sentences, copy ``english`` into a table of strings, translate it, and look up the keys:
///
/// ```swift
/// let text = error.message.text { bundle.localizedString(forKey: $0, value: nil, table: "Trolley") }
/// ```
public struct ErrorMessage: Hashable, Sendable {
    /// The kind of the error.
    public let code: ErrorCode
    /// The sentence's key in ``english``: the code. With the prefix `sync.`, the sentence says what the error means for
    /// a sync and the waiting changes.
    public let key: String
    /// The values of the sentence's placeholders: `{email}` stands for the argument `email`. A translation may leave
    /// placeholders out, such as `{reason}`, which is always English. It may also use the `time` of `tooEarly` (RFC
    /// 3339), which the English sentence leaves out.
    public let arguments: [String: String]
    /// The error whose sentence replaces `{cause}`, if another error is the cause.
    public var cause: ErrorMessage? { causes.first }
    private let causes: [ErrorMessage]
    /// The service's own sentence, in English, with details about this request.
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
    ///
    /// ```swift
    /// do throws(DeviceError) { try await list.rename("Party") } catch {
    ///     print(error.message.text { ["offline": "Keine Verbindung."][$0] })
    /// }
    /// ```
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
