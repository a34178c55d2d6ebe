import Crypto
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
    private static let mostHints = 200

    fileprivate struct State {
        /// The head of each list, as far as the device was told or has made it itself.
        var known: [ListID: SequenceNumber] = [:]
        var hints: [ListID: Hint] = [:]
        /// Of each known list, who else has it open and how far the account has read, as it was told.
        var people: [ListID: People] = [:]
        /// Lists where that is another now.
        var newPeople: Set<ListID> = []
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
            state.known.merge(heads.mapValues(\.sequence)) { max($0, $1) }
            for (list, head) in heads where state.people[list] == nil { state.people[list] = People(head) }
            state.needsSync = lastEventID != state.eventID
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
            if !isOwn { state.add(.changed(head), list, most: Self.mostHints) }
            return !isOwn
        }
        if isNews { wake() }
        return isNews
    }

    /// The device has said itself how far its account has read.
    func noteRead(_ list: ListID, through sequence: SequenceNumber) {
        state.withLock { state in
            guard let people = state.people[list], sequence > people.read ?? .start else { return }
            state.people[list]?.read = sequence
        }
    }

    /// What the database says, against what the device knows.
    func compare(with heads: [ListID: ListHead], authors: [ListAuthor]) {
        let isNews = state.withLock { state in
            var isNews = false
            for (list, head) in heads where state.people[list] != People(head) {
                let known = state.people.updateValue(People(head), forKey: list)
                // Of a list that is new to the device it is told anyway.
                if known == nil { continue }
                state.newPeople.insert(list)
                isNews = true
            }
            for (list, head) in heads.mapValues(\.sequence) where state.known[list] != head {
                let known = state.known.updateValue(head, forKey: list)
                let isOwn =
                    known.map { known in
                        authors.allSatisfy { $0.list != list || $0.newest <= known || $0.device == device }
                    } ?? false
                if isOwn { continue }
                state.add(.changed(head), list, most: Self.mostHints)
                isNews = true
            }
            for list in state.known.keys where heads[list] == nil {
                state.known[list] = nil
                state.people[list] = nil
                state.newPeople.remove(list)
                state.add(.gone, list, most: Self.mostHints)
                isNews = true
            }
            return isNews
        }
        if isNews { wake() }
    }

    /// The lists of which the device knows less than `heads` says, and up to where it knows them.
    func outdated(by heads: [ListID: ListHead]) -> [ListID: SequenceNumber] {
        state.withLock { state in
            state.known.filter { list, known in heads[list].map { $0.sequence > known } ?? false }
        }
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
            let id = state.eventID
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
    fileprivate mutating func add(_ hint: Hint, _ list: ListID, most: Int) {
        hints[list] = hint
        guard hints.count > most else { return }
        hints = [:]
        needsSync = true
    }

    /// Stands for everything that the device knows: whoever comes back with it has missed nothing if it is still the same.
    fileprivate var eventID: String {
        var hash = SHA256()
        for (list, head) in known.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Array("\(list)=\(head.rawValue);".utf8))
        }
        return Base64URL.encode(Array(hash.finalize().prefix(12)))
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
