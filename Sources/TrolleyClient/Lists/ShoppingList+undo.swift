import GRDB
public import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Undo and redo. Both append new entries, and can go back over all of the device's gestures.

extension ShoppingList {
    /// The result, or the preview, of an undo or redo.
    public struct Reverted: Hashable, Sendable {
        /// The gesture that was undone or redone.
        public var gesture: [JournalEntry]
        /// The entries that undo or redo it. Empty if other people have since changed everything in the gesture; the
        /// step is then complete.
        public var entries: [JournalEntry]
        /// The parts that were left alone because somebody else has changed them since.
        public var skipped: [Skipped]
    }

    /// A part of a gesture that was left alone.
    public struct Skipped: Hashable, Sendable {
        public var subject: UndoStep.Subject
        /// The item's text, in the gesture or now; nil for a part of the list itself.
        public var item: String?
        /// The name of the person who changed it since, if the device knows it.
        public var author: String?
    }

    /// Undoes the person's last gesture on a list, except parts that somebody else has changed since. Sync first, so
    /// that the device knows of such changes.
    ///
    /// ```swift
    /// try await list.delete(milk.id)
    /// try await list.undo()
    /// ```
    /// - Parameters:
    ///   - anyway: whether to undo also what was marked off on a trip that is over.
    /// - Returns: the new entries; empty when there is nothing to undo, or when other people have changed everything in
    ///   the gesture since.
    /// - Throws: `.tripIsOver`, unless `anyway`; `.readOnly`; `.store`.
    @discardableResult
    public func undo(anyway: Bool = false) async throws(DeviceError) -> [JournalEntry] {
        try await revert(.undo, anyway: anyway)?.entries ?? []
    }

    /// Redoes the gesture that was undone last.
    ///
    /// ```swift
    /// try await list.undo()
    /// try await list.redo()
    /// ```
    /// - Returns: the new entries; empty when there is nothing to redo, or when other people have changed everything in
    ///   the gesture since.
    @discardableResult
    public func redo() async throws(DeviceError) -> [JournalEntry] {
        try await revert(.redo)?.entries ?? []
    }

    /// Does the same as ``undo(anyway:)`` or ``redo()``, and reports the parts that were left alone.
    ///
    /// ```swift
    /// if let reverted = try await list.revert(.undo) { print(reverted.entries.count, reverted.skipped.count) }
    /// ```
    /// - Parameters:
    ///   - cause: `.undo` or `.redo`.
    ///   - anyway: whether to undo also what was marked off on a trip that is over.
    /// - Returns: nil when there is nothing to undo or redo.
    /// - Throws: `.tripIsOver`, unless `anyway`; `.readOnly`; `.store`.
    public func revert(_ cause: Cause, anyway: Bool = false) async throws(DeviceError) -> Reverted? {
        let made = device.clock()
        let batch = device.identifier(BatchID.self)
        return try await device.gesture { [self] transaction -> Reverted? in
            let list = try transaction.list(id)
            if try transaction.isReadOnly(list) { throw DeviceError.readOnly }
            guard
                let (step, entries) = try transaction.revert(
                    cause, in: list, anyway: anyway, made: made, identifier: { device.identifier() }, batch: batch)
            else { return nil }
            return Reverted(
                gesture: step.gesture, entries: entries, skipped: try transaction.described(step.skipped, in: list))
        }
    }

    /// A preview of ``undo(anyway:)``; nil when there is nothing to undo.
    ///
    /// ```swift
    /// let isUndoPossible = try await list.canUndo() != nil
    /// print(isUndoPossible)
    /// ```
    public func canUndo() async throws(DeviceError) -> Reverted? { try await preview(.undo) }

    /// A preview of ``redo()``; nil when there is nothing to redo.
    ///
    /// ```swift
    /// let isRedoPossible = try await list.canRedo() != nil
    /// print(isRedoPossible)
    /// ```
    public func canRedo() async throws(DeviceError) -> Reverted? { try await preview(.redo) }

    private func preview(_ cause: Cause) async throws(DeviceError) -> Reverted? {
        if try await isReadOnly() { return nil }
        let batch = device.identifier(BatchID.self)
        return try await read { [self] transaction, list -> Reverted? in
            guard let step = try transaction.nextStep(cause, in: list, over: try transaction.folded(list)) else {
                return nil
            }
            return Reverted(
                gesture: step.gesture,
                entries: step.drafts.map { $0.entry(id: device.identifier(), batch: batch, deviceSequence: 1) },
                skipped: try transaction.described(step.skipped, in: list))
        }
    }
}

extension StoreTransaction {
    /// The skipped parts with texts and names for a person.
    fileprivate func described(_ skipped: [UndoStep.Skipped], in list: ListRow) throws -> [ShoppingList.Skipped] {
        guard !skipped.isEmpty else { return [] }
        let state = try state(of: list)
        let people = try share(of: list)?.participants ?? []
        var told: [ShoppingList.Skipped] = []
        for skipped in skipped {
            let author = try skipped.by.flatMap { try self.author(of: $0, in: list) }
            let person = people.first { $0.account == author }
            let text = state.items.first { $0.id == skipped.entry.item }?.text
            told.append(
                ShoppingList.Skipped(
                    subject: skipped.subject,
                    item: skipped.entry.item == nil
                        ? nil : text ?? skipped.entry.fields[Fields.text]?.string ?? "an item",
                    author: author == nil ? nil : person?.name ?? person?.email))
        }
        return told
    }

    private func author(of id: EntryID, in list: ListRow) throws -> AccountID? {
        guard
            let content = try Data.fetchOne(
                db, sql: "SELECT content FROM entry WHERE list = ? AND id = ?", arguments: [list.key, id.data])
        else { return nil }
        return try openConfirmed(content, id: id, in: list.id).author
    }
}
