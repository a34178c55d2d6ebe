import TrolleyJournal

/// Finds a list's shown items by their addresses, their UIDs and their places. Updating it for an item takes no walk through
/// the list.
struct CalendarIndex: Sendable {
    private struct Shown {
        var number: Int64
        /// As its client chose it; nil: made of the item's id.
        var name: String?
        var uid: String?
    }

    private struct Place {
        var number: Int64
        var item: ItemID
    }

    private var shown: [ItemID: Shown] = [:]
    private var names: [String: [ItemID]] = [:]
    private var uids: [String: [ItemID]] = [:]
    /// In list order, so the numbers ascend. Neighbours may have the same number.
    private var places: [Place] = []
    /// About how many bytes it takes.
    private(set) var memory = 0

    private static let bytesOfItem = 192
    private static let bytesOfText = 160

    init(_ reading: CalendarReading) {
        for item in reading.items {
            places.append(Place(number: item.order, item: item.item.id))
            note(item)
        }
    }

    // MARK: Finding

    /// The first item with this address.
    func item(named name: String) -> ItemID? {
        var found = names[name] ?? []
        if name.hasSuffix(".ics"), let id = ItemID(String(name.dropLast(4))), "\(id).ics" == name,
            let item = shown[id], item.name == nil
        {
            found.append(id)
        }
        return first(of: found)
    }

    /// The first item with this UID or this id.
    func item(withUID uid: String, or id: ItemID) -> ItemID? {
        var found = uids[uid] ?? []
        if shown[id] != nil { found.append(id) }
        if let own = ItemID(uid), own.description == uid, let item = shown[own], item.uid == nil { found.append(own) }
        return first(of: found)
    }

    /// The shown item directly above a shown one; nil at the top.
    func item(above item: ItemID) -> ItemID? {
        guard let index = index(of: item), index > 0 else { return nil }
        return places[index - 1].item
    }

    /// The item after which an item with this number stands; nil: at the top.
    /// - Parameters:
    ///   - order: nil: at the bottom.
    ///   - item: an item that counts as absent.
    func place(of order: Int64?, without item: ItemID? = nil) -> ItemID? {
        var index = order.map { order in firstIndex { $0.number > order } } ?? places.count
        if index > 0, places[index - 1].item == item { index -= 1 }
        return index == 0 ? nil : places[index - 1].item
    }

    private func first(of items: [ItemID]) -> ItemID? {
        if items.count <= 1 { return items.first }
        return items.min { (index(of: $0) ?? .max) < (index(of: $1) ?? .max) }
    }

    private func index(of item: ItemID) -> Int? {
        guard let number = shown[item]?.number else { return nil }
        var index = firstIndex { $0.number >= number }
        while index < places.count, places[index].number == number {
            if places[index].item == item { return index }
            index += 1
        }
        return nil
    }

    /// The index of the first place with a property that all later places have, too.
    private func firstIndex(where isBehind: (Place) -> Bool) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(places[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    // MARK: Updating

    /// Takes an item's present state, after an entry about it.
    mutating func update(_ id: ItemID, in reading: CalendarReading) {
        if let old = shown[id] {
            if let index = index(of: id) { places.remove(at: index) }
            forget(id, old)
        }
        guard let item = reading.item(id) else { return }
        insert(item, reading.order)
        note(item)
    }

    private mutating func insert(_ item: CalendarItem, _ order: SortOrder) {
        let number = item.order
        var index = firstIndex { $0.number >= number }
        // Among items with the same number, it stands behind the next shown one above.
        if index < places.count, places[index].number == number {
            var above = order.previous(to: item.item.id)
            while let next = above, order.number(of: next) == number {
                if let found = self.index(of: next) {
                    index = found + 1
                    break
                }
                above = order.previous(to: next)
            }
        }
        places.insert(Place(number: number, item: item.item.id), at: index)
    }

    private mutating func note(_ item: CalendarItem) {
        let id = item.item.id
        let new = Shown(
            number: item.order, name: item.item.fields[CalendarField.name]?.string,
            uid: item.item.fields[CalendarField.uid]?.string)
        shown[id] = new
        if let name = new.name { names[name, default: []].append(id) }
        if let uid = new.uid { uids[uid, default: []].append(id) }
        memory += Self.memory(of: new)
    }

    private mutating func forget(_ id: ItemID, _ old: Shown) {
        shown[id] = nil
        if let name = old.name { Self.remove(id, from: &names[name]) }
        if let uid = old.uid { Self.remove(id, from: &uids[uid]) }
        memory -= Self.memory(of: old)
    }

    private static func remove(_ id: ItemID, from items: inout [ItemID]?) {
        items?.removeAll { $0 == id }
        if items?.isEmpty == true { items = nil }
    }

    private static func memory(of item: Shown) -> Int {
        [item.name, item.uid].reduce(bytesOfItem) { $0 + ($1.map { bytesOfText + $0.utf8.count } ?? 0) }
    }
}
