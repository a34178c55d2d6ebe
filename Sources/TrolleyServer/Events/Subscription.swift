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
    let began = ContinuousClock.now
    private let state = Mutex(State())

    /// The maximum number of lists with a waiting hint. With more, fetching everything costs less.
    fileprivate static let maxHints = 200

    fileprivate struct State {
        /// The head of each list that the device was told or has made itself.
        var known = KnownHeads()
        var hints: [ListID: Hint] = [:]
        /// For each known list: the other people who have it open and how far the account has read, as sent to the
        /// device.
        var people: [ListID: People] = [:]
        /// Lists for which that has changed.
        var newPeople: Set<ListID> = []
        /// Lists on which the device was hailed.
        var hailed: Set<ListID> = []
        /// Lists with a new summary for the account.
        var newSummaries: Set<ListID> = []
        /// Lists whose state changed other than by a comparison, since the last comparison; nil before the first one.
        var touched: Set<ListID>?
        var needsSync = false
        var isHeartbeatDue = false
        var isEnded = false
        /// Called when there is something to send; nil without a reader.
        var wake: (@Sendable () -> Void)?
        /// Whether `wake` was called, and the reader has not taken the events yet.
        var isAwake = false
    }

    fileprivate struct People: Hashable {
        var presenceFingerprint: String?
        var read: SequenceNumber?
        /// The last change that a summary for the account covers.
        var summarized: SequenceNumber?
    }

    init(_ session: Session) {
        device = session.device
        account = session.account
    }

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

    /// Sets the state when the stream begins.
    /// - Parameter lastEventID: the last event id of the device's previous stream; nil when there was none.
    func begin(at heads: [ListID: ListHead], lastEventID: String?) {
        state.withLock { state in
            for (list, head) in heads { state.known[list] = max(state.known[list] ?? .start, head.sequence) }
            for (list, head) in heads where state.people[list] == nil { state.learn(People(head), of: list) }
            state.needsSync = lastEventID != state.known.eventID
        }
        wake()
    }

    /// Records that a list has grown.
    /// - Parameters:
    ///   - previous: the list's head before that.
    ///   - author: the device that appended.
    /// - Returns: whether the device gets a hint.
    func note(_ list: ListID, from previous: SequenceNumber, to head: SequenceNumber, author: DeviceID) -> Bool {
        let isNews = state.withLock { state in
            guard let known = state.known[list], known < head else { return false }
            // No hint about the device's own changes, unless there are earlier changes that it doesn't know.
            let isOwn = author == device && state.hints[list] == nil && known >= previous
            state.known[list] = head
            state.touched?.insert(list)
            if !isOwn { state.add(.changed(head), list) }
            return !isOwn
        }
        if isNews { wake() }
        return isNews
    }

    /// Records that the account has read a list.
    /// - Parameter isOwn: whether this device reported it.
    func noteRead(_ list: ListID, through sequence: SequenceNumber, isOwn: Bool) {
        let isNews = state.withLock { state in
            guard let people = state.people[list], sequence > people.read ?? .start else { return false }
            state.people[list]?.read = sequence
            state.touched?.insert(list)
            if !isOwn { state.newPeople.insert(list) }
            return !isOwn
        }
        if isNews { wake() }
    }

    /// Records who has a list open.
    /// - Parameter present: the accounts that have it open now.
    func notePresence(on list: ListID, present: [AccountID]) {
        let presenceFingerprint = ListHead.presenceFingerprint(of: account, among: present)
        let isNews = state.withLock { state in
            guard let people = state.people[list], people.presenceFingerprint != presenceFingerprint else {
                return false
            }
            state.people[list]?.presenceFingerprint = presenceFingerprint
            state.touched?.insert(list)
            state.newPeople.insert(list)
            return true
        }
        if isNews { wake() }
    }

    /// Records that the device was hailed.
    func noteHail(on list: ListID) {
        let isNews = state.withLock { state in
            guard state.known[list] != nil else { return false }
            state.hailed.insert(list)
            return true
        }
        if isNews { wake() }
    }

    /// Records that there is a summary for the account.
    /// - Parameter sequence: the last change that it covers.
    func noteSummary(of list: ListID, through sequence: SequenceNumber) {
        let isNews = state.withLock { state in
            guard let people = state.people[list], people.summarized != sequence else { return false }
            state.people[list]?.summarized = sequence
            state.touched?.insert(list)
            state.newSummaries.insert(list)
            return true
        }
        if isNews { wake() }
    }

    /// The lists on which the device may be behind the database, and the sequence that the device knows.
    /// - Parameter changed: lists that have changed since the previous comparison.
    func outdated(by heads: [ListID: ListHead], changed: Set<ListID>) -> [ListID: SequenceNumber] {
        state.withLock { state in
            var outdated: [ListID: SequenceNumber] = [:]
            for list in state.suspects(among: heads, changed: changed) {
                if let known = state.known[list], let head = heads[list], head.sequence > known {
                    outdated[list] = known
                }
            }
            return outdated
        }
    }

    /// Compares the database's state with the device's.
    /// - Parameters:
    ///   - heads: all lists of the account.
    ///   - changed: lists that have changed since the previous comparison. A device's first comparison covers all
    ///     lists.
    func compare(with heads: [ListID: ListHead], changed: Set<ListID>, authors: [ListAuthor]) {
        let isNews = state.withLock { state in
            var isNews = false
            for list in state.suspects(among: heads, changed: changed) {
                let isListNews = state.compare(list, with: heads[list], device: device, authors: authors)
                isNews = isListNews || isNews
            }
            state.touched = []
            return isNews
        }
        if isNews { wake() }
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
        state.withLock { state in
            let (id, hints) = state.takeHints()
            if hints.isEmpty, state.isHeartbeatDue {
                state.isHeartbeatDue = false
                return ":\n\n"
            }
            state.isHeartbeatDue = false
            return hints.map { "event: \($0.name)\nid: \(id)\ndata: \($0.data)\n\n" }.joined()
        }
    }

    /// Takes the waiting hints, and the id that stands for what the device knows after them.
    func takeHints() -> (id: String, hints: [StreamedHint]) {
        state.withLock { state in
            state.isHeartbeatDue = false
            return state.takeHints()
        }
    }
}

/// A hint as it is sent.
struct StreamedHint: Hashable, Sendable {
    /// `sync`, `changed`, `gone`, `presence`, `hail` or `summary`.
    let name: String
    /// nil for `sync`.
    var list: ListID?
    /// For `changed`.
    var sequence: SequenceNumber?

    /// JSON.
    var data: String {
        switch (list, sequence) {
        case (let list?, let sequence?): #"{"list":"\#(list)","sequence":\#(sequence.rawValue)}"#
        case (let list?, nil): #"{"list":"\#(list)"}"#
        case (nil, _): "{}"
        }
    }
}

extension Subscription.State {
    fileprivate mutating func takeHints() -> (id: String, hints: [StreamedHint]) {
        var taken: [StreamedHint] = []
        if needsSync { taken.append(StreamedHint(name: "sync")) }
        for (list, hint) in hints.sorted(by: { $0.key < $1.key }) {
            taken.append(StreamedHint(name: hint.name, list: list, sequence: hint.sequence))
        }
        taken += newPeople.sorted().map { StreamedHint(name: "presence", list: $0) }
        taken += hailed.sorted().map { StreamedHint(name: "hail", list: $0) }
        taken += newSummaries.sorted().map { StreamedHint(name: "summary", list: $0) }
        hints = [:]
        newPeople = []
        hailed = []
        newSummaries = []
        needsSync = false
        isAwake = false
        return (known.eventID, taken)
    }
}

extension Subscription.People {
    fileprivate init(_ head: ListHead) {
        self.init(presenceFingerprint: head.presenceFingerprint, read: head.read, summarized: head.summarized)
    }
}

extension Subscription.State {
    /// The lists that must be compared.
    fileprivate func suspects(among heads: [ListID: ListHead], changed: Set<ListID>) -> Set<ListID> {
        guard let touched else { return Set(heads.keys).union(known.lists) }
        return touched.isEmpty ? changed : changed.union(touched)
    }

    /// - Returns: whether there is something to send.
    fileprivate mutating func compare(
        _ list: ListID, with head: ListHead?, device: DeviceID, authors: [ListAuthor]
    ) -> Bool {
        guard let head else {
            people[list] = nil
            newPeople.remove(list)
            hailed.remove(list)
            newSummaries.remove(list)
            guard known[list] != nil else { return false }
            known[list] = nil
            add(.gone, list)
            return true
        }
        var isNews = false
        var people = Subscription.People(head)
        // The heads may have been read before a summary that the device was told of since.
        people.summarized = [people.summarized, self.people[list]?.summarized].compactMap(\.self).max()
        if var told = self.people[list] {
            self.people[list] = people
            isNews = told != people
            if told.summarized != people.summarized { newSummaries.insert(list) }
            told.summarized = people.summarized
            if told != people { newPeople.insert(list) }
        } else {
            isNews = learn(people, of: list)
        }
        guard known[list] != head.sequence else { return isNews }
        let told = known[list]
        known[list] = head.sequence
        let isOwn =
            told.map { told in
                authors.allSatisfy { $0.list != list || $0.newest <= told || $0.device == device }
            } ?? false
        if isOwn { return isNews }
        add(.changed(head.sequence), list)
        return true
    }

    /// Sets the people of a list that is new here. The device may have asked who has it open, and somebody may have opened it
    /// since.
    /// - Returns: whether there is something to send.
    @discardableResult
    fileprivate mutating func learn(_ people: Subscription.People, of list: ListID) -> Bool {
        self.people[list] = people
        guard people.presenceFingerprint != nil else { return false }
        newPeople.insert(list)
        return true
    }

    fileprivate mutating func add(_ hint: Hint, _ list: ListID) {
        hints[list] = hint
        guard hints.count > Subscription.maxHints else { return }
        hints = [:]
        needsSync = true
    }
}

/// A hint that a list has changed. It never contains the change.
enum Hint: Hashable, Sendable {
    /// The list has changes up to this sequence.
    case changed(SequenceNumber)
    /// The device can no longer see the list. The next fetch says why.
    case gone

    var name: String {
        switch self {
        case .changed: "changed"
        case .gone: "gone"
        }
    }

    var sequence: SequenceNumber? {
        switch self {
        case .changed(let head): head
        case .gone: nil
        }
    }
}
