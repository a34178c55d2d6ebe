/// The effect of adding an item: an item that is already wanted is not added again.
public enum Addition: Hashable, Sendable {
    /// It is new on the list.
    case new(NewItem)
    /// The item is on the list and wanted. These missing fields are filled in; without any, nothing changes.
    case present(Item, filling: Fields)
    /// The item is marked off, and comes back with these fields changed.
    case back(Item, changing: Fields)
    /// An earlier line of the same text adds it.
    case repeated
}

extension ListState {
    /// The effect of adding each item, in order. Items match if their texts are equal except for case and white space.
    /// A wanted item matches if no field that both set differs: `milk, 1 l` doesn't match `milk, 2 l`. A marked-off item
    /// always matches, and comes back.
    public func additions(of items: [NewItem]) -> [Addition] {
        var known: [ItemKey: [KnownItem]] = [:]
        for item in self.items { known[item.text.itemKey, default: []].append(KnownItem(item)) }
        var additions: [Addition] = []
        for new in items {
            let key = new.text.itemKey
            let same = known[key] ?? []
            if let index = same.firstIndex(where: { !$0.markedOff && $0.fields.agree(with: new.fields) }) {
                let missing = new.fields.missing(in: same[index].fields)
                known[key]?[index].fields.write(missing)
                if let item = same[index].item {
                    additions.append(.present(item, filling: missing))
                } else {
                    let first = NewItem(fields: same[index].fields.writing(missing), isMarkedOff: false)
                    additions[same[index].place] = .new(first)
                    additions.append(.repeated)
                }
            } else if let index = same.firstIndex(where: { $0.markedOff && $0.item != nil }),
                let item = same[index].item
            {
                if new.isMarkedOff {
                    additions.append(.present(item, filling: Fields()))
                    continue
                }
                let changes = new.fields.changes(to: same[index].fields)
                known[key]?[index].fields.write(changes)
                known[key]?[index].markedOff = false
                additions.append(.back(item, changing: changes))
            } else {
                known[key, default: []].append(KnownItem(new, at: additions.count))
                additions.append(.new(new))
            }
        }
        return additions
    }
}

/// An item that is on the list, or that an earlier line adds.
private struct KnownItem {
    var fields: Fields
    var markedOff: Bool
    /// nil: it is new.
    var item: Item?
    /// For a new item: its index among the additions.
    var place = 0

    init(_ item: Item) {
        fields = item.fields
        markedOff = item.markedOff
        self.item = item
    }

    init(_ new: NewItem, at place: Int) {
        fields = new.fields
        markedOff = new.isMarkedOff
        self.place = place
    }
}

extension Fields {
    /// Whether no field but the text is set to different values in both.
    fileprivate func agree(with other: Fields) -> Bool {
        other.allSatisfy { key, value in
            key.hasSameBytes(as: Fields.text) || self[key] == nil || self[key] == value
        }
    }

    /// The fields that `other` lacks.
    fileprivate func missing(in other: Fields) -> Fields {
        var missing = Fields()
        for (key, value) in self where other[key] == nil { missing[key] = value }
        return missing
    }

    /// The fields with a value that differs from `other`'s. Leaves out the text, which stays.
    fileprivate func changes(to other: Fields) -> Fields {
        var changes = Fields()
        for (key, value) in self where other[key] != value { changes[key] = value }
        changes[Fields.text] = nil
        return changes
    }

    fileprivate func writing(_ changes: Fields) -> Fields {
        var fields = self
        fields.write(changes)
        return fields
    }

    fileprivate mutating func write(_ changes: Fields) {
        for (key, value) in changes { self[key] = value }
    }
}
