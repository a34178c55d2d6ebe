import Synchronization
public import TrolleyClient
public import TrolleyJournal
import TrolleySync
public import TrolleyWire

/// A service in memory, for previews and for an app's own tests: people and their devices, lists, sharing, read marks,
/// presence, the Activity and hints. Its devices do everything that they do with a real service, through the same API.
///
/// ```swift
/// let service = InMemoryService()
/// let (ann, ben) = (try await service.device(of: "Ann"), try await service.device(of: "Ben"))
/// let list = try await ann.makeList(named: "Party")
/// _ = try await ben.join(try await list.invite().link)
/// try await ben.list(list.id).add("chips")
/// _ = try await ben.sync()
/// _ = try await ann.sync()
/// ```
///
/// It sends no mail and no push messages, writes no summaries, and has no rooms.
public final class InMemoryService: Sendable {
    /// The address to sign up or in at.
    public static let address = "https://memory.example"
    /// The password of everybody whom ``device(of:clock:)`` has signed up.
    public static let password = "correct horse"

    let state: Mutex<ServiceState>
    private let faults = Mutex(Faults())

    private struct Faults {
        var isReachable = true
        var fault: @Sendable (_ method: String, _ path: String) -> ServiceFault? = { _, _ in nil }
    }

    /// - Parameters:
    ///   - limits: the limits on requests, which a device learns from refusals.
    ///   - now: the service's clock.
    public init(limits: Limits = Limits(), now: @escaping @Sendable () -> Timestamp = { .now() }) {
        state = Mutex(ServiceState(limits: limits, now: now))
    }

    // MARK: Devices

    /// A new device in memory on which nobody has signed in. Sign up or in at ``address``.
    /// - Throws: `.store`.
    public func device(clock: @escaping @Sendable () -> DeviceTime = DeviceTime.now) throws(DeviceError) -> Device {
        try Device.inMemory(over: InMemoryConnection(service: self), clock: clock)
    }

    /// A new device in memory on which a person is signed in. Signs the person up with ``password`` and an address like
    /// `ann@example.com` if nobody has that name.
    /// - Throws: `.store`; `.transport`, if the test has made calls go wrong.
    public func device(
        of person: String, clock: @escaping @Sendable () -> DeviceTime = DeviceTime.now
    ) async throws(DeviceError) -> Device {
        let device = try device(clock: clock)
        let email = "\(person.lowercased().filter { $0.isLetter || $0.isNumber })@example.com"
        if state.withLock({ $0.account(withEmail: email) }) == nil {
            _ = try await device.signUp(server: Self.address, email: email, name: person, password: Self.password)
        } else {
            _ = try await device.signIn(server: Self.address, email: email, password: Self.password)
        }
        return device
    }

    // MARK: What goes wrong

    /// Whether calls arrive. Event streams end when they don't.
    public var isReachable: Bool {
        get { faults.withLock { $0.isReachable } }
        set {
            faults.withLock { $0.isReachable = newValue }
            if !newValue { state.withLock { $0.endStreams() } }
        }
    }

    /// Chooses what goes wrong from now on, by a call's method and path; nil: nothing.
    public func goWrong(_ fault: @escaping @Sendable (_ method: String, _ path: String) -> ServiceFault?) {
        faults.withLock { $0.fault = fault }
    }

    /// Changes the limits on requests.
    public func setLimits(_ limits: Limits) { state.withLock { $0.limits = limits } }

    func fault(_ method: String, _ path: String) -> ServiceFault? {
        faults.withLock { $0.isReachable ? $0.fault(method, path) : .lostRequest }
    }

    // MARK: What the service has

    /// The entries of a list that compression has left, in order.
    public func entries(of list: ListID) -> [ConfirmedEntry] { state.withLock { $0.lists[list]?.stream.entries ?? [] } }

    /// Compresses a list to the entries that decide its state, as the service does after 14 days.
    public func compress(_ list: ListID) { state.withLock { $0.compress(list) } }

    /// Restores an older copy of a list: its last changes are lost, and older tokens are refused.
    public func restore(_ list: ListID, losing count: Int) { state.withLock { $0.restore(list, losing: count) } }
}
