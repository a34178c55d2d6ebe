import TrolleyAssistant
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

extension AssistantCall {
    /// One call looks at this many lists at most.
    private static let mostLists = 100

    // MARK: lists

    func lists() async throws -> String {
        let lists = try await store.lists(of: session.account).filter { session.opens($0.id) }
            .sorted { ListPlace.precedes(($0.id, $0.place ?? ListPlace()), ($1.id, $1.place ?? ListPlace())) }
        var rows: [ListsAnswer.Row] = []
        try await each(lists.prefix(Self.mostLists).map(\.id)) { list in
            let through = lists.first { $0.id == list }?.readThrough ?? .start
            let found = try await row(of: list, readThrough: through)
            rows.append(found)
        }
        let others = Set(lists.dropFirst(Self.mostLists).map(\.id))
        if !others.isEmpty {
            // Those are named, and not counted.
            for list in try await namedLists() where others.contains(list.id) {
                rows.append(ListsAnswer.Row(id: list.id, name: list.name, colour: nil, wanted: nil, markedOff: nil))
            }
        }
        return .document { writer in
            ListsAnswer(rows).writeMembers(to: &writer)
            // A device may hold lists of an account that is signed out; here there are none.
            writer.member("hidden", [String]())
        }
    }

    private struct Overview: Sendable {
        var fold = ListFold()
        /// The number of other people's entries after the account's read mark.
        var unread = 0
    }

    private func row(of list: ListID, readThrough: SequenceNumber) async throws -> ListsAnswer.Row {
        let own = session.account
        let read = try await store.journal(of: list, for: own, [.live], into: Overview()) { overview, entry, _ in
            if entry.author != own, entry.sequence > readThrough { overview.unread += 1 }
            return overview.fold.take(entry)
        }
        return withExtendedLifetime(read.reservation) {
            let items = read.value.fold.items.reduce(into: (wanted: 0, markedOff: 0)) { count, item in
                if item.markedOff { count.markedOff += 1 } else { count.wanted += 1 }
            }
            var row = ListsAnswer.Row(
                id: list, name: read.value.fold.name, colour: read.value.fold.colour, wanted: items.wanted,
                markedOff: items.markedOff)
            let people = read.people.participants
            row.others = people.count { $0.status == .accepted && $0.account != own }
            row.invited = people.count { $0.status == .invited }
            row.unread = read.value.unread
            row.owner = people.first { $0.role == .owner && $0.account != own }.flatMap { $0.name ?? $0.email }
            row.place = read.list.place ?? ListPlace()
            return row
        }
    }

    // MARK: suggest

    /// Purchases count for this long, in milliseconds: a year, and what comes once a year a little late.
    private static let pastOfPurchases: Int64 = 400 * 86_400_000
    /// Purchases on this many lists count, beside those on the list itself.
    private static let mostOtherLists = 19

    /// The time of the first purchases that count.
    static func beginOfPurchases(at now: Timestamp) -> Timestamp {
        now.advanced(byMilliseconds: -pastOfPurchases)
    }

    /// The entries that the purchases on a list come from.
    static func purchasesPart(at now: Timestamp) -> JournalPart { .recent(since: beginOfPurchases(at: now)) }

    func suggestions(_ arguments: AssistantArguments) async throws -> String {
        let list = try await list(named: arguments["list"])
        let now = HostedClock.now().wall
        let part = Self.purchasesPart(at: now)
        let read = try await store.journal(of: list, for: session.account, [.live, part], into: ShoppedList()) {
            $0.take($1, $2)
        }
        var past = read.value.past
        var held = [read.reservation]
        others: for other in try await namedLists().map(\.id).filter({ $0 != list }).suffix(Self.mostOtherLists) {
            do throws(StoreError) {
                let more = try await store.journal(of: other, for: session.account, [part], into: past) {
                    past, entry, _ in
                    past.take(entry)
                    return ShoppedList.bytes(ofPurchase: entry)
                }
                past = more.value
                held.append(more.reservation)
            } catch {
                switch error {
                case .notOnList, .gone: continue
                // The account's memory has no room for more: the purchases so far are enough to suggest something.
                case .overloaded, .tooLong: break others
                default: throw error
                }
            }
        }
        return withExtendedLifetime(held) {
            AssistantList(list, read.value.fold).suggestions(arguments, from: past, at: now)
        }
    }

    // MARK: where

    func whereabouts(_ arguments: AssistantArguments) async throws -> String {
        let name = arguments["item"] ?? ""
        if name.itemKey.text.isEmpty { throw AssistantFailure("Name the item: a part of its text is enough.") }
        var lists = try await namedLists()
        if let wanted = arguments["list"] {
            let list = try await list(named: wanted)
            lists = lists.filter { $0.id == list }
        }
        let deadline = ContinuousClock.now + routes.searchTime
        var rows: [WhereAnswer.Row] = []
        var found: [ListID: Set<ItemID>] = [:]
        var unsearched = Set(lists.dropFirst(Self.mostLists).map(\.id))
        // The Activity also has what compression has taken away because it was finished.
        for part in [JournalPart.live, .activity] {
            try await each(lists.prefix(Self.mostLists).map(\.id)) { list in
                guard !unsearched.contains(list) else { return }
                guard ContinuousClock.now < deadline else {
                    unsearched.insert(list)
                    return
                }
                do {
                    for row in try await traces(of: list, called: name, in: part)
                    where found[list, default: []].insert(row.trace.id).inserted {
                        rows.append(row)
                    }
                } catch let error as StoreError where error.isTooMuch(isNeeded: part == .live) {
                    unsearched.insert(list)
                }
            }
        }
        rows.sort { $0.trace.since.at > $1.trace.since.at }
        let others = lists.filter { unsearched.contains($0.id) }
        return .document { WhereAnswer(name, rows, unsearched: others).writeMembers(to: &$0) }
    }

    private func traces(
        of list: ListID, called name: String, in part: JournalPart
    ) async throws -> [WhereAnswer.Row] {
        struct Known: Sendable {
            var entries: [ConfirmedEntry] = []
            var title = ListFold()
        }
        let read = try await store.journal(of: list, for: session.account, [part], into: Known()) { known, entry, _ in
            known.entries.append(entry)
            // A list's name alone.
            if entry.entry.operation.concernsList { known.title.apply(entry) }
            return 512 + 96 * entry.entry.fields.count
        }
        let names = names(read.people)
        return withExtendedLifetime(read.reservation) {
            ItemTrace.traces(of: read.value.entries).named(name).map { trace in
                WhereAnswer.Row(
                    list: list, listName: read.value.title.name, trace: trace,
                    source: part == .live ? "list" : "activity", sinceName: trace.since.by.flatMap { names[$0] },
                    addedName: trace.added?.by.flatMap { names[$0] })
            }
        }
    }
}

extension StoreError {
    /// Whether a list, or its Activity, is too long to be searched.
    /// - Parameter isNeeded: whether to try again later is better than to leave the list out, when memory is short.
    fileprivate func isTooMuch(isNeeded: Bool) -> Bool {
        switch self {
        case .tooLong: true
        case .overloaded: !isNeeded
        default: false
        }
    }
}

/// A list, and what was bought on it.
struct ShoppedList: Sendable {
    private(set) var fold = ListFold()
    private(set) var past = PurchaseHistory()

    mutating func take(_ entry: ConfirmedEntry, _ part: JournalPart) -> Int {
        if part == .live { return fold.take(entry) }
        past.take(entry)
        return Self.bytes(ofPurchase: entry)
    }

    /// About how many bytes an entry takes in a history of purchases.
    static func bytes(ofPurchase entry: ConfirmedEntry) -> Int {
        switch entry.entry.operation {
        case .add: 400
        case .markOff: 500
        default: 64
        }
    }
}
