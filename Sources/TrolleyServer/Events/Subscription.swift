import Synchronization
import TrolleyJournal
import TrolleyStore

/// One device's event stream: what it knows, and what it is still to be told.
///
/// Hints are coalesced, a list has one at the most. Who reads so slowly that hints about many lists pile up is told to
/// fetch everything instead, so what waits for a device is bounded.
final class Subscription: Sendable {
    let account: AccountID
    let device: DeviceID
    let began = ContinuousClock.now
    private let state = Mutex(State())

    /// Lists with a hint that waits; with more of them, fetching everything costs less.
    fileprivate static let mostHints = 200

    fileprivate struct State {
        /// The head of each list, as far as the device was told or has made it itself.
        var known = KnownHeads()
        var hints: [ListID: Hint] = [:]
        /// Of each known list, who else has it open and how far the account has read, as it was told.
        var people: [ListID: People] = [:]
        /// Lists where that is another now.
        var newPeople: Set<ListID> = []
        /// Lists of which the device was told otherwise than by a comparison, since the last one; nil: it was never compared.
        var touched: Set<ListID>?
        var needsSync = false
        var isHeartbeatDue = false
        var isEnded = false
        /// Who takes what is to be told; nil while nobody does.
        var wake: (@Sendable () -> Void)?
        /// Whether that was called, and has not taken anything yet.
        var isAwake = false
    }

    fileprivate struct People: Hashable {
        var company: String?
        var read: SequenceNumber?
    }

    init(_ session: Session) {
        device = session.device
        account = session.account
    }

    /// Has `wake` called once, and then whenever there is something to tell, or the subscription has ended.
    func listen(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        self.wake()
    }

    /// Nobody listens any more.
    func forget() { state.withLock { $0.wake = nil } }

    private func wake() {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            if state.isAwake { return nil }
            state.isAwake = state.wake != nil
            return state.wake
        }
        wake?()
    }

    /// Where the device is when its stream begins.
    /// - Parameter lastEventID: what it was told last, on an earlier stream; nil when there was none.
    func begin(at heads: [ListID: ListHead], lastEventID: String?) {
        state.withLock { state in
            for (list, head) in heads { state.known[list] = max(state.known[list] ?? .start, head.sequence) }
            for (list, head) in heads where state.people[list] == nil { state.people[list] = People(head) }
            state.needsSync = lastEventID != state.known.eventID
        }
        wake()
    }

    /// A list has grown.
    /// - Parameters:
    ///   - previous: its head before that.
    ///   - author: the device that did it.
    /// - Returns: whether that is news to the device.
    func note(_ list: ListID, from previous: SequenceNumber, to head: SequenceNumber, author: DeviceID) -> Bool {
        let isNews = state.withLock { state in
            guard let known = state.known[list], known < head else { return false }
            // What the device did itself it need not be told, unless there is something before that it doesn't know.
            let isOwn = author == device && state.hints[list] == nil && known >= previous
            state.known[list] = head
            state.touched?.insert(list)
            if !isOwn { state.add(.changed(head), list) }
            return !isOwn
        }
        if isNews { wake() }
        return isNews
    }

    /// The account has read a list.
    /// - Parameter isOwn: whether this device has said so itself.
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

    /// Somebody has opened or closed a list.
    /// - Parameter present: everybody who has it open now.
    func notePresence(on list: ListID, present: [AccountID]) {
        let company = ListHead.company(of: account, among: present)
        let isNews = state.withLock { state in
            guard let people = state.people[list], people.company != company else { return false }
            state.people[list]?.company = company
            state.touched?.insert(list)
            state.newPeople.insert(list)
            return true
        }
        if isNews { wake() }
    }

    /// Where the device and the database may differ, and up to where the device knows those lists.
    /// - Parameter changed: lists that are otherwise than in the comparison before.
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

    /// What the database says, against what the device knows.
    /// - Parameters:
    ///   - heads: all lists of the account.
    ///   - changed: those that are otherwise than in the comparison before. A device's first comparison is of all.
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

    func beat() {
        state.withLock { $0.isHeartbeatDue = true }
        wake()
    }

    /// For good.
    func end() {
        state.withLock { state in
            state.isEnded = true
            // Whoever was woken before may be waiting for a reader.
            state.isAwake = false
        }
        wake()
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Takes what is to be told, as the text of server-sent events (WHATWG HTML §9.2).
    func take() -> String {
        state.withLock { state in
            let id = state.known.eventID
            var text = ""
            if state.needsSync { text += "event: sync\nid: \(id)\ndata: {}\n\n" }
            for (list, hint) in state.hints.sorted(by: { $0.key < $1.key }) {
                text += "event: \(hint.name)\nid: \(id)\ndata: \(hint.data(for: list))\n\n"
            }
            for list in state.newPeople.sorted() {
                text += "event: presence\nid: \(id)\ndata: {\"list\":\"\(list)\"}\n\n"
            }
            if text.isEmpty, state.isHeartbeatDue { text = ":\n\n" }
            state.hints = [:]
            state.newPeople = []
            state.needsSync = false
            state.isHeartbeatDue = false
            state.isAwake = false
            return text
        }
    }
}

extension Subscription.People {
    fileprivate init(_ head: ListHead) { self.init(company: head.company, read: head.read) }
}

extension Subscription.State {
    /// The lists to compare.
    fileprivate func suspects(among heads: [ListID: ListHead], changed: Set<ListID>) -> Set<ListID> {
        guard let touched else { return Set(heads.keys).union(known.lists) }
        return touched.isEmpty ? changed : changed.union(touched)
    }

    /// - Returns: whether there is something to tell.
    fileprivate mutating func compare(
        _ list: ListID, with head: ListHead?, device: DeviceID, authors: [ListAuthor]
    ) -> Bool {
        guard let head else {
            people[list] = nil
            newPeople.remove(list)
            guard known[list] != nil else { return false }
            known[list] = nil
            add(.gone, list)
            return true
        }
        var isNews = false
        let people = Subscription.People(head)
        // Of a list that is new to the device it is told anyway.
        if let told = self.people.updateValue(people, forKey: list), told != people {
            newPeople.insert(list)
            isNews = true
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

    fileprivate mutating func add(_ hint: Hint, _ list: ListID) {
        hints[list] = hint
        guard hints.count > Subscription.mostHints else { return }
        hints = [:]
        needsSync = true
    }
}

/// That something happened to a list, never what.
enum Hint: Hashable, Sendable {
    /// There are changes up to here.
    case changed(SequenceNumber)
    /// The list is no longer the device's to see; fetching says why.
    case gone

    var name: String {
        switch self {
        case .changed: "changed"
        case .gone: "gone"
        }
    }

    func data(for list: ListID) -> String {
        switch self {
        case .changed(let head): #"{"list":"\#(list)","sequence":\#(head.rawValue)}"#
        case .gone: #"{"list":"\#(list)"}"#
        }
    }
}
