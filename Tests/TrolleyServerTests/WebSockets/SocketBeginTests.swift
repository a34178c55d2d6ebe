import NIOCore
import NIOEmbedded
import NIOWebSocket
import ServiceLifecycle
import Synchronization
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// What happens to a socket while its connection is still one of HTTP.
@Suite("The beginning of a socket", .timeLimit(.minutes(20)))
struct SocketBeginTests {
    private final class Events: Sendable {
        let opened = Mutex(0)
        let isClosed = Mutex(false)
    }

    @Test("a socket that is closed before it begins closes as soon as it begins, with the first code")
    func closedBefore() throws {
        let (channel, events) = (EmbeddedChannel(), Events())
        let socket = Socket(
            Session(account: .random(), device: .random()), address: nil, isForOneRoom: true, limits: RoomLimits(),
            frames: FrameBudget(RoomLimits()), on: channel
        ) { _, event in
            switch event {
            case .opened: events.opened.withLock { $0 += 1 }
            case .closed: events.isClosed.withLock { $0 = true }
            case .message, .dropped: break
            }
        }
        let handler = SocketHandler(socket)
        try channel.pipeline.syncOperations.addHandler(handler)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        socket.close(SocketCloseCode.signedOut)
        socket.close(SocketCloseCode.replaced)
        channel.embeddedEventLoop.run()
        #expect(try channel.readOutbound(as: WebSocketFrame.self) == nil)

        try handler.begin()
        channel.embeddedEventLoop.run()
        var frame = try #require(try channel.readOutbound(as: WebSocketFrame.self))
        let code = frame.data.readInteger(as: UInt16.self)
        #expect(frame.opcode == .connectionClose && code == SocketCloseCode.signedOut)
        // It enters no room.
        #expect(events.opened.withLock(\.self) == 0)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(events.isClosed.withLock(\.self) && !channel.isActive)
    }

    @Test("a socket that is asked for while the service stops is told that the service goes away")
    func stopping() async throws {
        try await TestService.with(connections: 8) { service in
            let anna = try await service.person("anna")
            let opening = try await service.pool.withTransaction { connection in
                // The request waits for its session. So may the service's own work, which reads the table, too.
                try await connection.execute("LOCK TABLE device IN ACCESS EXCLUSIVE MODE")
                let opening = Task {
                    try await within {
                        try await TestSocket.with(port: service.port, Path.socket, token: anna.token) { socket in
                            (socket.status, try await socket.closeCode())
                        }
                    }
                }
                try await eventually("the request waits") {
                    // A transaction sees the activity, and so the statements, as at its first look.
                    try await connection.execute("SELECT pg_stat_clear_snapshot()")
                    return try await !connection.execute(
                        """
                        SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock'
                            AND position('service.sessions_ended, device.hash' IN query) > 0
                        """
                    ).isEmpty
                }
                await service.group.triggerGracefulShutdown()
                // Then all connections have been told.
                try await eventually("the service takes no connections") {
                    do {
                        try await RawConnection.with(port: service.port) { _, _ in }
                        return false
                    } catch { return true }
                }
                return opening
            }
            let (status, code) = try await opening.value
            #expect(status == 101 && code == MessageAssembler.Code.goingAway)
        }
    }
}
