public import Logging
import NIOCore
import Synchronization
public import TrolleySync
import TrolleyWire

/// A device: its lists, its two queues and its connection to a service. Apps embed this class.
///
/// When a method that makes a change returns, the change is on disk, in the list and in the upload queue. A device that was
/// started (``start(every:)``) syncs by itself; otherwise the app calls ``sync(_:within:)``. Call ``close()`` when the device is no
/// longer used.
public final class Device: Sendable {
    let store: SQLiteStore
    private let connection: any ServiceConnection
    /// nil for a device in memory.
    let directory: String?
    let requestTimeout: Duration
    let fallbackTimeout: Duration
    let allowsPlainHTTP: Bool
    /// The language of the device's catalogue: `en`. Nil: new items get no aisle from a catalogue.
    public let language: String?
    let trust: TrustStore
    let clock: @Sendable () -> DeviceTime
    let log: Logger
    let feed = ProgressFeed()
    let driver = DeviceDriver()
    let runs = RunQueue<Result<SyncReport, DeviceError>>()
    /// Whether the service has hinted at places that this device hasn't fetched yet.
    let placesHaveChanged = Atomic(false)

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
    ///   - language: the language in which people write items, one of ``catalogueLanguages``. A new item whose aisle nobody has given
    ///     then gets one from the catalogue; see ``ShoppingList/add(_:at:again:)``. Nil, or another language: it gets none.
    ///   - clock: the time; tests pass their own.
    ///   - logger: nil: there is no log. It gets each decision of a sync, each request, its answer, and each wait, at the levels `debug` and `trace`;
    ///     a sync that failed at `info`. Never what people wrote, nor names, addresses or tokens.
    /// - Throws: `.unreadableCertificates` and `.notCertificates`, when the file can't be read or contains no
    ///   certificate; `.store`.
    public convenience init(
        directory: String, connectTimeout: Duration = .milliseconds(1500), requestTimeout: Duration = .seconds(30),
        fallbackTimeout: Duration = .seconds(5), authorities: String? = nil,
        allowsPlainHTTP: Bool = false, language: String? = nil,
        clock: @escaping @Sendable () -> DeviceTime = DeviceTime.now, logger: Logger? = nil
    ) throws(DeviceError) {
        try self.init(
            directory: directory, connectTimeout: connectTimeout, requestTimeout: requestTimeout,
            fallbackTimeout: fallbackTimeout, silenceLimit: Self.silenceLimit, authorities: authorities,
            allowsPlainHTTP: allowsPlainHTTP, language: language, clock: clock, logger: logger)
    }

    /// An event stream that is silent for three of the service's heartbeats is dead.
    private static let silenceLimit: Duration = .seconds(45)

    /// - Parameter silenceLimit: how long an event stream may be silent.
    convenience init(
        directory: String, connectTimeout: Duration, requestTimeout: Duration, fallbackTimeout: Duration,
        silenceLimit: Duration, authorities: String?, allowsPlainHTTP: Bool, language: String? = nil,
        clock: @escaping @Sendable () -> DeviceTime, logger: Logger? = nil
    ) throws(DeviceError) {
        let store: SQLiteStore
        do { store = try SQLiteStore(directory: directory) } catch { throw .store(error) }
        self.init(
            store: store, directory: directory,
            connection: HTTPConnection(
                connectTimeout: connectTimeout, silenceLimit: silenceLimit, callSilenceLimit: requestTimeout),
            requestTimeout: requestTimeout, fallbackTimeout: fallbackTimeout,
            trust: TrustStore(
                given: try authorities.map { (file) throws(DeviceError) in
                    try CertificateAuthorities(file: file)
                }), allowsPlainHTTP: allowsPlainHTTP, language: language, clock: clock, logger: logger)
    }

    private init(
        store: SQLiteStore, directory: String?, connection: any ServiceConnection, requestTimeout: Duration,
        fallbackTimeout: Duration, trust: TrustStore, allowsPlainHTTP: Bool, language: String?,
        clock: @escaping @Sendable () -> DeviceTime, logger: Logger?
    ) {
        self.store = store
        self.directory = directory
        self.connection = connection
        self.requestTimeout = requestTimeout
        self.fallbackTimeout = min(fallbackTimeout, requestTimeout)
        self.trust = trust
        self.allowsPlainHTTP = allowsPlainHTTP
        self.language = language
        self.clock = clock
        log = logger ?? .silent
    }

    /// A device whose lists and queues are in memory, for previews and an app's own tests. It is gone with this object.
    ///
    /// ```swift
    /// let preview = try Device.inMemory()
    /// let list = try await preview.makeList(named: "Preview", isLocal: true)
    /// try await list.add("milk\neggs")
    /// ```
    /// - Parameter language: as for a device with files.
    /// - Throws: `.store`.
    public static func inMemory(
        language: String? = nil, clock: @escaping @Sendable () -> DeviceTime = DeviceTime.now, logger: Logger? = nil
    ) throws(DeviceError) -> Device {
        try inMemory(
            over: HTTPConnection(connectTimeout: .milliseconds(1500), silenceLimit: silenceLimit), language: language,
            clock: clock, logger: logger)
    }

    /// - Parameter connection: reaches the services that the device signs in to.
    package static func inMemory(
        over connection: any ServiceConnection, language: String? = nil,
        clock: @escaping @Sendable () -> DeviceTime = DeviceTime.now, logger: Logger? = nil
    ) throws(DeviceError) -> Device {
        let store: SQLiteStore
        do { store = try SQLiteStore() } catch { throw .store(error) }
        return Device(
            store: store, directory: nil, connection: connection, requestTimeout: .seconds(30),
            fallbackTimeout: .seconds(5), trust: TrustStore(given: nil), allowsPlainHTTP: false, language: language,
            clock: clock, logger: logger)
    }

    /// Closes the connections and returns when that is done. The device must not be used afterwards.
    ///
    /// ```swift
    /// await device.close()
    /// ```
    public func close() async {
        await stop()
        await connection.close()
    }

    /// - Parameter kept: the PEM certificates that were stored with a session; trusted if none were given.
    func transport(_ server: String, token: String? = nil, trusting kept: String?) -> HTTPTransport {
        // Calls without a token sign up or in; hashing passwords may queue on the service.
        let requestTimeout = token == nil ? max(requestTimeout, .seconds(30)) : requestTimeout
        return HTTPTransport(
            connection: connection, server: server, token: token, requestTimeout: TimeAmount(requestTimeout),
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

    // MARK: What the device does with its store and its service

    /// The store for what the present session's calls are answered; see ``SQLiteStore/during(_:)``. While nobody is signed in:
    /// the store for everybody.
    func storeOfSession() async throws(DeviceError) -> SQLiteStore {
        guard let session = try await session() else { return store }
        return store.during(session)
    }

    /// Reads in one transaction of the store.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws(DeviceError) -> Value {
        do { return try await store.read(body) } catch { throw .store(error) }
    }

    /// Writes in one transaction of the store. For what a person does, see ``gesture(_:)``.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction) throws -> Value
    ) async throws(DeviceError) -> Value {
        do { return try await store.write(body) } catch { throw .store(error) }
    }

    /// Makes a call to the service that the device is signed in to.
    /// - Parameter hasFallback: see ``transport(hasFallback:)``.
    func call<Value>(
        hasFallback: Bool = false, _ body: (HTTPTransport) async throws(TransportError) -> Value
    ) async throws(DeviceError) -> Value {
        let transport = try await transport(hasFallback: hasFallback)
        do { return try await body(transport) } catch { throw .transport(error) }
    }

    /// Runs an operation of the store and converts its errors.
    func withStoreErrors<Value>(
        _ body: () async throws(QueueStoreError) -> Value
    ) async throws(DeviceError) -> Value {
        do {
            return try await body()
        } catch {
            throw DeviceError(error)
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
