import AsyncHTTPClient
import NIOCore
import NIOPosix
public import TrolleySync
import TrolleyWire

/// A device: its lists, its two queues and its connection to a service. Apps embed this class.
///
/// When a method that makes a change returns, the change is on disk, in the list and in the upload queue. Only
/// ``sync(_:within:)`` uses the network. Call ``close()`` when the device is no longer used.
public final class Device: Sendable {
    let store: SQLiteStore
    let client: HTTPClient
    let directory: String
    let requestTimeout: Duration
    let fallbackTimeout: Duration
    let trust: TrustStore
    let clock: @Sendable () -> DeviceTime
    let feed = ProgressFeed()

    /// Opens the device whose files are in a directory. Creates a new device if there are none.
    /// - Parameters:
    ///   - directory: the device's directory; its permissions are narrowed to its owner.
    ///   - connectTimeout: how long to try to connect.
    ///   - requestTimeout: how long one call to the service may take.
    ///   - fallbackTimeout: the same for calls that the device can answer from its own data if the service doesn't:
    ///     the people on a list, the list's Activity, and past states of the list.
    ///   - authorities: a PEM file with certificates to trust besides the system's, such as a private authority's. They
    ///     are stored with the session at sign-in, so that they need not be given again.
    ///   - clock: the time; tests pass their own.
    /// - Throws: `.unreadableCertificates` and `.notCertificates`, when the file can't be read or contains no
    ///   certificate; `.store`.
    public init(
        directory: String, connectTimeout: Duration = .milliseconds(1500), requestTimeout: Duration = .seconds(30),
        fallbackTimeout: Duration = .seconds(5), authorities: String? = nil,
        clock: @escaping @Sendable () -> DeviceTime = DeviceTime.now
    ) throws(DeviceError) {
        do {
            store = try SQLiteStore(directory: directory)
        } catch {
            throw .store(error)
        }
        self.directory = directory
        self.requestTimeout = requestTimeout
        self.fallbackTimeout = min(fallbackTimeout, requestTimeout)
        self.clock = clock
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = TimeAmount(connectTimeout)
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        if let authorities {
            trust = TrustStore(given: try CertificateAuthorities(file: authorities))
        } else {
            trust = TrustStore(given: nil)
        }
        // Use the same sockets and TLS on all platforms. On Apple's, the HTTP client's default would ignore
        // `authorities`.
        client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    }

    // Without this, the HTTP client would stop the program when an app forgets to close the device.
    deinit { client.shutdown { _ in } }

    /// Closes the connections and returns when that is done. The device must not be used afterwards.
    public func close() async {
        do {
            try await client.shutdown()
        } catch {
            // It was closed before.
        }
    }

    /// - Parameter kept: the PEM certificates that were stored with a session; trusted if none were given.
    func transport(_ server: String, token: String? = nil, trusting kept: String?) -> HTTPTransport {
        // Calls without a token sign up or in; hashing passwords may queue on the service.
        let requestTimeout = token == nil ? max(requestTimeout, .seconds(30)) : requestTimeout
        return HTTPTransport(
            client: client, server: server, token: token, requestTimeout: TimeAmount(requestTimeout),
            tls: trust.configuration(kept: kept))
    }

    func transport(of session: AccountSession) -> HTTPTransport {
        transport(session.server, token: session.token, trusting: session.authorities)
    }

    /// The connection to the service that this device is signed in to.
    /// - Parameter hasFallback: whether the device answers from its own data if the service doesn't. Then the time-out
    ///   is shorter.
    func transport(hasFallback: Bool = false) async throws(DeviceError) -> HTTPTransport {
        guard let session = try await session() else { throw .notSignedIn }
        var transport = transport(of: session)
        if hasFallback { transport.requestTimeout = TimeAmount(fallbackTimeout) }
        return transport
    }

    /// Runs an operation of the store and converts its errors.
    func withStoreErrors<Value>(
        _ body: () async throws(QueueStoreError) -> Value
    ) async throws(DeviceError) -> Value {
        do {
            return try await body()
        } catch {
            throw .store(error)
        }
    }

    /// Runs a call over the network and converts its errors.
    func withTransportErrors<Value>(
        _ body: () async throws(TransportError) -> Value
    ) async throws(DeviceError) -> Value {
        do {
            return try await body()
        } catch {
            throw .transport(error)
        }
    }
}
