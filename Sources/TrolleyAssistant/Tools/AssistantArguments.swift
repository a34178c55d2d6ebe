/// A tool's arguments, checked: each that the tool needs is there, and none that it doesn't know.
package struct AssistantArguments: Hashable, Sendable {
    private let values: [String: [String]]

    fileprivate init(_ values: [String: [String]]) { self.values = values }

    /// An argument that is one text; nil: it isn't given.
    package subscript(_ name: String) -> String? { values[name]?.first }

    /// An argument's texts; none: it isn't given.
    package func texts(_ name: String) -> [String] { values[name] ?? [] }
}

extension AssistantTool {
    /// - Parameter given: the texts of each argument.
    /// - Throws: `AssistantFailure` with what is missing or unknown.
    package func arguments(_ given: [String: [String]]) throws(AssistantFailure) -> AssistantArguments {
        if let unknown = given.keys.sorted().first(where: { name in !parameters.contains { $0.name == name } }) {
            let known = parameters.map(\.name)
            throw AssistantFailure(
                "\(name.rawValue) has no argument '\(unknown)'; it has "
                    + "\(known.isEmpty ? "none" : known.joined(separator: ", ")).")
        }
        for parameter in parameters {
            guard let texts = given[parameter.name] else {
                if parameter.isRequired { throw AssistantFailure("\(name.rawValue) needs '\(parameter.name)'.") }
                continue
            }
            if parameter.isRequired, texts.allSatisfy(\.isEmpty) {
                throw AssistantFailure("'\(parameter.name)' is empty.")
            }
            if parameter.kind == .text, texts.count != 1 { throw AssistantFailure("'\(parameter.name)' is one text.") }
            // No list can have it.
            if texts.contains(where: { $0.utf8.contains(0) }) {
                throw AssistantFailure("'\(parameter.name)' has a NUL character.")
            }
        }
        return AssistantArguments(given)
    }
}
