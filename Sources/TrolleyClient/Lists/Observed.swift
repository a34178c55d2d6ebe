import Dispatch
import GRDB
import TrolleySync

/// A value now, and after each change that this program makes or receives.
///
/// ```swift
/// for try await state in list.states { show(state.items) }
/// ```
///
/// Equal values come once. A slow reader skips values that a newer one has replaced, so they don't accumulate. The sequence
/// ends when its task is cancelled. Each reader gets all values.
public struct Observed<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    public typealias Failure = DeviceError

    let values: @Sendable () -> AsyncThrowingStream<Value, any Error>

    public func makeAsyncIterator() -> Iterator { Iterator(values: values().makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var values: AsyncThrowingStream<Value, any Error>.Iterator
        private var latest: Value?

        fileprivate init(values: AsyncThrowingStream<Value, any Error>.Iterator) { self.values = values }

        /// - Returns: the next value; nil when the task is cancelled.
        /// - Throws: `.store`: for a list, when it has left the device.
        public mutating func next() async throws(DeviceError) -> Value? {
            do {
                while let value = try await values.next() {
                    guard value != latest else { continue }
                    latest = value
                    return value
                }
                return nil
            } catch {
                throw (error as? DeviceError) ?? .store(QueueStoreError(error))
            }
        }
    }
}

/// The tables whose changes an observed value follows. Other tables change together with one of these. `meta` says who is signed
/// in and which list is the current one; `StoreTransaction.set(_:to:)` announces that.
enum ObservedTables {
    /// What people see on lists.
    static let list = ["list", "entry", "pending", "unseen", "meta"]
    /// The list's own row, with its share.
    static let share = ["list", "meta"]
}

extension SQLiteStore {
    /// What `body` reads, after each transaction of this program that changed one of the tables.
    func observed<Value: Sendable>(
        _ tables: [String], _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) -> Observed<Value> {
        Observed { [self] in
            AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let observation = ValueObservation.tracking(regions: tables.map { Table($0) }) { [self] db in
                    let (value, made) = try transact(db, isReading: true, body)
                    keep(made)
                    // Not here: this may be the end of a write, or a transaction that may not write.
                    if made.hasCopies { Task { await storeCopies(made) } }
                    return value
                }
                // A queue of its own, because the values must stay in order.
                let values = DispatchQueue(label: "trolley.observed")
                let cancellable = observation.start(in: queue, scheduling: .async(onQueue: values)) { error in
                    continuation.finish(throwing: error)
                } onChange: { value in
                    continuation.yield(value)
                }
                continuation.onTermination = { _ in cancellable.cancel() }
            }
        }
    }
}
