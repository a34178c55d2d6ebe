import Synchronization
import TrolleySync

/// What a room's reader has not read yet: of views the last, and everything else, in its order.
final class RoomUpdateQueue: Sendable {
    /// Others can cause as many as they like.
    private static let maximumNews = 64

    private struct State {
        var news: [RoomUpdate] = []
        var view: RoomView?

        mutating func add(_ update: RoomUpdate) {
            switch update {
            case .view(let view): self.view = view
            // One sync fetches all that is new.
            case .fetch where news.contains { if case .fetch = $0 { true } else { false } }: break
            case .fetch: news.append(update)
            case .doubleBuy:
                if news.count == RoomUpdateQueue.maximumNews {
                    news.remove(at: news.firstIndex { if case .doubleBuy = $0 { true } else { false } } ?? 0)
                }
                news.append(update)
            }
        }

        mutating func take() -> RoomUpdate? {
            guard news.isEmpty else { return news.removeFirst() }
            defer { view = nil }
            return view.map { .view($0) }
        }
    }

    private let state = Mutex(State())
    private let (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    func add(_ update: RoomUpdate) {
        state.withLock { $0.add(update) }
        continuation.yield()
    }

    /// Ends the stream once all is read.
    func finish() { continuation.finish() }

    /// For a single reader.
    func updates() -> AsyncStream<RoomUpdate> { AsyncStream { await self.next() } }

    private func next() async -> RoomUpdate? {
        while true {
            if let update = state.withLock({ $0.take() }) { return update }
            guard await isSignalled() else { return state.withLock { $0.take() } }
        }
    }

    /// - Returns: false when the queue is finished.
    private func isSignalled() async -> Bool {
        for await _ in signals { return true }
        return false
    }
}
