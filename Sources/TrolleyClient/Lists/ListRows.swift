public import TrolleyJournal
import TrolleySync

/// A list's rows and the steps from the previous update.
public struct ListUpdate: Hashable, Sendable {
    /// The list's present state. Its items are in list order, not grouped by aisle, and without struck rows.
    public var state: ListState
    /// The rows in the order in which a person sees and numbers them, see ``ShoppingList/shownRows()``.
    public var rows: [ShownRow]
    /// The steps from the rows of the previous update, in order; for the first update, from no rows.
    public var changes: [RowChange]
}

/// The rows of a list, for a user interface: grouped by aisle, and in shopping mode with deleted items as struck rows
/// in their places. The first update contains all rows; each later one contains the steps that lead from the previous
/// rows to the present ones. A slow reader gets several changes as one update, so updates don't accumulate.
public struct ListRows: AsyncSequence, Sendable {
    public typealias Failure = DeviceError

    let lists: Observed<ShownList>

    public func makeAsyncIterator() -> Iterator { Iterator(lists: lists.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var lists: Observed<ShownList>.Iterator
        private var rows: [ShownRow] = []

        fileprivate init(lists: Observed<ShownList>.Iterator) { self.lists = lists }

        /// - Returns: the next update; nil when the task is cancelled.
        /// - Throws: `.store`: `noSuchList` when the list has left the device, and errors of the device's files.
        public mutating func next() async throws(DeviceError) -> ListUpdate? {
            guard let list = try await lists.next() else { return nil }
            defer { rows = list.rows }
            return ListUpdate(state: list.state, rows: list.rows, changes: rows.changes(to: list.rows))
        }
    }
}

/// A list as a person sees it.
struct ShownList: Hashable, Sendable {
    var state: ListState
    var rows: [ShownRow]
}
