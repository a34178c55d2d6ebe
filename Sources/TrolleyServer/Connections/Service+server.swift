import HummingbirdCore
import Logging
import NIOCore

extension Service {
    /// What a head may be at the most.
    private static let heads = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)

    func server(logger: Logger) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let http1 = HTTP1Channel(responder: responder, configuration: channels(logger))
            return guarded(logger) { http1 }
        }
    }

    private func channels(_ logger: Logger) -> HTTP1Channel.Configuration {
        let (timeouts, ended) = (configuration.timeouts, ended(logger))
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestGuard(timeouts, ended: ended)],
            httpDecoderConfiguration: Self.heads)
    }

    private func guarded<Base: ServerChildChannel>(
        _ logger: Logger, _ base: @escaping @Sendable () -> Base
    ) -> GuardedChannel<Base> {
        GuardedChannel(
            base: base, count: connections, proxies: configuration.proxies.proxies, timeouts: configuration.timeouts,
            ended: ended(logger)
        ) { [metrics] in
            metrics.count(.connectionsRefused)
            logger.debug("a connection was one too many")
        }
    }

    private func ended(_ logger: Logger) -> @Sendable (Slowness) -> Void {
        { [metrics] slowness in
            metrics.count(.connectionsEnded, [("reason", slowness.rawValue)])
            logger.debug("a connection was ended", metadata: ["reason": "\(slowness.rawValue)"])
        }
    }
}
