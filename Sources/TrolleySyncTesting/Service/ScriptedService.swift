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

    public enum Fault: Hashable, Sendable {
        /// The request never arrives.
        case lostRequest
        /// The request is carried out; the answer never arrives.
        case lostResponse
        case problem(Problem)
    }

    struct State {
        /// Every change in its original form, including entries that compression has removed since, as a backup has them.
        var lists: [ListID: [Change]] = [:]
        /// Every accepted entry, including those that compression has removed since.
        var accepted: [EntryID: ConfirmedEntry] = [:]
        var epoch = 1
        var now = Timestamp(milliseconds: 1_800_000_000_000)
        var limits = Limits()
        var pageSize = 1000
        var protocolVersion = ProtocolVersion.current
        var gone: [ListID: ListGoneReason] = [:]
        var calls: [Call] = []
        var fetches: [AllChangesRequest] = []
        var fault: @Sendable (Call, Int) -> Fault? = { _, _ in nil }
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
    public func goWrong(_ fault: @escaping @Sendable (Call, Int) -> Fault?) { state.withLock { $0.fault = fault } }

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
        state.withLock { state in
            state.live(list).compactMap { if case .entry(let entry) = $0.body { entry } else { nil } }
        }
    }

    /// The sequence of the list's newest change.
    public func changeCount(of list: ListID) -> Int { state.withLock { $0.lists[list]?.count ?? 0 } }

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
            state.lists[list]?.removeLast(count)
            let head = state.lists[list]?.count ?? 0
            state.accepted = state.accepted.filter { $0.value.sequence.rawValue <= head }
            state.epoch += 1
        }
    }

    /// Compression removes entries.
    public func discard(_ ids: Set<EntryID>, anchors: [EntryID: ItemID?] = [:], in list: ListID) {
        state.withLock { state in
            let next = SequenceNumber(rawValue: Int64((state.lists[list]?.count ?? 0) + 1))
            state.lists[list]?.append(Change(sequence: next, body: .discard(ids: ids.sorted(), anchors: anchors)))
        }
    }

    /// Compresses a list to the entries that decide its state.
    public func compress(_ list: ListID) {
        let entries = entries(of: list)
        let compression = Compression(of: entries, olderThan: Timestamp(milliseconds: .max))
        guard !compression.isEmpty else { return }
        let anchors = compression.anchors.map { ($0.id, $0.after) }
        discard(
            Set(compression.discarded.map(\.id)), anchors: Dictionary(uniqueKeysWithValues: anchors), in: list)
    }

    /// Whether an entry was ever accepted.
    public func hasAccepted(_ entry: EntryID) -> Bool { state.withLock { $0.accepted[entry] != nil } }

    /// One device's transport to the service.
    public func transport(account: AccountID, device: DeviceID) -> some Transport {
        ScriptedTransport(service: self, account: account, device: device)
    }
}
