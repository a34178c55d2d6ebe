import Dispatch
import GRDB
public import TrolleyJournal
public import TrolleySync

/// A list's rows and the steps from the previous update.
public struct ListUpdate: Hashable, Sendable {
    /// The list's present state.
    public var state: ListState
    /// The steps from the rows of the previous update, in order; for the first update, from no rows.
    public var changes: [RowChange]
}

/// The rows of a list, for a user interface. The first update contains all rows; each later one contains the steps that
/// lead from the previous rows to the present ones. A slow reader gets several changes as one update, so nothing piles
/// up.
public struct ListRows: AsyncSequence, Sendable {
    let store: SQLiteStore
    let list: ListID

    public func makeAsyncIterator() -> Iterator { Iterator(states: store.states(of: list).makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        var states: AsyncThrowingStream<ListState, any Error>.Iterator
        private var shown: ListState?

        init(states: AsyncThrowingStream<ListState, any Error>.Iterator) { self.states = states }

        /// - Returns: the next update; nil when the task is cancelled.
        /// - Throws: `.noSuchList` when the list has left the device, and errors of the device's files.
        public mutating func next() async throws(QueueStoreError) -> ListUpdate? {
            do {
                while let state = try await states.next() {
                    guard state != shown else { continue }
                    defer { shown = state }
                    return ListUpdate(state: state, changes: (shown?.items ?? []).changes(to: state.items))
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

extension SQLiteStore {
    /// The newest state of a list after each transaction of this program that has touched it. A newer state replaces
    /// one that was not read yet.
    fileprivate func states(of list: ListID) -> AsyncThrowingStream<ListState, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observation = ValueObservation.tracking(regions: [
                Table("list"), Table("entry"), Table("pending"), Table("unseen"),
            ]) { [self] db in
                keeping(try transact(db) { try $0.state(of: try $0.list(list)) })
            }
            let cancellable = observation.start(in: queue, scheduling: .async(onQueue: .global())) { error in
                continuation.finish(throwing: error)
            } onChange: { state in
                continuation.yield(state)
            }
            continuation.onTermination = { _ in cancellable.cancel() }
        }
    }
}
