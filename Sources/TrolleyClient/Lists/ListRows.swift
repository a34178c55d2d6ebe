import Dispatch
import GRDB
public import TrolleyJournal
public import TrolleySync

/// What a list shows, and how that came from what it showed before.
public struct ListUpdate: Hashable, Sendable {
    /// What the list shows now.
    public var state: ListState
    /// The steps from the rows of the update before, in order; from no rows for the first one.
    public var changes: [RowChange]
}

/// The rows of a list, for a user interface: first all there are, then, whenever something has changed, the steps that
/// lead to how it is now. Whoever is slow gets several changes as one update; nothing piles up.
public struct ListRows: AsyncSequence, Sendable {
    let store: SQLiteStore
    let list: ListID

    public func makeAsyncIterator() -> Iterator { Iterator(states: store.states(of: list).makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        var states: AsyncThrowingStream<ListState, any Error>.Iterator
        private var shown: ListState?

        init(states: AsyncThrowingStream<ListState, any Error>.Iterator) { self.states = states }

        /// - Returns: the next update; nil when the task is cancelled.
        /// - Throws: `.noSuchList` when the list has left the device, and what else goes wrong with its files.
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
    /// What a list shows, now and whenever this program changes it or receives a change.
    public func rows(of list: ListID) -> ListRows { ListRows(store: store, list: list) }
}

extension SQLiteStore {
    /// The newest state of a list each time that a transaction of this program has touched it; what nobody took is
    /// replaced by what is newer.
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
