package import TrolleyJournal
import TrolleyWire

/// The change that a tool makes to a list.
package struct AssistantGesture: Sendable {
    /// The entries to append, as one gesture; none: the list is already as the tool wants it.
    package let drafts: [EntryDraft]
    /// The change that is taken back, by its first entry; nil: the gesture is a change itself, or there is nothing to take back.
    package let undone: EntryID?
    private let write: @Sendable ([JournalEntry], inout JSONWriter) -> Void

    /// - Parameter write: writes the answer's members. It gets the entries of the drafts.
    init(
        _ drafts: [EntryDraft], undoing undone: EntryID? = nil,
        _ write: @escaping @Sendable ([JournalEntry], inout JSONWriter) -> Void
    ) {
        self.drafts = drafts
        self.undone = undone
        self.write = write
    }

    /// The tool's answer.
    /// - Parameter entries: those of the drafts, as the service has taken them.
    package func document(_ entries: [JournalEntry]) -> String {
        .document { writer in
            write(entries, &writer)
            // 'undo' takes either as its argument.
            if let undone {
                writer.member("undone", undone)
            } else if let first = entries.first {
                writer.member("change", first.id)
            }
            // Nothing waits to be sent: the service itself has made the change.
            writer.member("waiting", 0)
        }
    }
}

extension AssistantList {
    /// Marks items off; those that are marked off already stay so.
    package func markingOff(_ arguments: AssistantArguments) throws(AssistantFailure) -> AssistantGesture {
        let names = arguments.texts("items")
        try Self.checkCount(names.count)
        var items: [Item] = []
        for name in names {
            let item = try item(name, for: .markOff)
            if !items.contains(where: { $0.id == item.id }) { items.append(item) }
        }
        let drafts = items.filter { !$0.markedOff }.map { EntryDraft(.markOff, item: $0.id) }
        let answer = ChangeAnswer(
            id,
            items.map { item in
                var item = item
                item.markedOff = true
                return item
            })
        return AssistantGesture(drafts) { _, writer in answer.writeMembers(to: &writer) }
    }

    /// Changes fields of an item; an empty text removes one.
    package func editing(_ arguments: AssistantArguments) throws(AssistantFailure) -> AssistantGesture {
        var fields = Fields()
        for key in [Fields.text, Fields.quantity, Fields.note, Fields.aisle, Fields.shop] {
            guard let value = arguments[key]?.trimmed else { continue }
            fields[key] = value.isEmpty ? .null : .string(value)
        }
        if fields.isEmpty { throw AssistantFailure("Give at least one of text, quantity, note, aisle and shop.") }
        if fields[Fields.text] == .null { throw AssistantFailure("An item needs a text.") }
        if let shop = fields[Fields.shop]?.string { try Self.checkShop(shop) }
        var item = try item(arguments["item"] ?? "")
        let draft = EntryDraft(.edit, item: item.id, fields: fields)
        for (key, value) in fields { item.fields[key] = value == .null ? nil : value }
        let answer = ChangeAnswer(id, [item])
        return AssistantGesture([draft]) { _, writer in answer.writeMembers(to: &writer) }
    }

    /// - Throws: `AssistantFailure` for a text that is no shop's name.
    static func checkShop(_ name: String) throws(AssistantFailure) {
        switch ShopNameFault(of: name) {
        case .empty: throw AssistantFailure("A shop needs a name.")
        case .severalLines: throw AssistantFailure("A shop's name is one line.")
        case nil: return
        }
    }
}
