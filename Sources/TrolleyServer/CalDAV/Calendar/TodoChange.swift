import TrolleyJournal

/// What a written task changes of an item: only where it differs from the copy that the client had. So a client with an old
/// copy takes nothing back that others changed meanwhile.
struct TodoChange: Hashable, Sendable {
    /// The fields to write; `.null` clears one.
    var fields: Fields = [:]
    /// Whether the item is to be marked off or unmarked; nil: neither.
    var markedOff: Bool?

    var isEmpty: Bool { fields.isEmpty && markedOff == nil }

    /// A new item.
    /// - Parameters:
    ///   - name: the last part of the client's address for it.
    ///   - id: the item's id.
    init(adding todo: Todo, named name: String, as id: ItemID) {
        var line = ItemLine(todo.summary)
        if let quantity = todo.quantity, line?.quantity != quantity {
            line = ItemLine(todo.summary, quantities: false)
            line?.quantity = quantity
        }
        // A task without a summary is an item that nobody can read.
        fields = line?.fields ?? [Fields.text: .string("?")]
        set(Fields.note, to: todo.note, from: nil)
        set(Fields.aisle, to: todo.aisle, from: nil)
        set(Todo.othersKey, to: todo.others, from: nil)
        set(Todo.timeZonesKey, to: todo.timeZones, from: nil)
        if todo.uid != id.description { fields[Todo.uidKey] = .string(todo.uid) }
        if name != "\(id).ics" { fields[Todo.nameKey] = .string(name) }
        if let order = todo.order { fields[Todo.orderKey] = .string("\(order)") }
        if todo.isMarkedOff { markedOff = true }
    }

    /// A change of an item.
    /// - Parameters:
    ///   - base: the item as the client had it.
    ///   - present: the item as it is; nil: it was deleted since.
    init(writing todo: Todo, over base: Item, present: Item?) {
        let old = Todo(base, order: nil)
        if todo.summary != old.summary {
            let line = ItemLine(todo.summary)
            if let line, !(line.text == base.text) { fields[Fields.text] = .string(line.text) }
            if line != nil { set(Fields.quantity, to: quantity(in: line, of: todo, old), from: old.quantity) }
        } else if todo.quantity != nil {
            set(Fields.quantity, to: todo.quantity, from: old.quantity)
        }
        set(Fields.note, to: todo.note, from: old.note)
        set(Fields.aisle, to: todo.aisle, from: old.aisle)
        set(Todo.othersKey, to: todo.others, from: old.others)
        set(Todo.timeZonesKey, to: todo.timeZones, from: old.timeZones)
        if todo.isMarkedOff != base.markedOff, todo.isMarkedOff != present?.markedOff { markedOff = todo.isMarkedOff }
        // What the item has already needs no entry.
        if let present {
            for (key, value) in fields where present.fields[key] ?? .null == value { fields[key] = nil }
        }
    }

    /// The quantity of a new summary: what it says itself. Without that, what the property says, if it was changed or the old
    /// summary didn't show it; otherwise the person has removed it.
    private func quantity(in line: ItemLine?, of todo: Todo, _ old: Todo) -> String? {
        if let quantity = line?.quantity { return quantity }
        if todo.quantity != old.quantity, todo.quantity != nil { return todo.quantity }
        let wasShown = old.quantity.map { old.summary.hasPrefix("\($0) ") } ?? false
        return wasShown ? nil : old.quantity
    }

    private mutating func set(_ key: String, to new: String?, from old: String?) {
        guard new != old else { return }
        fields[key] = new.map(FieldValue.string) ?? .null
    }
}
