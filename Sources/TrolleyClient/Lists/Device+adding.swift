public import TrolleyJournal

extension Device {
    /// Adds the items of a text, one per line, as one gesture: `2x eggs`, `- [x] sugar`, `milk, 2 l` (see `ItemLine`).
    /// - Returns: the new items, in order.
    @discardableResult
    public func add(
        _ text: String, to list: ListID, at place: ListEdit.Place = .bottom
    ) async throws(DeviceError) -> [Item] {
        try await add(ItemLine.lines(of: text).map { NewItem($0) }, to: list, at: place)
    }

    /// Adds items, as one gesture.
    /// - Parameter place: the place of the first item; the others follow it.
    /// - Returns: the new items, in order.
    @discardableResult
    public func add(
        _ items: [NewItem], to list: ListID, at place: ListEdit.Place = .bottom
    ) async throws(DeviceError) -> [Item] {
        var place = place
        var edits: [ListEdit] = []
        var added: [Item] = []
        for new in items {
            let item = Item(id: identifier(), markedOff: new.isMarkedOff, fields: new.fields)
            edits.append(.add(item.id, item.fields, place))
            if item.markedOff { edits.append(.markOff(item.id)) }
            if place != .bottom { place = .after(item.id) }
            added.append(item)
        }
        if !edits.isEmpty { try await perform(edits, on: list) }
        return added
    }
}
