package import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// What registered programs are told.

extension Store {
    private static let programsPerPage = 1000

    /// Puts messages into the outbox for programs that have not been told of others' changes, at most one for each registration.
    /// Ends registrations of people who are no longer on the list. A list that fails doesn't stop the others.
    /// - Parameter lists: the lists to look at; nil: all.
    /// - Throws: the first error, after all lists.
    package func tellRegistered(
        on lists: Set<ListID>?, _ pacing: RegistrationPacing
    ) async throws(StoreError) -> RegistrationRound {
        var round = RegistrationRound()
        var failure: StoreError?
        var last = RegistrationID(UUIDBits(high: 0, low: 0))
        while true {
            let page = try await programs(on: lists, after: last)
            for (list, programs) in await behind(page) {
                do throws(StoreError) {
                    let outcome = try await tell(programs, of: list, pacing)
                    round.told += outcome.told.count
                    if outcome.isHeld { round.held.insert(list) }
                } catch {
                    failure = failure ?? error
                }
            }
            guard page.count == Self.programsPerPage, let end = page.last else { break }
            last = end.id
        }
        if let failure { throw failure }
        return round
    }

    private func programs(
        on lists: Set<ListID>?, after last: RegistrationID
    ) async throws(StoreError) -> [RegistrationPlan.Program] {
        let limit = Int64(Self.programsPerPage)
        if let lists {
            return try await all(
                RegistrationSQL.ofLists, [last, limit, Array(lists)], RegistrationPlan.Program.init(row:))
        }
        return try await all(RegistrationSQL.ofAnyList, [last, limit], RegistrationPlan.Program.init(row:))
    }

    /// The programs, by list, of lists that have changed or are gone.
    private func behind(_ programs: [RegistrationPlan.Program]) async -> [ListID: [RegistrationPlan.Program]] {
        let byList = Dictionary(grouping: programs, by: \.list)
        do throws(StoreError) {
            let heads = try await all(RegistrationSQL.heads, [Array(byList.keys)]) { row throws(PostgresError) in
                try row.decode((ListID, SequenceNumber).self)
            }
            let known = Dictionary(heads) { first, _ in first }
            return byList.filter { list, programs in
                known[list].map { head in programs.contains { $0.toldThrough < head } } ?? true
            }
        } catch {
            // While a node is away, each list is looked at by itself.
            return byList
        }
    }

    /// Under a lock of the list, so that nobody is told who is removed at the same time.
    private func tell(
        _ programs: [RegistrationPlan.Program], of list: ListID, _ pacing: RegistrationPacing
    ) async throws(StoreError) -> RegistrationOutcome {
        let since = programs.map(\.toldThrough).min() ?? .start
        let (accounts, targets) = (Set(programs.map(\.account)), Set(programs.map(\.target)))
        return try await typed {
            try await pool.withTransaction(opening: [
                .execute(RegistrationSQL.lockList, [list]),
                .execute(RegistrationSQL.members, [list, Array(accounts)]),
                .execute(RegistrationSQL.changes, [list, since]),
                .execute(RegistrationSQL.keepTargets, [Array(targets)]),
                .execute(RegistrationSQL.lock, [programs.map(\.id)]),
            ]) { _, found in
                let outcome = try RegistrationOutcome(
                    of: programs, head: found[0].first, members: found[1], changes: found[2], locked: found[4])
                return (outcome, try outcome.writes(pacing))
            }
        }
    }
}

/// What a look at one list's registrations has found, and what follows.
private struct RegistrationOutcome {
    /// Whether some are held; these are left as they are.
    var isHeld = false
    var told: [(id: RegistrationID, notice: Notice)] = []
    private var ended: [RegistrationID] = []
    private var known: [(id: RegistrationID, permission: Permission)] = []
    private let head: SequenceNumber

    /// - Parameters:
    ///   - head: the list's head and its epoch; nil: the list is gone.
    ///   - locked: those of the registrations that are still there.
    init(
        of programs: [RegistrationPlan.Program], head: Row?, members: Rows, changes: Rows, locked: Rows
    ) throws(PostgresError) {
        let list = try head?.decode((SequenceNumber, PostgresUUID).self)
        self.head = list?.0 ?? .start
        let epoch = list?.1.high ?? 0
        let permissions = try members.map { (row) throws(PostgresError) in
            try row.decode((AccountID, Permission).self)
        }
        let plan = RegistrationPlan(
            permissions: Dictionary(permissions) { first, _ in first },
            changes: try changes.map(RegistrationPlan.Change.init(row:)))
        let byID = Dictionary(programs.map { ($0.id, $0) }) { first, _ in first }
        for row in locked {
            let (id, toldThrough, isHeld) = try row.decode((RegistrationID, SequenceNumber, Bool).self)
            guard var program = byID[id] else { continue }
            program.toldThrough = toldThrough
            if isHeld {
                self.isHeld = true
                continue
            }
            switch plan.verdict(on: program) {
            case .end: ended.append(id)
            case .pass(let permission): known.append((id, permission))
            case .tell(let content, let properties, let permission):
                known.append((id, permission))
                let update = CalendarUpdate(content: content, properties: properties, epoch: epoch)
                told.append((id, Notice(after: toldThrough, through: self.head, people: [], calendar: update)))
            }
        }
    }

    func writes(_ pacing: RegistrationPacing) throws(StoreError) -> [Query] {
        var writes: [Query] = []
        if !ended.isEmpty { writes.append(.execute(RegistrationSQL.end, [ended])) }
        if !known.isEmpty {
            writes.append(
                .execute(RegistrationSQL.advance, [known.map(\.id), head, known.map(\.permission.rawValue)]))
        }
        if !told.isEmpty {
            let contents = try told.map { (each) throws(StoreError) in PostgresJSON(try columnJSON(each.notice)) }
            writes.append(
                .execute(RegistrationSQL.tell, [told.map(\.id), contents, pacing.combining, pacing.spacing]))
        }
        return writes
    }
}

extension RegistrationPlan.Program {
    fileprivate init(row: Row) throws(PostgresError) {
        let (id, list, target, account, device, wantsContent, wantsProperties) = try row.decode(
            (RegistrationID, ListID, WebhookID, AccountID, DeviceID, Bool, Bool).self)
        self.init(
            id: id, list: list, target: target, account: account, device: device, wantsContent: wantsContent,
            wantsProperties: wantsProperties, toldThrough: try row.decode(at: 7), toldPermission: try row.decode(at: 8),
            contentWaits: try row.decode(at: 9), propertiesWait: try row.decode(at: 10))
    }
}

extension RegistrationPlan.Change {
    fileprivate init(row: Row) throws(PostgresError) {
        let (device, content, properties) = try row.decode((DeviceID, SequenceNumber?, SequenceNumber?).self)
        self.init(device: device, content: content, properties: properties)
    }
}
