import TrolleyAssistant

extension AssistantTool {
    /// The beginning of the command line, and the parameter whose texts follow the options; all others are options of the same
    /// name.
    private var command: (words: [String], operand: String?) {
        switch name {
        case .lists: (["lists"], nil)
        case .show: (["show"], nil)
        case .add: (["add"], "items")
        case .markOff: (["off"], "items")
        case .edit: (["edit"], "item")
        case .whereabouts: (["where"], "item")
        case .suggest: (["suggest"], "prefix")
        case .undo: (["undo"], nil)
        }
    }

    /// The command line for these arguments. Nothing in it that a model wrote is read as an option.
    /// - Throws: `AssistantFailure`.
    func commandLine(_ arguments: AssistantArguments) throws(AssistantFailure) -> [String] {
        var line = command.words, operands: [String] = []
        for parameter in parameters {
            let texts = arguments.texts(parameter.name)
            if parameter.name == command.operand {
                // '-' would read the protocol's own input.
                if texts.contains("-") { throw AssistantFailure("'-' is no item.") }
                operands = texts
            } else if let text = texts.first {
                // An empty text stands alone, and one that looks like an option doesn't.
                line += text.hasPrefix("-") ? ["--\(parameter.name)=\(text)"] : ["--\(parameter.name)", text]
            }
        }
        return line + (operands.isEmpty ? [] : ["--"] + operands)
    }
}
