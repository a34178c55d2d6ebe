import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore

extension Service {
    /// Limits on a request's head.
    private static let heads = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)

    /// - Parameter secure: the TLS channels, with HTTP/2 for clients that ask for it; nil: HTTP/1.1 without TLS.
    func server(secure: SecureChannels?, logger: Logger) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            guard let secure else {
                let http1 = HTTP1Channel(responder: responder, configuration: channels(logger))
                return guarded(logger) { http1 }
            }
            let idle = configuration.timeouts.idle
            let first = try secure.begin(
                HTTP2ChannelConfiguration(
                    idleTimeout: .nanoseconds(idle.nanoseconds), gracefulCloseTimeout: .seconds(10),
                    streamConfiguration: channels(logger)),
                responder: responder)
            return guarded(logger) { secure.current ?? first }
        }
    }

    private func channels(_ logger: Logger) -> HTTP1Channel.Configuration {
        let (timeouts, unsent, ended) = (configuration.timeouts, unsent, ended(logger))
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestGuard(timeouts, unsent: unsent, ended: ended)],
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
            logger.debug("a connection beyond the limit was refused")
        }
    }

    private func ended(_ logger: Logger) -> @Sendable (TimeoutReason) -> Void {
        { [metrics] timeoutReason in
            metrics.count(.connectionsEnded, [("reason", timeoutReason.rawValue)])
            logger.debug("a connection was ended", metadata: ["reason": "\(timeoutReason.rawValue)"])
        }
    }
}
