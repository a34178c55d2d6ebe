import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals

/// How new connections speak TLS: with the certificate that was read last. SIGHUP reads it anew; who is connected stays.
final class SecureChannels: ServiceLifecycle.Service {
    private let files: TLSFiles
    private let logger: Logger
    private let make = Mutex<(@Sendable () throws -> HTTP2UpgradeChannel)?>(nil)
    private let channel = Mutex<HTTP2UpgradeChannel?>(nil)

    init(files: TLSFiles, logger: Logger) {
        self.files = files
        self.logger = logger
    }

    /// Reads the certificate for the first time.
    func begin(
        _ configuration: HTTP2ChannelConfiguration, responder: @escaping HTTPChannelHandler.Responder
    ) throws -> HTTP2UpgradeChannel {
        let make = { @Sendable [files] in
            try HTTP2UpgradeChannel(
                tlsConfiguration: try files.load(), configuration: configuration, responder: responder)
        }
        let first = try make()
        self.make.withLock { $0 = make }
        channel.withLock { $0 = first }
        return first
    }

    var current: HTTP2UpgradeChannel? { channel.withLock { $0 } }

    /// Reads the certificate anew. If that fails, the old one stays.
    func reload() {
        do {
            guard let next = try make.withLock({ $0 })?() else { return }
            channel.withLock { $0 = next }
            logger.info("read the certificate anew")
        } catch {
            logger.error("the certificate can't be read; the old one stays", metadata: ["error": "\(error)"])
        }
    }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown()
        for await _ in signals { reload() }
    }
}
