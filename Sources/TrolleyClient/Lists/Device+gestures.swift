import GRDB
import Synchronization
import TrolleyJournal
import TrolleySync

// A gesture is one transaction: what it reads, decides and writes can't come apart, and a crash leaves the whole gesture or nothing.

extension Device {
    /// Runs a gesture in one transaction.
    ///
    /// When it returns, the gesture is on disk; nothing after that can fail. When `body` throws, nothing has changed.
    func gesture<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws(DeviceError) -> Value {
        let refusal = Mutex<DeviceError?>(nil)
        let value: Value
        do {
            value = try await store.write { transaction in
                do {
                    return try body(transaction)
                } catch let error as DeviceError {
                    refusal.withLock { $0 = error }
                    throw error
                }
            }
        } catch {
            throw refusal.withLock { $0 } ?? .store(error)
        }
        await noteQueued()
        return value
    }

    /// Makes edits as one batch, in a gesture's transaction.
    /// - Throws: `DeviceError`: `.readOnly`, `.unusableText`; the store's errors.
    func append(
        _ edits: [ListEdit], to list: ListID, in transaction: borrowing StoreTransaction, made: DeviceTime
    ) throws -> [JournalEntry] {
        guard !edits.isEmpty else { return [] }
        let row = try transaction.list(list)
        if try transaction.isReadOnly(row) { throw DeviceError.readOnly }
        var bottom = edits.contains(where: \.needsBottom) ? try transaction.state(of: row).items.last?.id : nil
        let batch = identifier(BatchID.self)
        let shop = try transaction.shop(of: row)
        var entries: [JournalEntry] = []
        entries.reserveCapacity(edits.count)
        for edit in edits {
            var entry = edit.entry(id: identifier(), batch: batch, bottom: bottom)
            if let shop, entry.operation == .markOff { entry.fields[Fields.shop] = .string(shop) }
            if let excess = entry.fields.limitViolation ?? edit.emptyTextError {
                throw DeviceError.unusableText(excess)
            }
            if case .add(let item, _, let place) = edit, place.isBottom(below: bottom) { bottom = item }
            entries.append(entry)
        }
        return try transaction.append(entries, to: row, made: made)
    }

    /// Creates a list in a gesture's transaction.
    func insertList(
        named name: String, colour: String?, isLocal: Bool, in transaction: borrowing StoreTransaction, made: DeviceTime
    ) throws -> ListID {
        let list = identifier(ListID.self)
        let row = try transaction.insertList(list, published: false)
        if isLocal {
            try transaction.db.execute(sql: "UPDATE list SET local = 1 WHERE key = ?", arguments: [row.key])
        }
        _ = try append([.rename(name)] + (colour.map { [.recolour($0)] } ?? []), to: list, in: transaction, made: made)
        return list
    }
}

extension StoreTransaction {
    /// Whether the signed-in person may only read the list, by the last known state of its share.
    func isReadOnly(_ list: ListRow) throws -> Bool {
        guard let account = try signedIn() else { return false }
        return try share(of: list)?.isReadOnly(for: account) == true
    }
}

extension ListEdit.Place {
    /// Whether this place is the bottom of the list.
    fileprivate func isBottom(below last: ItemID?) -> Bool {
        switch self {
        case .bottom: true
        case .top: last == nil
        case .after(let item): last == item
        }
    }
}

extension ListEdit {
    /// Why the item would not be visible to a person; nil when it would.
    fileprivate var emptyTextError: String? {
        switch self {
        case .add(_, let fields, _), .edit(_, let fields):
            fields[Fields.text]?.string?.allSatisfy(\.isWhitespace) == true ? "an item can't be without a text" : nil
        case .message(let text, _): text.allSatisfy(\.isWhitespace) ? "a message can't be without a text" : nil
        case .react(_, let text), .unreact(_, let text):
            (1...JournalEntry.maxReactionBytes).contains(text.utf8.count)
                ? nil : "a reaction has 1 to \(JournalEntry.maxReactionBytes) bytes"
        default: nil
        }
    }

    fileprivate var needsBottom: Bool {
        switch self {
        case .add(_, _, .bottom), .move(_, .bottom): true
        default: false
        }
    }
}
