import Synchronization
public import TrolleyJournal
public import TrolleySync
public import TrolleyWire

/// A service in memory, with failures that a test chooses. It keeps the real service's promises: each id once, sequences
/// without gaps, pages, tokens of an epoch.
public final class ScriptedService: Sendable {
    public enum Call: Hashable, Sendable {
        case config
        case createList
        /// An upload of this many entries.
        case upload(Int)
        case changes
        case deleteList
    }

    struct State {
        var lists: [ListID: ListStream] = [:]
        var epoch = 1
        var now = Timestamp(milliseconds: 1_800_000_000_000)
        var limits = Limits()
        var pageSize = 1000
        var protocolVersion = ProtocolVersion.current
        var gone: [ListID: ListGoneReason] = [:]
        var calls: [Call] = []
        var fetches: [AllChangesRequest] = []
        var fault: @Sendable (Call, Int) -> ServiceFault? = { _, _ in nil }
        var verdict: @Sendable (JournalEntry) -> ProblemCode? = { _ in nil }
    }

    let state = Mutex(State())

    public init() {}

    /// The number of calls so far, including failed ones.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// The requests of all fetches so far.
    public var fetches: [AllChangesRequest] { state.withLock { $0.fetches } }

    public var entriesPerRequest: Int {
        get { state.withLock { $0.limits.entriesPerRequest } }
        set { state.withLock { $0.limits.entriesPerRequest = newValue } }
    }

    public func setProtocolVersion(_ version: Int) { state.withLock { $0.protocolVersion = version } }

    public func setPageSize(_ size: Int) { state.withLock { $0.pageSize = size } }

    /// Sets the failures from now on, by the call and its number, from 0.
    public func goWrong(_ fault: @escaping @Sendable (Call, Int) -> ServiceFault?) {
        state.withLock { $0.fault = fault }
    }

    public func heal() { goWrong { _, _ in nil } }

    /// Sets which entries are refused, and with which code.
    public func refuse(_ verdict: @escaping @Sendable (JournalEntry) -> ProblemCode?) {
        state.withLock { $0.verdict = verdict }
    }

    /// Advances the clock.
    public func pass(milliseconds: Int64) {
        state.withLock { $0.now = $0.now.advanced(byMilliseconds: milliseconds) }
    }

    public func entries(of list: ListID) -> [ConfirmedEntry] {
        state.withLock { $0.lists[list]?.entries ?? [] }
    }

    /// The sequence of the list's newest change.
    public func changeCount(of list: ListID) -> Int { state.withLock { Int($0.lists[list]?.head.rawValue ?? 0) } }

    /// Removes a list from everybody.
    public func end(_ list: ListID, because reason: ListGoneReason) {
        state.withLock { state in
            state.lists[list] = nil
            state.gone[list] = reason
        }
    }

    /// Restores an older copy: the last changes are lost, and older tokens are refused.
    public func restore(_ list: ListID, losing count: Int) {
        state.withLock { state in
            state.lists[list]?.lose(count)
            state.epoch += 1
        }
    }

    /// Compression removes entries.
    public func discard(_ ids: Set<EntryID>, anchors: [EntryID: ItemID?] = [:], in list: ListID) {
        state.withLock { $0.lists[list]?.append(.discard(ids: ids.sorted(), anchors: anchors)) }
    }

    /// Compresses a list to the entries that decide its state.
    public func compress(_ list: ListID) { state.withLock { $0.lists[list]?.compress() } }

    /// Whether an entry was ever accepted.
    public func hasAccepted(_ entry: EntryID) -> Bool {
        state.withLock { $0.lists.values.contains { $0.accepted[entry] != nil } }
    }

    /// One device's transport to the service.
    public func transport(account: AccountID, device: DeviceID) -> some Transport {
        ScriptedTransport(service: self, account: account, device: device)
    }
}
