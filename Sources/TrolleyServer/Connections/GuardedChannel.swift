import HummingbirdCore
import Logging
import NIOCore

/// A kind of connection, with a bound on how many there are and how slow they may be.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: @Sendable () -> Base
    let count: ConnectionCount
    /// Addresses that many people's connections come from: their number is not bounded by address.
    let proxies: [IPNetwork]
    let timeouts: Timeouts
    let ended: @Sendable (Slowness) -> Void
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

    /// A connection that sends faster than it is served keeps ten reads in memory: of 16 KiB, and not of four times 64 KiB.
    private static func boundReads(of channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(.maxMessagesPerRead, value: 1)
        try options.setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 2 << 10, maximum: 16 << 10))
    }

    func handle(value: Value, logger: Logger) async { await base().handle(value: value, logger: logger) }
}

struct TooManyConnections: Error {}
