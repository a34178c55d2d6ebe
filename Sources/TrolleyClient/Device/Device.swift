import AsyncHTTPClient
import NIOCore
public import TrolleySync
import TrolleyWire

/// A device: its lists, its two queues and its connection to a service. This is what an app embeds.
///
/// A change is on disk, in the list and in the upload queue, when the method that makes it returns; the network is
/// thought of only in ``sync(_:within:)``. Close it when it is no longer used.
public final class Device: Sendable {
    let store: SQLiteStore
    let client: HTTPClient
    let directory: String
    let patience: Duration
    let trust: Trust
    let clock: @Sendable () -> DeviceTime
    let feed = ProgressFeed()

    /// Opens the device whose files are in a directory; a new device when there are none.
    /// - Parameters:
    ///   - directory: only its owner can see into it afterwards.
    ///   - connectTimeout: how long to try for a connection.
    ///   - patience: how long one call to the service may take.
    ///   - authorities: a PEM file with certificates that are trusted beside the system's, such as a household's own. They are
    ///     kept when somebody signs in, so that they need not be given again.
    ///   - clock: what time it is; tests have their own.
    /// - Throws: `.unreadableCertificates` and `.notCertificates`, when that file can't be read or has none; `.store`.
    public init(
        directory: String, connectTimeout: Duration = .milliseconds(1500), patience: Duration = .seconds(30),
        authorities: String? = nil, clock: @escaping @Sendable () -> DeviceTime = DeviceTime.now
    ) throws(DeviceError) {
        do {
            store = try SQLiteStore(directory: directory)
        } catch {
            throw .store(error)
        }
        self.directory = directory
        self.patience = patience
        self.clock = clock
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = TimeAmount(connectTimeout)
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        if let authorities {
            trust = Trust(given: try Authorities(file: authorities))
        } else {
            trust = Trust(given: nil)
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    // Who forgets to close a device must not be punished for it: the client would end the program.
    deinit { client.shutdown { _ in } }

    /// Lets go of connections, and returns when that is done. The device must not be used afterwards.
    public func close() async {
        do {
            try await client.shutdown()
        } catch {
            // It was closed before; there is nothing left to let go of.
        }
    }

    /// - Parameter kept: certificates in PEM that were kept with a session, and are trusted where none were given.
    func transport(_ server: String, token: String? = nil, trusting kept: String?) -> HTTPTransport {
        // Without a token somebody signs up or in, and passwords may wait in line.
        let patience = token == nil ? max(patience, .seconds(30)) : patience
        return HTTPTransport(
            client: client, server: server, token: token, patience: TimeAmount(patience),
            tls: trust.configuration(kept: kept))
    }

    func transport(of session: Session) -> HTTPTransport {
        transport(session.server, token: session.token, trusting: session.authorities)
    }

    /// The service that this device is signed in to.
    func transport() async throws(DeviceError) -> HTTPTransport {
        guard let session = try await session() else { throw .notSignedIn }
        return transport(of: session)
    }

    /// Does something with the store, and calls its errors the device's.
    func stored<Value>(
        _ body: () async throws(QueueStoreError) -> Value
    ) async throws(DeviceError) -> Value {
        do {
            return try await body()
        } catch {
            throw .store(error)
        }
    }

    /// Does something over the network, and calls its errors the device's.
    func called<Value>(
        _ body: () async throws(TransportError) -> Value
    ) async throws(DeviceError) -> Value {
        do {
            return try await body()
        } catch {
            throw .transport(error)
        }
    }
}
