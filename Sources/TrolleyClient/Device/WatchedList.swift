package import TrolleyJournal
import TrolleySync

/// What a screen shows of a list and of its device, of one moment.
package struct WatchedList: Sendable {
    package var state: ListState
    /// The rows in the order of their numbers.
    package var rows: [ShownRow]
    /// The queues of all lists.
    package var queues: DeviceQueues
    /// The last messages, oldest first.
    package var messages: [Message]
    /// The account that is signed in.
    package var account: AccountID?
    /// The names of the people on the list, as the device knows them.
    package var names: [AccountID: String]
    package var failure: Device.OngoingFailure?
    /// Whether ``ShoppingList/markRead(offline:)`` would move the read mark past something of another person's.
    package var showsUnread: Bool
}

extension ShoppingList {
    /// Reads in one transaction what a screen shows.
    /// - Parameter limit: the largest number of messages.
    package func watched(messages limit: Int) async throws(DeviceError) -> WatchedList {
        try await read { transaction, list in
            let account = try transaction.signedIn()
            return WatchedList(
                state: try transaction.state(of: list), rows: try transaction.rows(of: list),
                queues: try transaction.queues(),
                messages: try transaction.conversation(of: list).messages(limit: limit, for: account),
                account: account, names: try transaction.knownNames(of: list),
                failure: Device.OngoingFailure(try transaction.retryState()),
                showsUnread: try transaction.showsUnread(of: list))
        }
    }
}

extension StoreTransaction {
    /// The names of the people on a list and of the person who is signed in.
    func knownNames(of list: ListRow) throws -> [AccountID: String] {
        var names: [AccountID: String] = [:]
        if let session = try session() { names[session.account] = session.name }
        for person in try share(of: list)?.participants ?? [] {
            if let account = person.account, let name = person.name ?? person.email { names[account] = name }
        }
        return names
    }
}
