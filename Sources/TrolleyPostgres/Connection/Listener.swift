/// Listens to channels on a connection of its own, and reconnects when it is lost.
public struct Listener: Sendable {
    public enum Event: Hashable, Sendable {
        /// LISTEN is in force, for the first time or again. Earlier notifications may have been missed.
        case reconnected
        case notification(Notification)
        /// The connection was lost or could not be made. The listener retries with exponential backoff.
        case interrupted(reason: String)
    }

    private let configuration: PostgresConfiguration

    public init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
    }

    /// Returns a stream that never ends by itself. Listening stops when the stream is dropped or its task is cancelled.
    /// A reader that falls 4,096 events behind loses the oldest events.
    public func listen(_ channels: [String]) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(4096))
        let task = Task {
            var backoff = Backoff()
            while !Task.isCancelled {
                do {
                    let session = try await PostgresSession.connect(configuration)
                    _ = try await session.run(channels.map(Self.listen), timeout: nil)
                    backoff.reset()
                    continuation.yield(.reconnected)
                    while true {
                        for notification in try await session.notifications() {
                            continuation.yield(.notification(notification))
                        }
                    }
                } catch {
                    if Task.isCancelled { break }
                    continuation.yield(.interrupted(reason: "\(error)"))
                    try? await Task.sleep(for: backoff.next(random: .random(in: 0..<1)))
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private static func listen(_ channel: String) -> Query {
        Query(
            unescaped:
                "LISTEN \"\(channel.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
        )
    }
}
