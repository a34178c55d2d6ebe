public import TrolleyJournal
public import TrolleyWire

/// Counts what waits in a device's queues, for its report to the service.
public struct QueueCounts: Hashable, Sendable {
    /// The smallest number that waits to be sent on a list.
    public struct Held: Hashable, Sendable {
        public var list: ListID
        public var number: Int64
    }

    /// The number of entries of each operation, in the order of `Operation.allCases`. Operations that this version doesn't
    /// know count together.
    public private(set) var upload = [Int](repeating: 0, count: Operation.allCases.count)
    public private(set) var toApply = [Int](repeating: 0, count: Operation.allCases.count)
    /// How long the oldest entry has waited to be sent, in milliseconds; nil when none waits.
    public private(set) var oldestAge: Int64?
    public private(set) var held: [Held] = []
    private var failures: [QueueReport.Failure] = []

    public init() {}

    /// Notes an entry of the upload queue. The entries of a list come together.
    public mutating func noteWaiting(_ operation: Operation, number: Int64, age: Int64, in list: ListID) {
        upload.note(operation)
        oldestAge = max(oldestAge ?? 0, age)
        if let last = held.indices.last, held[last].list == list {
            held[last].number = min(held[last].number, number)
        } else {
            held.append(Held(list: list, number: number))
        }
    }

    /// Notes an entry of a to-apply queue.
    public mutating func noteToApply(_ operation: Operation) { toApply.note(operation) }

    /// Notes a failure of runs, or a rejection of entries.
    public mutating func note(_ failure: PastFailure, at now: Timestamp) {
        let age = max(0, now.milliseconds - failure.at.milliseconds)
        if let index = failures.firstIndex(where: { $0.code.hasSameBytes(as: failure.code) }) {
            failures[index].count += failure.count
            failures[index].age = min(failures[index].age, age)
        } else {
            failures.append(QueueReport.Failure(code: failure.code, count: failure.count, age: age))
        }
    }

    /// The failures to report, newest first.
    public var newestFailures: [QueueReport.Failure] {
        var newest = failures.inOrder { $0.age < $1.age }
        if newest.count > QueueReport.maxFailures { newest.removeLast(newest.count - QueueReport.maxFailures) }
        return newest
    }
}

extension [Int] {
    fileprivate mutating func note(_ operation: TrolleyJournal.Operation) {
        if let place = TrolleyJournal.Operation.allCases.firstIndex(of: operation) { self[place] += 1 }
    }
}
