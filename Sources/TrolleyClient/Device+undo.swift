public import TrolleyJournal
import TrolleySync

// Taking back, after seed 003: undo appends forward entries, and goes as deep as there are gestures.

extension Device {
    /// Takes back the person's last gesture on a list, as far as nobody else has decided the same things since.
    /// - Returns: the entries that do it; none when there is nothing to undo.
    @discardableResult
    public func undo(on list: ListID) async throws(DeviceError) -> [JournalEntry] { try await revert(.undo, on: list) }

    /// Does again what was undone last.
    /// - Returns: the entries that do it; none when there is nothing to redo.
    @discardableResult
    public func redo(on list: ListID) async throws(DeviceError) -> [JournalEntry] { try await revert(.redo, on: list) }

    private func revert(_ cause: Cause, on list: ListID) async throws(DeviceError) -> [JournalEntry] {
        if try await isReadOnly(list) { throw .readOnly }
        let made = clock()
        let batch = identifier(BatchID.self)
        return try await stored { () async throws(QueueStoreError) in
            try await store.write { [self] transaction in
                try transaction.revert(
                    cause, in: try transaction.list(list), made: made, identifier: { identifier() }, batch: batch)
            }
        }
    }
}
