/// Listens to channels on a connection of its own, which it makes anew as often as it must.
public struct Listener: Sendable {
    public enum Event: Hashable, Sendable {
        /// LISTEN is in force, for the first time or again: what was notified before may have been missed.
        case reconnected
        case notification(Notification)
        /// The connection is lost, or could not be made; it is tried again, after longer and longer pauses.
        case interrupted(reason: String)
    }

    private let configuration: PostgresConfiguration

    public init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
    }

    /// Never ends by itself; stops listening when the stream is dropped or its task cancelled. A reader that falls
    /// 4,096 events behind loses the oldest.
    public func listen(_ channels: [String]) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(4096))
        let task = Task {
            var backoff = Backoff()
            while !Task.isCancelled {
                do {
                    let session = try await Session.connect(configuration)
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
