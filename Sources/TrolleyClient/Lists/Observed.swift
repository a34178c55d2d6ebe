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

/// The tables whose changes an observed value follows. Rows of further tables change together with one of these.
enum ObservedTables {
    /// What people see on a list.
    static let list = ["list", "entry", "pending", "unseen"]
    /// The list's own row, with its share.
    static let share = ["list", "meta"]
    /// What a person sees of all lists: whose they are, and which is the current one.
    static let lists = list + ["meta"]
}

extension SQLiteStore {
    /// What `body` reads, after each transaction of this program that changed one of the tables.
    func observed<Value: Sendable>(
        _ tables: [String], _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) -> Observed<Value> {
        Observed { [self] in
            AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let observation = ValueObservation.tracking(regions: tables.map { Table($0) }) { [self] db in
                    keeping(try transact(db, body))
                }
                let cancellable = observation.start(in: queue, scheduling: .async(onQueue: .global())) { error in
                    continuation.finish(throwing: error)
                } onChange: { value in
                    continuation.yield(value)
                }
                continuation.onTermination = { _ in cancellable.cancel() }
            }
        }
    }
}
