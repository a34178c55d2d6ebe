import HummingbirdCore
import Logging
import NIOCore

/// A server channel that limits the number of connections, and how slow they may be.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: @Sendable () -> Base
    let count: ConnectionCount
    /// Addresses of proxies, which carry many people's connections: not limited by address.
    let proxies: [IPNetwork]
    let timeouts: Timeouts
    let ended: @Sendable (TimeoutReason) -> Void
    let refused: @Sendable () -> Void

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let peer = IPAddress(channel.remoteAddress)
        let address = peer.flatMap { peer in proxies.contains { $0.contains(peer) } ? nil : peer }
        guard count.enter(address) else {
            refused()
            return channel.close().flatMap { channel.eventLoop.makeFailedFuture(TooManyConnections()) }
        }
        do { try Self.boundReads(of: channel) } catch { return channel.eventLoop.makeFailedFuture(error) }
        channel.closeFuture.whenComplete { [count] _ in count.leave(address) }
        do {
            try channel.pipeline.syncOperations.addHandler(ConnectionGuard(timeouts, ended: ended), position: .first)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return base().setup(channel: channel, logger: logger)
    }

    /// A connection that sends faster than the service handles its requests keeps ten reads in memory: of 8 KiB each,
    /// not four of 64 KiB each.
    private static func boundReads(of channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(.maxMessagesPerRead, value: 1)
        try options.setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 2 << 10, maximum: 8 << 10))
    }

    func handle(value: Value, logger: Logger) async { await base().handle(value: value, logger: logger) }
}

struct TooManyConnections: Error {}
