import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyWire

/// Searches for people (RFC 3744 §9.4 and 9.5). Nobody finds anybody but themselves.
extension CalendarCall {
    func people(_ document: XMLElement) async throws -> Response {
        guard request.headers[.depth] ?? "0" == "0" else {
            throw CalendarError(.badRequest, nil, "the Depth of a search for people must be 0")
        }
        var wanted = try WantedProperties(in: document)
        // The Python library `caldav` puts the names beside an empty `prop`.
        if case .named([]) = wanted {
            let known: Set<XMLName> = [
                .dav("property-search"), .dav("prop"), .dav("apply-to-principal-collection-set"),
            ]
            wanted = .named(document.children.map(\.name).filter { !known.contains($0) })
        }
        let properties = try await properties()
        let results = document.all(.dav("property-search")).map { $0.matches(properties.account) }
        // As Apple's clients say it; the standard has no attribute for it.
        let isAnyEnough = document.attributes["test"] == "anyof" && !results.isEmpty
        var answer = MultiStatus(properties: properties, isMinimal: isMinimal)
        if isAnyEnough ? results.contains(true) : !results.contains(false) { answer.add(.principal, wanted) }
        return try await response(to: answer)
    }

    func searchableProperties() -> Response {
        var writer = XMLWriter()
        writer.element(.dav("principal-search-property-set")) { writer in
            for (name, description) in [
                (XMLName.dav("displayname"), "Name"), (XMLName.server("email-address-set"), "Email"),
                (XMLName.calendar("calendar-user-address-set"), "Address"),
            ] {
                writer.element(.dav("principal-search-property")) { writer in
                    writer.element(.dav("prop")) { $0.element(name) }
                    writer.element(.dav("description"), [("xml:lang", "en")]) { $0.write(description) }
                }
            }
        }
        return .xml(writer.text, status: .ok)
    }
}

extension XMLElement {
    /// Whether an account has the text of a `property-search` in all of its properties.
    fileprivate func matches(_ account: AccountResponse) -> Bool {
        let text = first(.dav("match"))?.text.trimmed.lowercased() ?? ""
        let names = first(.dav("prop"))?.children.map(\.name) ?? []
        return !names.isEmpty
            && names.allSatisfy { name in
                let value: String? =
                    switch name {
                    case .dav("displayname"): account.name
                    case .server("email-address-set"): account.email
                    case .calendar("calendar-user-address-set"): "mailto:\(account.email)"
                    default: nil
                    }
                guard let value else { return false }
                return text.isEmpty || value.lowercased().contains(text)
            }
    }
}
