import Synchronization
import TrolleyJournal
import TrolleyStore

/// One device's event stream: the state that the device knows, and the hints to send.
///
/// Hints are coalesced to one for each list. When hints about too many lists wait, they are replaced by one hint to
/// sync everything. So the memory for a slow device is bounded.
final class Subscription: Sendable {
    let account: AccountID
    let device: DeviceID
    /// The lists of which it tells; nil: all of the account's.
    private let lists: Set<ListID>?
    let began = ContinuousClock.now
    private let state: Mutex<State>

    private struct State {
        var hints: SubscriptionState
        var isHeartbeatDue = false
        var isEnded = false
        /// Called when there is something to send; nil without a reader.
        var wake: (@Sendable () -> Void)?
        /// Whether `wake` was called, and the reader has not taken the events yet.
        var isAwake = false
    }

    init(_ session: Session) {
        device = session.device
        account = session.account
        lists = session.scope?.lists
        state = Mutex(State(hints: SubscriptionState(account: session.account, device: session.device)))
    }

    // MARK: The reader

    /// Calls `wake` once now, and then whenever there is something to send or the subscription has ended.
    func listen(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        self.wake()
    }

    /// Removes the reader.
    func forget() { state.withLock { $0.wake = nil } }

    private func wake() {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            if state.isAwake { return nil }
            state.isAwake = state.wake != nil
            return state.wake
        }
        wake?()
    }

    func sendHeartbeat() {
        state.withLock { $0.isHeartbeatDue = true }
        wake()
    }

    /// Ends the subscription permanently.
    func end() {
        state.withLock { state in
            state.isEnded = true
            // The last wake-up may still wait for a slow reader.
            state.isAwake = false
        }
        wake()
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Takes the waiting events, as the text of server-sent events (WHATWG HTML §9.2).
    func take() -> String {
        let (id, hints, isHeartbeatDue) = state.withLock { state in
            defer { state.isHeartbeatDue = false }
            let (id, hints) = Self.takeHints(&state)
            return (id, hints, state.isHeartbeatDue)
        }
        if hints.isEmpty { return isHeartbeatDue ? ":\n\n" : "" }
        return hints.map { "event: \($0.name)\nid: \(id)\ndata: \($0.data)\n\n" }.joined()
    }

    /// Takes the waiting hints, and the id that stands for what the device knows after them.
    func takeHints() -> (id: String, hints: [StreamedHint]) {
        state.withLock { state in
            state.isHeartbeatDue = false
            return Self.takeHints(&state)
        }
    }

    private static func takeHints(_ state: inout State) -> (id: String, hints: [StreamedHint]) {
        state.isAwake = false
        return state.hints.take()
    }

    // MARK: What happens

    private func opened(_ heads: [ListID: ListHead]) -> [ListID: ListHead] {
        guard let lists else { return heads }
        return heads.filter { lists.contains($0.key) }
    }

    /// Sets the state when the stream begins. What was noted before is kept.
    /// - Parameters:
    ///   - instant: a moment after this stream was registered and before the heads were read.
    ///   - lastEventID: the last event id of the device's previous stream; nil when there was none.
    /// - Returns: whether a comparison with the database must follow.
    func begin(at heads: [ListID: ListHead], readAfter instant: ContinuousClock.Instant, lastEventID: String?) -> Bool {
        let needsComparison = state.withLock {
            $0.hints.begin(at: opened(heads), readAfter: instant, lastEventID: lastEventID)
        }
        wake()
        return needsComparison
    }

    /// Records what happened on a list.
    func note(_ event: StreamNote.Event, on list: ListID) -> StreamNote.Effect {
        if let lists, !lists.contains(list) { return .nothing }
        let note = StreamNote(list: list, event: event)
        // The time is taken under the lock: a note that a comparison's heads contain must not seem to be newer than they.
        let effect = state.withLock { $0.hints.apply(note, at: .now) }
        if effect == .news { wake() }
        return effect
    }

    /// The lists on which the device may be behind the database, and the sequence that the device knows.
    /// - Parameter changed: lists that have changed since the previous comparison.
    func outdated(by heads: [ListID: ListHead], changed: Set<ListID>) -> [ListID: SequenceNumber] {
        state.withLock { $0.hints.outdated(by: opened(heads), changed: changed) }
    }

    /// The lists among these that the device knows.
    func known(among lists: Set<ListID>) -> Set<ListID> {
        lists.isEmpty ? [] : state.withLock { $0.hints.known(among: lists) }
    }

    /// The same of some lists only.
    func outdated(by heads: [ListID: ListHead], on lists: Set<ListID>) -> [ListID: SequenceNumber] {
        state.withLock { $0.hints.outdated(by: opened(heads), on: lists) }
    }

    /// Compares the database's state with the device's on some lists.
    /// - Returns: the lists for which that must be repeated.
    func compare(
        with heads: [ListID: ListHead], on lists: Set<ListID>, readAfter instant: ContinuousClock.Instant,
        authors: [ListAuthor]
    ) -> Set<ListID> {
        let (isNews, late) = state.withLock {
            $0.hints.compare(with: opened(heads), on: lists, readAfter: instant, authors: authors)
        }
        if isNews { wake() }
        return late
    }

    /// Compares the database's state with the device's; see ``SubscriptionState``.
    /// - Returns: the lists for which that must be repeated.
    func compare(
        with heads: [ListID: ListHead], readAfter instant: ContinuousClock.Instant, changed: Set<ListID>,
        authors: [ListAuthor]
    ) -> Set<ListID> {
        let (isNews, late) = state.withLock {
            $0.hints.compare(with: opened(heads), readAfter: instant, changed: changed, authors: authors)
        }
        if isNews { wake() }
        return late
    }
}
