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
        var groups: [ItemKey: Int] = [:]
        var known: [KnownItems] = []
        func group(of text: String) -> Int {
            let key = text.itemKey
            if let group = groups[key] { return group }
            groups[key] = known.count
            known.append(KnownItems())
            return known.count - 1
        }
        for item in self.items {
            let group = group(of: item.text)
            known[group].append(KnownItem(item))
        }
        var additions: [Addition] = []
        for new in items {
            let group = group(of: new.text)
            additions.append(known[group].add(new, at: additions.count))
            guard case .repeated? = additions.last, let (place, first) = known[group].repeated else { continue }
            additions[place] = .new(first)
        }
        return additions
    }
}

/// The items of one text that are on the list, or that earlier lines add.
private struct KnownItems {
    /// At most this many wanted items of one text are compared with a new one, the first in list order.
    private static let maxCompared = 100

    private var items: [KnownItem] = []
    /// The indices of the wanted ones, ascending.
    private var wanted: [Int] = []
    /// No item before it is marked off and on the list.
    private var nextMarkedOff = 0
    /// After `.repeated`: the index of the addition that the line repeats, and its item with the line's fields.
    private(set) var repeated: (place: Int, first: NewItem)?

    mutating func append(_ item: KnownItem) {
        if !item.markedOff { wanted.append(items.count) }
        items.append(item)
    }

    /// The effect of adding an item.
    /// - Parameter place: its index among the additions.
    mutating func add(_ new: NewItem, at place: Int) -> Addition {
        let same = wanted.prefix(Self.maxCompared).first { index in
            WorkCounter.step()
            return items[index].fields.agree(with: new.fields)
        }
        if let same {
            let missing = new.fields.missing(in: items[same].fields)
            items[same].fields.write(missing)
            if let item = items[same].item { return .present(item, filling: missing) }
            repeated = (items[same].place, NewItem(fields: items[same].fields, isMarkedOff: false))
            return .repeated
        }
        while nextMarkedOff < items.count, !items[nextMarkedOff].isMarkedOffOnList { nextMarkedOff += 1 }
        guard nextMarkedOff < items.count, let item = items[nextMarkedOff].item else {
            append(KnownItem(new, at: place))
            return .new(new)
        }
        if new.isMarkedOff { return .present(item, filling: Fields()) }
        let changes = new.fields.changes(to: items[nextMarkedOff].fields)
        items[nextMarkedOff].fields.write(changes)
        items[nextMarkedOff].markedOff = false
        wanted.insert(nextMarkedOff, at: wanted.partitioningIndex { $0 > nextMarkedOff })
        return .back(item, changing: changes)
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

    /// Whether adding the item brings it back.
    var isMarkedOffOnList: Bool { markedOff && item != nil }

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

extension [Addition] {
    /// The texts of the new items.
    package var newTexts: [String] {
        compactMap { if case .new(let item) = $0 { item.text } else { nil } }
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

    fileprivate mutating func write(_ changes: Fields) {
        for (key, value) in changes { self[key] = value }
    }
}
