public import TrolleyJournal
import TrolleySync

// The commonest gestures, each of one change. `perform(_:)` makes several changes as one gesture.

extension ShoppingList {
    /// Marks an item off.
    ///
    /// ```swift
    /// try await list.markOff(milk.id)
    /// ```
    public func markOff(_ item: ItemID) async throws(DeviceError) { try await perform([.markOff(item)]) }

    /// Says that an item is wanted again.
    ///
    /// ```swift
    /// try await list.unmark(milk.id)
    /// ```
    public func unmark(_ item: ItemID) async throws(DeviceError) { try await perform([.unmark(item)]) }

    /// Changes fields of an item.
    ///
    /// ```swift
    /// try await list.edit(milk.id, [Fields.quantity: .string("3 l"), Fields.note: .null])
    /// ```
    /// - Parameters:
    ///   - item: the item.
    ///   - fields: those with the value `.null` are cleared; fields that are not given stay.
    public func edit(_ item: ItemID, _ fields: Fields) async throws(DeviceError) {
        try await perform([.edit(item, fields)])
    }

    /// Moves an item to another place of the list.
    ///
    /// ```swift
    /// try await list.move(milk.id, to: .top)
    /// ```
    public func move(_ item: ItemID, to place: ListEdit.Place) async throws(DeviceError) {
        try await perform([.move(item, place)])
    }

    /// Deletes an item. ``undo(anyway:)`` brings it back, with all that it had.
    ///
    /// ```swift
    /// try await list.delete(milk.id)
    /// ```
    public func delete(_ item: ItemID) async throws(DeviceError) { try await perform([.delete(item)]) }

    /// Renames the list, for everybody.
    ///
    /// ```swift
    /// try await list.rename("Weekly shop")
    /// ```
    public func rename(_ name: String) async throws(DeviceError) { try await perform([.rename(name)]) }

    /// Writes a message on the list, or on one of its items.
    ///
    /// ```swift
    /// try await list.write("Semi-skimmed, please", about: milk.id)
    /// ```
    public func write(_ text: String, about item: ItemID? = nil) async throws(DeviceError) {
        try await perform([.message(text, about: item)])
    }
}
