import TrolleyJournal
import TrolleyStore

/// What a device knows, and the hints that wait for it. A value: it decides, ``Subscription`` acts.
///
/// A stream is registered before the lists' heads are read, so that it misses nothing. What it is told before it has the
/// heads is kept, and applied to them when it begins.
struct SubscriptionState {
    /// The maximum number of lists with a waiting hint, and of notes kept before the stream begins. With more, fetching
    /// everything costs less.
    static let maxHints = 200

    private let account: AccountID
    private let device: DeviceID
    /// What was noted before the stream began; nil once it has begun.
    private var early: [StreamNote]? = []
    /// Whether too much was noted before the stream began.
    private var hasDroppedEarly = false
    /// Whether a comparison came before the stream began.
    private var hasMissedComparison = false
    /// A moment before the heads were read that the stream began with.
    private var headsReadAfter: ContinuousClock.Instant?
    /// The head of each list that the device was told or has made itself.
    private var known = KnownHeads()
    private var hints: [ListID: Hint] = [:]
    /// For each known list: the other people who have it open, how far the account has read, and its place, as sent to the
    /// device.
    private var people: [ListID: People] = [:]
    /// Lists for which that has changed.
    private var newPeople: Set<ListID> = []
    /// Lists that the account now keeps elsewhere among its own.
    private var newPlaces: Set<ListID> = []
    /// Lists on which the device was hailed.
    private var hailed: Set<ListID> = []
    /// Lists with a new summary for the account.
    private var newSummaries: Set<ListID> = []
    /// Lists that were noted since the last comparison's heads were read, and when.
    private var touched: [ListID: ContinuousClock.Instant] = [:]
    private var isCompared = false
    private var needsSync = false

    private struct People: Hashable {
        var presenceFingerprint: String?
        var read: SequenceNumber?
        /// The last change that a summary for the account covers.
        var summarized: SequenceNumber?
        /// How often the account has changed the list's place.
        var placed: Int64

        init(_ head: ListHead) {
            (presenceFingerprint, read) = (head.presenceFingerprint, head.read)
            (summarized, placed) = (head.summarized, head.placed)
        }
    }

    init(account: AccountID, device: DeviceID) {
        self.account = account
        self.device = device
    }

    // MARK: Beginning

    /// Sets the heads that the stream begins with, and applies what was noted since.
    /// - Parameters:
    ///   - instant: a moment after the stream was registered and before the heads were read.
    ///   - lastEventID: the last event id of the device's previous stream; nil when there was none.
    /// - Returns: whether a comparison with the database must follow.
    mutating func begin(
        at heads: [ListID: ListHead], readAfter instant: ContinuousClock.Instant, lastEventID: String?
    ) -> Bool {
        for (list, head) in heads {
            known[list] = head.sequence
            learn(People(head), of: list)
        }
        headsReadAfter = instant
        // Before the notes: the device can't know of them, so they are hints, and no reason to sync.
        needsSync = lastEventID != known.eventID
        let notes = early ?? []
        early = nil
        if hasDroppedEarly { needsSync = true }
        var needsComparison = hasDroppedEarly || hasMissedComparison
        for note in notes {
            // Whether the heads or the note are newer can't be told, except from the sequences of changes.
            if case .presence = note.event { needsComparison = true }
            if apply(note, at: instant) == .unknownList { needsComparison = true }
        }
        return needsComparison
    }

    // MARK: Notes

    mutating func apply(_ note: StreamNote, at now: ContinuousClock.Instant) -> StreamNote.Effect {
        if let count = early?.count {
            if count < Self.maxHints { early?.append(note) } else { hasDroppedEarly = true }
            return .nothing
        }
        let list = note.list
        guard let known = known[list], let people = people[list] else { return .unknownList }
        switch note.event {
        case .appended(let previous, let head, let author):
            guard known < head else { return .nothing }
            // No hint about the device's own changes, unless there are earlier changes that it doesn't know.
            let isOwn = author == device && hints[list] == nil && known >= previous
            self.known[list] = head
            touched[list] = now
            if isOwn { return .nothing }
            add(.changed(head), list)
        case .read(let sequence, let isOwn):
            guard sequence > people.read ?? .start else { return .nothing }
            self.people[list]?.read = sequence
            touched[list] = now
            if isOwn { return .nothing }
            newPeople.insert(list)
        case .placed(let count, let isOwn):
            guard count > people.placed else { return .nothing }
            self.people[list]?.placed = count
            touched[list] = now
            if isOwn { return .nothing }
            newPlaces.insert(list)
        case .presence(let present):
            let fingerprint = ListHead.presenceFingerprint(of: account, among: present)
            guard people.presenceFingerprint != fingerprint else { return .nothing }
            self.people[list]?.presenceFingerprint = fingerprint
            touched[list] = now
            newPeople.insert(list)
        case .hailed:
            hailed.insert(list)
        case .summarized(let sequence):
            guard sequence > people.summarized ?? .start else { return .nothing }
            self.people[list]?.summarized = sequence
            touched[list] = now
            newSummaries.insert(list)
        }
        return .news
    }

    private mutating func add(_ hint: Hint, _ list: ListID) {
        hints[list] = hint
        guard hints.count > Self.maxHints else { return }
        hints = [:]
        needsSync = true
    }

    // MARK: Comparing

    /// The lists on which the device may be behind the database, and the sequence that the device knows.
    /// - Parameter changed: lists that have changed since the previous comparison.
    func outdated(by heads: [ListID: ListHead], changed: Set<ListID>) -> [ListID: SequenceNumber] {
        guard early == nil else { return [:] }
        return outdated(by: heads, on: suspects(among: heads, changed: changed))
    }

    /// The same among some lists.
    func outdated(by heads: [ListID: ListHead], on lists: Set<ListID>) -> [ListID: SequenceNumber] {
        guard early == nil else { return [:] }
        var outdated: [ListID: SequenceNumber] = [:]
        for list in lists {
            if let known = known[list], let head = heads[list], head.sequence > known { outdated[list] = known }
        }
        return outdated
    }

    /// The lists among these that the device knows.
    func known(among lists: Set<ListID>) -> Set<ListID> { lists.filter { known[$0] != nil } }

    /// Compares the database's state with the device's.
    /// - Parameters:
    ///   - heads: all lists of the account.
    ///   - instant: a moment before the heads were read.
    ///   - changed: lists that have changed since the previous comparison. A device's first comparison covers all
    ///     lists.
    /// - Returns: whether there is something to send, and the lists that were noted after the heads were read: the comparison
    ///   must be repeated for them.
    mutating func compare(
        with heads: [ListID: ListHead], readAfter instant: ContinuousClock.Instant, changed: Set<ListID>,
        authors: [ListAuthor]
    ) -> (isNews: Bool, late: Set<ListID>) {
        guard mayCompare(instant) else { return (false, []) }
        let isNews = compare(suspects(among: heads, changed: changed), with: heads, authors: authors)
        touched = touched.filter { $0.value >= instant }
        isCompared = true
        return (isNews, Set(touched.keys))
    }

    /// Whether heads that were read after `instant` are newer than those with which the stream began.
    private mutating func mayCompare(_ instant: ContinuousClock.Instant) -> Bool {
        guard let headsReadAfter else {
            hasMissedComparison = true
            return false
        }
        // What changed after the stream's own heads were read asks for another comparison.
        return instant >= headsReadAfter
    }

    /// Compares some lists.
    /// - Parameters:
    ///   - heads: of those among `lists` that the account is on.
    ///   - instant: a moment before the heads were read.
    /// - Returns: whether there is something to send, and the lists that were noted after the heads were read.
    mutating func compare(
        with heads: [ListID: ListHead], on lists: Set<ListID>, readAfter instant: ContinuousClock.Instant,
        authors: [ListAuthor]
    ) -> (isNews: Bool, late: Set<ListID>) {
        guard mayCompare(instant) else { return (false, []) }
        let late = lists.filter { list in touched[list].map { $0 >= instant } ?? false }
        let isNews = compare(lists.subtracting(late), with: heads, authors: authors)
        touched = touched.filter { !lists.contains($0.key) || late.contains($0.key) }
        return (isNews, late)
    }

    private mutating func compare(
        _ lists: Set<ListID>, with heads: [ListID: ListHead], authors: [ListAuthor]
    ) -> Bool {
        var isNews = false
        for list in lists {
            let isListNews = compare(list, with: heads[list], authors: authors)
            isNews = isListNews || isNews
        }
        return isNews
    }

    /// The lists that must be compared.
    private func suspects(among heads: [ListID: ListHead], changed: Set<ListID>) -> Set<ListID> {
        if !isCompared { return Set(heads.keys).union(known.lists) }
        return touched.isEmpty ? changed : changed.union(touched.keys)
    }

    private mutating func compare(_ list: ListID, with head: ListHead?, authors: [ListAuthor]) -> Bool {
        guard let head else {
            people[list] = nil
            newPeople.remove(list)
            newPlaces.remove(list)
            hailed.remove(list)
            newSummaries.remove(list)
            guard known[list] != nil else { return false }
            known[list] = nil
            add(.gone, list)
            return true
        }
        var isNews = false
        var people = People(head)
        // The heads may have been read before a summary that the device was told of since.
        people.summarized = [people.summarized, self.people[list]?.summarized].compactMap(\.self).max()
        people.placed = max(people.placed, self.people[list]?.placed ?? 0)
        if var told = self.people[list] {
            self.people[list] = people
            isNews = told != people
            if told.summarized != people.summarized { newSummaries.insert(list) }
            if told.placed != people.placed { newPlaces.insert(list) }
            (told.summarized, told.placed) = (people.summarized, people.placed)
            if told != people { newPeople.insert(list) }
        } else {
            isNews = learn(people, of: list)
        }
        let told = known[list]
        // The heads may have been read before a change that the device was told of since. It must never be told less.
        if let told, told >= head.sequence { return isNews }
        known[list] = head.sequence
        let isOwn =
            told.map { told in
                authors.allSatisfy { $0.list != list || $0.newest <= told || $0.device == device }
            } ?? false
        if isOwn { return isNews }
        add(.changed(head.sequence), list)
        return true
    }

    /// Sets the people of a list that is new here. The device may have asked who has it open, and somebody may have
    /// opened it since.
    /// - Returns: whether there is something to send.
    @discardableResult
    private mutating func learn(_ people: People, of list: ListID) -> Bool {
        self.people[list] = people
        guard people.presenceFingerprint != nil else { return false }
        newPeople.insert(list)
        return true
    }

    // MARK: Sending

    /// Takes the waiting hints, and the id that stands for what the device knows after them.
    mutating func take() -> (id: String, hints: [StreamedHint]) {
        // Before the stream begins, there is no such id.
        if early != nil { return ("", []) }
        var taken: [StreamedHint] = []
        if needsSync { taken.append(StreamedHint(name: "sync")) }
        for (list, hint) in hints.sorted(by: { $0.key < $1.key }) {
            taken.append(StreamedHint(name: hint.name, list: list, sequence: hint.sequence))
        }
        taken += newPeople.sorted().map { StreamedHint(name: "presence", list: $0) }
        taken += newPlaces.sorted().map { StreamedHint(name: "placed", list: $0) }
        taken += hailed.sorted().map { StreamedHint(name: "hail", list: $0) }
        taken += newSummaries.sorted().map { StreamedHint(name: "summary", list: $0) }
        hints = [:]
        newPeople = []
        newPlaces = []
        hailed = []
        newSummaries = []
        needsSync = false
        return (known.eventID, taken)
    }
}
