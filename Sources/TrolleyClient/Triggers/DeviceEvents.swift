import Synchronization

/// The events of a device that stays open (``Device/events(every:open:)``), for one reader.
public struct DeviceEvents: AsyncSequence, Sendable {
    public typealias Element = DeviceEvent
    public typealias Failure = Never

    let feed: DeviceEventFeed

    public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }

    public struct Iterator: AsyncIteratorProtocol {
        let feed: DeviceEventFeed

        public mutating func next() async -> DeviceEvent? { await feed.next() }

        public mutating func next(isolation: isolated (any Actor)?) async -> DeviceEvent? { await feed.next() }
    }
}

/// Collects events and hands them to a reader. Its sources end with it, when the reader has dropped the sequence.
final class DeviceEventFeed: Sendable {
    private struct State {
        var queue = DeviceEventQueue()
        var reader: CheckedContinuation<DeviceEvent?, Never>?
        var sources: [Task<Void, Never>] = []
    }

    private let state = Mutex(State())

    deinit { state.withLock { for source in $0.sources { source.cancel() } } }

    /// - Parameter source: adds events until its task is cancelled. It must not keep the feed.
    func addSource(_ source: sending @escaping @isolated(any) () async -> Void) {
        let task = Task(operation: source)
        state.withLock { $0.sources.append(task) }
    }

    func add(_ event: DeviceEvent) {
        let waiting = state.withLock {
            state -> (reader: CheckedContinuation<DeviceEvent?, Never>, event: DeviceEvent)? in
            state.queue.add(event)
            guard let reader = state.reader.take(), let next = state.queue.take() else { return nil }
            return (reader, next)
        }
        waiting?.reader.resume(returning: waiting?.event)
    }

    /// - Returns: nil once the reader's task is cancelled.
    func next() async -> DeviceEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> DeviceEvent?? in
                    if Task.isCancelled { return .some(nil) }
                    if let event = state.queue.take() { return event }
                    state.reader = continuation
                    return .none
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.reader.take() }?.resume(returning: nil)
        }
    }
}
