import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Reads a certificate's files for a process that may not read them itself.
package typealias TLSReader = @Sendable (TLSFiles) async throws(TLSFilesError) -> TLSMaterial

/// TLS for new connections, with the certificate that was read last. SIGHUP reads the certificate again; open
/// connections stay.
final class SecureChannels: ServiceLifecycle.Service {
    private let files: TLSFiles
    private let reader: TLSReader?
    private let goodbye: TimeAmount
    private let logger: Logger
    private let make = Mutex<(@Sendable (TLSMaterial) throws -> HTTP2UpgradeChannel)?>(nil)
    private let channel = Mutex<HTTP2UpgradeChannel?>(nil)

    /// - Parameters:
    ///   - reader: reads the files again; nil: this process may read them itself.
    ///   - goodbye: as in ``Timeouts``.
    init(files: TLSFiles, reader: TLSReader? = nil, goodbye: TimeAmount = Timeouts().goodbye, logger: Logger) {
        self.files = files
        self.reader = reader
        self.goodbye = goodbye
        self.logger = logger
    }

    /// Reads the certificate for the first time.
    func begin(
        _ configuration: HTTP2ChannelConfiguration = .init(), responder: @escaping HTTPChannelHandler.Responder
    ) throws -> HTTP2UpgradeChannel {
        let make = { @Sendable [goodbye] (material: TLSMaterial) in
            try HTTP2UpgradeChannel(
                tlsConfiguration: try material.configuration(goodbye: goodbye), configuration: configuration,
                responder: responder)
        }
        let first = try make(try files.read())
        self.make.withLock { $0 = make }
        channel.withLock { $0 = first }
        return first
    }

    var current: HTTP2UpgradeChannel? { channel.withLock { $0 } }

    /// Reads the certificate again. If that fails, the old one stays.
    func reload() async {
        do {
            let material = if let reader { try await reader(files) } else { try files.read() }
            guard let next = try make.withLock({ $0 })?(material) else { return }
            channel.withLock { $0 = next }
            logger.info("read the certificate again")
        } catch {
            logger.error("the certificate can't be read; the old one stays in use", metadata: ["error": "\(error)"])
        }
    }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown()
        for await _ in signals { await reload() }
    }
}
