import Dispatch
import GRDB
public import TrolleyJournal
public import TrolleySync

/// A list's rows and the steps from the previous update.
public struct ListUpdate: Hashable, Sendable {
    /// The list's present state. Its items are in list order, not grouped by aisle, and without struck rows.
    public var state: ListState
    /// The rows in the order in which a person sees and numbers them, see ``Device/shownRows(of:)``.
    public var rows: [ShownRow]
    /// The steps from the rows of the previous update, in order; for the first update, from no rows.
    public var changes: [RowChange]
}

/// The rows of a list, for a user interface: grouped by aisle, and in shopping mode with deleted items as struck rows
/// in their places. The first update contains all rows; each later one contains the steps that lead from the previous
/// rows to the present ones. A slow reader gets several changes as one update, so updates don't accumulate.
public struct ListRows: AsyncSequence, Sendable {
    let store: SQLiteStore
    let list: ListID

    public func makeAsyncIterator() -> Iterator { Iterator(lists: store.shownLists(list).makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var lists: AsyncThrowingStream<ShownList, any Error>.Iterator
        private var shown: ShownList?

        fileprivate init(lists: AsyncThrowingStream<ShownList, any Error>.Iterator) { self.lists = lists }

        /// - Returns: the next update; nil when the task is cancelled.
        /// - Throws: `.noSuchList` when the list has left the device, and errors of the device's files.
        public mutating func next() async throws(QueueStoreError) -> ListUpdate? {
            do {
                while let list = try await lists.next() {
                    guard list != shown else { continue }
                    defer { shown = list }
                    return ListUpdate(
                        state: list.state, rows: list.rows, changes: (shown?.rows ?? []).changes(to: list.rows))
                }
                return nil
            } catch {
                throw QueueStoreError(error)
            }
        }
    }
}

extension Device {
    /// The rows of a list, now and after each change that this program makes or receives.
    public func rows(of list: ListID) -> ListRows { ListRows(store: store, list: list) }
}

/// A list as a person sees it.
private struct ShownList: Hashable, Sendable {
    var state: ListState
    var rows: [ShownRow]
}

extension SQLiteStore {
    /// The list after each transaction of this program that changed it. A newer state replaces one that was not read
    /// yet.
    fileprivate func shownLists(_ list: ListID) -> AsyncThrowingStream<ShownList, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            // Struck rows change together with an entry or the list.
            let observation = ValueObservation.tracking(regions: [
                Table("list"), Table("entry"), Table("pending"), Table("unseen"),
            ]) { [self] db in
                keeping(
                    try transact(db) { transaction in
                        let row = try transaction.list(list)
                        return ShownList(state: try transaction.state(of: row), rows: try transaction.rows(of: row))
                    })
            }
            let cancellable = observation.start(in: queue, scheduling: .async(onQueue: .global())) { error in
                continuation.finish(throwing: error)
            } onChange: { list in
                continuation.yield(list)
            }
            continuation.onTermination = { _ in cancellable.cancel() }
        }
    }
}
