import AsyncHTTPClient
public import Logging
import NIOCore
import NIOPosix
public import TrolleySync
import TrolleyWire

/// A device: its lists, its two queues and its connection to a service. Apps embed this class.
///
/// When a method that makes a change returns, the change is on disk, in the list and in the upload queue. A device that was
/// started (``start(every:)``) syncs by itself; otherwise the app calls ``sync(_:within:)``. Call ``close()`` when the device is no longer used.
public final class Device: Sendable {
    let store: SQLiteStore
    let client: HTTPClient
    let directory: String
    let requestTimeout: Duration
    let fallbackTimeout: Duration
    let allowsPlainHTTP: Bool
    let trust: TrustStore
    let clock: @Sendable () -> DeviceTime
    let log: Logger
    let feed = ProgressFeed()
    let driver = DeviceDriver()
    let runs = RunQueue<Result<SyncReport, DeviceError>>()

    /// Opens the device whose files are in a directory. Creates a new device if there are none.
    /// - Parameters:
    ///   - directory: the device's directory; its permissions are narrowed to its owner.
    ///   - connectTimeout: how long to try to connect.
    ///   - requestTimeout: how long one call to the service may take.
    ///   - fallbackTimeout: the same for calls that the device can answer from its own data if the service doesn't:
    ///     the people on a list, the list's Activity, and past states of the list.
    ///   - authorities: a PEM file with certificates to trust besides the system's, such as a private authority's. They
    ///     are stored with the session at sign-in, so that they need not be given again.
    ///   - allowsPlainHTTP: whether the device may sign in to another machine by `http`. Others in the network can then
    ///     read the password and the lists. An address without a scheme then means `http`, otherwise `https`.
    ///   - clock: the time; tests pass their own.
    ///   - logger: nil: there is no log. It gets each decision of a sync, each request, its answer, and each wait, at the levels `debug` and `trace`;
    ///     a sync that failed at `info`. Never what people wrote, nor names, addresses or tokens.
    /// - Throws: `.unreadableCertificates` and `.notCertificates`, when the file can't be read or contains no
    ///   certificate; `.store`.
    public convenience init(
        directory: String, connectTimeout: Duration = .milliseconds(1500), requestTimeout: Duration = .seconds(30),
        fallbackTimeout: Duration = .seconds(5), authorities: String? = nil,
        allowsPlainHTTP: Bool = false,
        clock: @escaping @Sendable () -> DeviceTime = DeviceTime.now, logger: Logger? = nil
    ) throws(DeviceError) {
        try self.init(
            directory: directory, connectTimeout: connectTimeout, requestTimeout: requestTimeout,
            fallbackTimeout: fallbackTimeout, silenceLimit: Self.silenceLimit, authorities: authorities,
            allowsPlainHTTP: allowsPlainHTTP, clock: clock, logger: logger)
    }

    /// An event stream that is silent for three of the service's heartbeats is dead.
    private static let silenceLimit: Duration = .seconds(45)

    /// - Parameter silenceLimit: how long a connection with a call or an event stream may be silent.
    init(
        directory: String, connectTimeout: Duration, requestTimeout: Duration, fallbackTimeout: Duration,
        silenceLimit: Duration, authorities: String?, allowsPlainHTTP: Bool,
        clock: @escaping @Sendable () -> DeviceTime, logger: Logger? = nil
    ) throws(DeviceError) {
        do {
            store = try SQLiteStore(directory: directory)
        } catch {
            throw .store(error)
        }
        self.directory = directory
        self.allowsPlainHTTP = allowsPlainHTTP
        self.requestTimeout = requestTimeout
        self.fallbackTimeout = min(fallbackTimeout, requestTimeout)
        self.clock = clock
        log = logger ?? .silent
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = TimeAmount(connectTimeout)
        configuration.timeout.read = TimeAmount(max(silenceLimit, requestTimeout))
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
        await stop()
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
            tls: trust.configuration(kept: kept), log: log)
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
