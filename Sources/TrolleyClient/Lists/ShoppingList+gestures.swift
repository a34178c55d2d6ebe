public import TrolleyJournal
import TrolleySync

// The commonest gestures, each of one change. `perform(_:)` makes several changes as one gesture.

extension ShoppingList {
    /// Marks an item off.
    public func markOff(_ item: ItemID) async throws(DeviceError) { try await perform([.markOff(item)]) }

    /// Says that an item is wanted again.
    public func unmark(_ item: ItemID) async throws(DeviceError) { try await perform([.unmark(item)]) }

    /// Changes fields of an item.
    /// - Parameters:
    ///   - item: the item.
    ///   - fields: those with the value `.null` are cleared; fields that are not given stay.
    public func edit(_ item: ItemID, _ fields: Fields) async throws(DeviceError) {
        try await perform([.edit(item, fields)])
    }

    public func move(_ item: ItemID, to place: ListEdit.Place) async throws(DeviceError) {
        try await perform([.move(item, place)])
    }

    public func delete(_ item: ItemID) async throws(DeviceError) { try await perform([.delete(item)]) }

    /// Renames the list, for everybody.
    public func rename(_ name: String) async throws(DeviceError) { try await perform([.rename(name)]) }

    /// Writes a message on the list, or on one of its items.
    public func write(_ text: String, about item: ItemID? = nil) async throws(DeviceError) {
        try await perform([.message(text, about: item)])
    }
}
