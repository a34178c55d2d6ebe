import HTTPTypes
import TrolleyJournal
import TrolleyStore

/// `Push-Dont-Notify`: the registrations that get no message of a request's change.
struct PushDontNotify: Hashable, Sendable {
    /// Whether no registration gets one.
    private(set) var isForAll = false
    private(set) var registrations: Set<RegistrationID> = []

    /// Programs name their own registration.
    private static let most = 100

    /// - Returns: nil if the header is missing, or names no registration. What isn't valid is ignored.
    init?(_ headers: HTTPFields) {
        for element in headers[values: .pushDontNotify].flatMap(Self.elements) {
            if element == "*" { isForAll = true }
            guard registrations.count < Self.most, element.utf8.count > 2, element.hasPrefix("\""),
                element.hasSuffix("\""),
                case .registration(let id)? = CalendarResource(String(element.dropFirst().dropLast()))
            else { continue }
            registrations.insert(id)
        }
        if !isForAll, registrations.isEmpty { return nil }
    }

    /// The elements of a list (RFC 9110 §5.6.1), in which quoted strings may have commas.
    private static func elements(of value: String) -> [String] {
        var (elements, element) = ([] as [String], "")
        var (isQuoted, isEscaped) = (false, false)
        for character in value.unicodeScalars {
            if isEscaped {
                element.unicodeScalars.append(character)
                isEscaped = false
            } else if character == "\\", isQuoted {
                isEscaped = true
            } else if character == ",", !isQuoted {
                elements.append(element)
                element = ""
            } else {
                if character == "\"" { isQuoted.toggle() }
                element.unicodeScalars.append(character)
            }
        }
        return (elements + [element]).map(\.trimmed)
    }
}

extension HTTPField.Name {
    // The name is a token, so the fallback is never used.
    static let pushDontNotify = HTTPField.Name("Push-Dont-Notify") ?? .expect
}
