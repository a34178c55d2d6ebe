/// What becomes of an item that a person adds to a list: what is on it already is not doubled.
public enum Addition: Hashable, Sendable {
    /// It is new on the list.
    case new(NewItem)
    /// The item is on the list and wanted. These fields, which it lacked, are filled in; none: nothing changes.
    case present(Item, filling: Fields)
    /// The item is marked off, and comes back with these fields changed.
    case back(Item, changing: Fields)
    /// It was named before in the same text, as something new.
    case repeated
}

extension ListState {
    /// What adding items comes to, in order. An item is the same as another when the texts are, but for case and white space.
    /// A wanted one counts where nothing that is said about both differs: `milk, 1 l` is not the `milk, 2 l` that is there. A
    /// marked-off one comes back whatever it said.
    public func additions(of items: [NewItem]) -> [Addition] {
        var known: [String: [KnownItem]] = [:]
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

/// An item that is on the list, or will be by what was said so far.
private struct KnownItem {
    var fields: Fields
    var markedOff: Bool
    /// nil: it is new.
    var item: Item?
    /// Of a new one: its place among the additions.
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

extension String {
    /// What texts have in common that mean the same item: lower case, and single spaces.
    var itemKey: String {
        var key = ""
        for word in lowercased().split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\u{A0}" }) {
            if !key.isEmpty { key += " " }
            key += word
        }
        return key
    }
}

extension Fields {
    /// Whether no field but the text is set to different values in both.
    fileprivate func agree(with other: Fields) -> Bool {
        other.allSatisfy { key, value in key == Fields.text || self[key] == nil || self[key] == value }
    }

    /// These fields, as far as another one lacks them.
    fileprivate func missing(in other: Fields) -> Fields {
        var missing = Fields()
        for (key, value) in self where other[key] == nil { missing[key] = value }
        return missing
    }

    /// These fields, as far as another one has other values. The text stays as it is there.
    fileprivate func changes(to other: Fields) -> Fields {
        var changes = Fields()
        for (key, value) in self where key != Fields.text && other[key] != value { changes[key] = value }
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
