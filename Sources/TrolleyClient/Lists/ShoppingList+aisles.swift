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
        let made = device.clock()
        let batch = device.identifier(BatchID.self)
        return try await device.gesture { [self] transaction in
            let row = try transaction.list(id)
            if try transaction.isReadOnly(row) { throw DeviceError.readOnly }
            let drafts = try transaction.folded(row).fold.drafts(renaming: renamings)
            guard !drafts.isEmpty else { return nil }
            let entries = drafts.map { $0.entry(id: device.identifier(), batch: batch, deviceSequence: 1) }
            for entry in entries {
                if let excess = entry.fields.limitViolation { throw DeviceError.unusableText(excess) }
            }
            _ = try transaction.append(entries, to: row, made: made)
            return drafts.count { $0.operation == .edit }
        }
    }
}
