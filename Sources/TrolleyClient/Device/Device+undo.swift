import GRDB
public import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Taking back, after seed 003: undo appends forward entries, and goes as deep as there are gestures.

extension Device {
    /// What undoing or redoing has done, or would do.
    public struct Reverted: Hashable, Sendable {
        /// The gesture that was taken back, or done again.
        public var gesture: [JournalEntry]
        /// The entries that did it, or would. Empty when others have decided all of it since: that step counts as done.
        public var entries: [JournalEntry]
        /// What stays as others have decided it since.
        public var skipped: [Skipped]
    }

    /// A part of a gesture that was left alone.
    public struct Skipped: Hashable, Sendable {
        public var subject: UndoStep.Subject
        /// What the item was called in the gesture, or is now; nil for a part of the list itself.
        public var item: String?
        /// What the person is called who decided it since, as far as the device knows.
        public var author: String?
    }

    /// Takes back the person's last gesture on a list, as far as nobody else has decided the same things since. Sync before, so
    /// that the device knows.
    /// - Returns: the entries that do it; none when there is nothing to undo, or when others have changed everything in that step
    ///   since.
    @discardableResult
    public func undo(on list: ListID) async throws(DeviceError) -> [JournalEntry] {
        try await revert(.undo, on: list)?.entries ?? []
    }

    /// Does again what was undone last.
    /// - Returns: the entries that do it; none when there is nothing to redo, or when others have changed everything in that step
    ///   since.
    @discardableResult
    public func redo(on list: ListID) async throws(DeviceError) -> [JournalEntry] {
        try await revert(.redo, on: list)?.entries ?? []
    }

    /// Does what ``undo(on:)`` or ``redo(on:)`` does, and says what stays as it was.
    /// - Parameter cause: `.undo` or `.redo`.
    /// - Returns: nil when there is nothing to undo or redo.
    public func revert(_ cause: Cause, on list: ListID) async throws(DeviceError) -> Reverted? {
        if try await isReadOnly(list) { throw .readOnly }
        let made = clock()
        let batch = identifier(BatchID.self)
        return try await stored { () async throws(QueueStoreError) in
            try await store.write { [self] transaction -> Reverted? in
                let list = try transaction.list(list)
                guard
                    let (step, entries) = try transaction.revert(
                        cause, in: list, made: made, identifier: { identifier() }, batch: batch)
                else { return nil }
                return Reverted(
                    gesture: step.gesture, entries: entries, skipped: try transaction.told(step.skipped, in: list))
            }
        }
    }

    /// What ``undo(on:)`` would do; nil when there is nothing to undo.
    public func canUndo(on list: ListID) async throws(DeviceError) -> Reverted? { try await preview(.undo, on: list) }

    /// What ``redo(on:)`` would do; nil when there is nothing to redo.
    public func canRedo(on list: ListID) async throws(DeviceError) -> Reverted? { try await preview(.redo, on: list) }

    private func preview(_ cause: Cause, on list: ListID) async throws(DeviceError) -> Reverted? {
        if try await isReadOnly(list) { return nil }
        let batch = identifier(BatchID.self)
        return try await stored { () async throws(QueueStoreError) in
            try await store.read { [self] transaction -> Reverted? in
                let list = try transaction.list(list)
                guard let step = try transaction.nextStep(cause, in: list, over: try transaction.folded(list)) else {
                    return nil
                }
                return Reverted(
                    gesture: step.gesture,
                    entries: step.drafts.map { $0.entry(id: identifier(), batch: batch, deviceSequence: 1) },
                    skipped: try transaction.told(step.skipped, in: list))
            }
        }
    }
}

extension StoreTransaction {
    /// What was skipped, with the names that a person knows.
    fileprivate func told(_ skipped: [UndoStep.Skipped], in list: ListRow) throws -> [Device.Skipped] {
        guard !skipped.isEmpty else { return [] }
        let state = try state(of: list)
        let people = try share(of: list)?.participants ?? []
        var told: [Device.Skipped] = []
        for skipped in skipped {
            let author = try skipped.by.flatMap { try self.author(of: $0, in: list) }
            let person = people.first { $0.account == author }
            let text = state.items.first { $0.id == skipped.entry.item }?.text
            told.append(
                Device.Skipped(
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
