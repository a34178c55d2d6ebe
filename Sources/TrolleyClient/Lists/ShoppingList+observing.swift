public import TrolleyJournal
import TrolleySync

// What a user interface follows.

extension ShoppingList {
    /// The list's state as it is shown.
    public var states: Observed<ListState> { observed(ObservedTables.list) { try $0.state(of: $1) } }

    /// The rows in the order in which a person sees and numbers them, and the steps from the previous rows.
    public var rows: ListRows {
        ListRows(
            lists: observed(ObservedTables.list) {
                ShownList(state: try $0.state(of: $1), rows: try $0.rows(of: $1))
            })
    }

    /// The last messages, oldest first, with this device's own that wait to be sent.
    ///
    /// ```swift
    /// for try await messages in list.messageUpdates(limit: 20) { print(messages.count) }
    /// ```
    /// - Parameter limit: the largest number of messages.
    public func messageUpdates(limit: Int = 50) -> Observed<[Message]> {
        observed(ObservedTables.list) { transaction, list in
            let account = try transaction.signedIn()
            return try transaction.conversation(of: list).messages(limit: limit, for: account)
        }
    }

    /// The people on the list, as the device last knew them; see ``people()`` for what the service knows.
    public var peopleUpdates: Observed<[Participant]> {
        observed(ObservedTables.share) { try $0.knownShare(of: $1)?.participants ?? [] }
    }

    private func observed<Value: Sendable>(
        _ tables: [String], _ body: @escaping @Sendable (borrowing StoreTransaction, ListRow) throws -> Value
    ) -> Observed<Value> {
        device.store.observed(tables) { [id] transaction in try body(transaction, try transaction.list(id)) }
    }
}

extension Device {
    /// All lists of the signed-in account with what is wanted and unread on each, in the order of ``lists()``.
    public var listUpdates: Observed<[ListSummary]> {
        store.observed(ObservedTables.list) { try $0.summaries() }
    }
}
