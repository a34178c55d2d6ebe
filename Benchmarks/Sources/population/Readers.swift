import NIOCore
import NIOPosix
import Synchronization

/// The readers of lists 1 to n, each with a stream that is open and has begun.
struct Readers: Sendable {
    let streams: [EventStream]

    /// - Parameter onEvent: is told the list and the event, once the stream has begun.
    init(
        of lists: Int, _ service: ServiceOptions, on group: any EventLoopGroup,
        onEvent: @escaping @Sendable (Int, ServerEvent) -> Void
    ) async throws {
        var streams: [EventStream] = []
        let inParallel = 32
        for start in stride(from: 1, through: lists, by: inParallel) {
            streams += try await withThrowingTaskGroup { tasks in
                for list in start...min(start + inParallel - 1, lists) {
                    tasks.addTask { try await Self.open(list, service, on: group, onEvent: onEvent) }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
        }
        self.streams = streams
    }

    private static func open(
        _ list: Int, _ service: ServiceOptions, on group: any EventLoopGroup,
        onEvent: @escaping @Sendable (Int, ServerEvent) -> Void
    ) async throws -> EventStream {
        let dialect = service.spoken
        let (events, told) = AsyncStream.makeStream(of: ServerEvent.self)
        let hasBegun = Mutex(false)
        let stream = try await EventStream(to: service.port, call: dialect.stream(of: list), on: group) { event in
            if hasBegun.withLock({ $0 }) { return onEvent(list, event) }
            if dialect.begins(with: event) {
                hasBegun.withLock { $0 = true }
                told.yield(event)
                told.finish()
            }
        }
        guard let beginning = await first(of: events) else {
            throw UnexpectedAnswer("the stream of list \(list) ended")
        }
        if let subscription = try dialect.subscription(of: list, after: beginning) {
            let connection = try await HTTPConnection(to: service.port, on: group)
            _ = try await connection.success(subscription)
            await connection.close()
        }
        return stream
    }

    private static func first(of events: AsyncStream<ServerEvent>) async -> ServerEvent? {
        for await event in events { return event }
        return nil
    }
}
