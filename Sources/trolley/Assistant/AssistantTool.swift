/// Something that an assistant can do with the lists: a command of this program, with its answer in JSON.
struct AssistantTool {
    struct Parameter {
        enum Kind { case text, texts }

        let name: String
        var kind = Kind.text
        var isRequired = false
        let description: String
    }

    let name: String
    let title: String
    let description: String
    /// The beginning of the command line.
    let command: [String]
    /// The parameter whose texts follow the options; all others are options of the same name.
    var operand: String?
    var parameters: [Parameter] = []
    var isReadOnly = false

    private static let list = Parameter(
        name: "list", description: "The list's name or id; without it, the list that was used last.")
    private static let item = "text as the list has it, its number in 'show', or its id"

    static let all = [
        AssistantTool(
            name: "lists", title: "All lists", description: "The shopping lists, with how much is wanted on each.",
            command: ["lists"], isReadOnly: true),
        AssistantTool(
            name: "show", title: "Show a list",
            description: "What is on a list, in its order: texts, quantities, notes, aisles, shops.",
            command: ["show"], parameters: [list], isReadOnly: true),
        AssistantTool(
            name: "add", title: "Add items",
            description: """
                Adds items. Quantities in a text are understood: '2 l milk', 'eggs, 6'. What is on the list already is not \
                added again; what was marked off is wanted again.
                """,
            command: ["add"], operand: "items",
            parameters: [
                Parameter(name: "items", kind: .texts, isRequired: true, description: "One text for each item."),
                Parameter(
                    name: "aisle",
                    description: "Where all of them are found; without it the list's own knowledge counts."),
                Parameter(name: "note", description: "A note on each of them."),
                Parameter(name: "shop", description: "The only shop where they are bought; without it, any."), list,
            ]),
        AssistantTool(
            name: "mark_off", title: "Mark items off",
            description: "Marks items off, because they are in the cart or not wanted any more.",
            command: ["off"], operand: "items",
            parameters: [
                Parameter(name: "items", kind: .texts, isRequired: true, description: "The items, each by \(item)."),
                list,
            ]),
        AssistantTool(
            name: "edit", title: "Change an item",
            description: """
                Changes an item's text, quantity, note, aisle or shop. An empty text removes each of them but the first.
                """,
            command: ["edit"], operand: "item",
            parameters: [
                Parameter(name: "item", isRequired: true, description: "The item, by \(item)."),
                Parameter(name: "text", description: "The new text."),
                Parameter(name: "quantity", description: "The quantity: '2 l'."),
                Parameter(name: "note", description: "A note."),
                Parameter(name: "aisle", description: "Where it is found."),
                Parameter(name: "shop", description: "The only shop where it is bought."), list,
            ]),
        AssistantTool(
            name: "where", title: "Where something is",
            description: "On which list something is, or who marked it off or deleted it, and when.",
            command: ["where"],
            operand: "item",
            parameters: [
                Parameter(name: "item", isRequired: true, description: "The item's text; a part is enough."), list,
            ],
            isReadOnly: true),
        AssistantTool(
            name: "suggest", title: "What may be wanted",
            description: "What is bought often and is not on the list, with what is due again.",
            command: ["suggest"], operand: "prefix",
            parameters: [Parameter(name: "prefix", description: "Only what begins with this text."), list],
            isReadOnly: true),
        AssistantTool(
            name: "undo", title: "Undo",
            description: "Takes back the latest change that was made from here, with all its items. Can be repeated.",
            command: ["undo"], parameters: [list]),
    ]

    /// The command line for these arguments.
    /// - Throws: `AssistantFailure` with what is missing or unknown.
    func commandLine(_ arguments: [String: [String]]) throws(AssistantFailure) -> [String] {
        if let unknown = arguments.keys.sorted().first(where: { name in !parameters.contains { $0.name == name } }) {
            throw AssistantFailure(
                "\(name) has no argument '\(unknown)'; it has \(parameters.map(\.name).joined(separator: ", ")).")
        }
        var line = command, operands: [String] = []
        for parameter in parameters {
            guard let texts = arguments[parameter.name] else {
                if parameter.isRequired { throw AssistantFailure("\(name) needs '\(parameter.name)'.") }
                continue
            }
            if parameter.isRequired, texts.allSatisfy(\.isEmpty) {
                throw AssistantFailure("'\(parameter.name)' is empty.")
            }
            if parameter.kind == .text, texts.count != 1 { throw AssistantFailure("'\(parameter.name)' is one text.") }
            if parameter.name == operand {
                // '-' would read the protocol's own input.
                if texts.contains("-") { throw AssistantFailure("'-' is no item.") }
                operands = texts
            } else {
                // An empty text stands alone, and one that looks like an option doesn't.
                line +=
                    texts[0].hasPrefix("-")
                    ? ["--\(parameter.name)=\(texts[0])"] : ["--\(parameter.name)", texts[0]]
            }
        }
        return line + (operands.isEmpty ? [] : ["--"] + operands)
    }
}

/// Why a request of an assistant isn't carried out.
struct AssistantFailure: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}
