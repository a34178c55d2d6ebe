public import TrolleyJournal
import TrolleySync

extension ShoppingList {
    /// Renames and merges aisles for all items of the list and for everybody on it, as one gesture. Items that were deleted come
    /// back in the renamed aisle, and the catalogue's new items go there.
    ///
    /// ```swift
    /// try await list.renameAisles([AisleRenaming("Fridge", to: "Dairy"), AisleRenaming("Cooler", to: "Dairy")])
    /// ```
    /// - Parameter renamings: all are done at the same time. Those of aisles that the list hasn't got do nothing.
    /// - Returns: the number of items that changed; nil if nothing did.
    @discardableResult
    public func renameAisles(_ renamings: [AisleRenaming]) async throws(DeviceError) -> Int? {
        let drafts = try await append { $0.drafts(renaming: renamings) }
        return drafts.isEmpty ? nil : drafts.count { $0.operation == .edit }
    }
}
