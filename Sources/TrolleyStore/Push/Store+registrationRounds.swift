package import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// What registered programs are told.

extension Store {
    private static let programsPerPage = 1000

    /// Puts messages into the outbox for programs that have not been told of others' changes, at most one for each
    /// registration. Ends registrations of people who are no longer on the list. A list that fails doesn't stop the others.
    /// - Parameters:
    ///   - lists: the lists to look at; nil: all.
    ///   - place: where an earlier call has ended; nil: at the beginning.
    ///   - most: the largest number of registrations to look at.
    /// - Throws: when the registrations or the lists' heads can't be read.
    package func tellRegistered(
        on lists: Set<ListID>?, after place: RegistrationID? = nil, atMost most: Int = .max,
        _ pacing: RegistrationPacing
    ) async throws(StoreError) -> RegistrationRound {
        var round = RegistrationRound()
        var last = place ?? RegistrationID(UUIDBits(high: 0, low: 0))
        var rest = most
        while rest > 0 {
            let limit = min(rest, Self.programsPerPage)
            let page = try await programs(on: lists, after: last, limit)
            for (list, programs) in try await behind(page) {
                do throws(StoreError) {
                    let outcome = try await tell(programs, of: list, pacing)
                    round.told += outcome.told.count
                    if outcome.isHeld { round.held.insert(list) }
                } catch {
                    if case .busy = error {
                        round.held.insert(list)
                        continue
                    }
                    round.failed.insert(list)
                    round.failure = round.failure ?? error
                }
            }
            guard page.count == limit, let end = page.last else { return round }
            last = end.id
            rest -= limit
        }
        round.next = last
        return round
    }

    private func programs(
        on lists: Set<ListID>?, after last: RegistrationID, _ count: Int
    ) async throws(StoreError) -> [RegistrationPlan.Program] {
        let limit = Int64(count)
        if let lists {
            return try await all(
                RegistrationSQL.ofLists, [last, limit, Array(lists)], RegistrationPlan.Program.init(row:))
        }
        return try await all(RegistrationSQL.ofAnyList, [last, limit], RegistrationPlan.Program.init(row:))
    }

    /// The programs, by list, of lists that have changed, were restored or are gone.
    private func behind(
        _ programs: [RegistrationPlan.Program]
    ) async throws(StoreError) -> [ListID: [RegistrationPlan.Program]] {
        if programs.isEmpty { return [:] }
        let byList = Dictionary(grouping: programs, by: \.list)
        let (heads, isComplete): ([ListID: SequenceNumber], Bool) =
            if let nodes = try await self.nodes() {
                try await nodes.registeredHeads(of: Array(byList.keys), for: Set(programs.map(\.account)))
            } else {
                (try await registeredHeads(of: Array(byList.keys)), true)
            }
        return byList.filter { list, programs in
            guard let head = heads[list] else { return isComplete }
            return programs.contains { $0.toldThrough != head }
        }
    }

    func registeredHeads(of lists: [ListID]) async throws(StoreError) -> [ListID: SequenceNumber] {
        let found = try await all(RegistrationSQL.heads, [lists]) { row throws(PostgresError) in
            try row.decode((ListID, SequenceNumber).self)
        }
        return Dictionary(found) { first, _ in first }
    }

    /// Under locks of the people's rows, so that nobody is told who is removed at the same time.
    /// - Throws: `.busy`, if somebody is being removed.
    private func tell(
        _ programs: [RegistrationPlan.Program], of list: ListID, _ pacing: RegistrationPacing
    ) async throws(StoreError) -> RegistrationOutcome {
        let since = programs.map(\.toldThrough).min() ?? .start
        let (accounts, targets) = (Set(programs.map(\.account)), Set(programs.map(\.target)))
        return try await typed {
            try await pool.withTransaction(opening: [
                .execute(RegistrationSQL.members, [list, Array(accounts)]),
                .execute(RegistrationSQL.keepTargets, [Array(targets)]),
                .execute(RegistrationSQL.lock, [programs.map(\.id)]),
                .execute(RegistrationSQL.head, [list]),
                .execute(RegistrationSQL.changes, [list, since]),
                .execute(RegistrationSQL.waiting, [list, Array(targets)]),
            ]) { _, found in
                let outcome = try RegistrationOutcome(
                    of: programs, head: found[3].first, members: found[0], changes: found[4], locked: found[2],
                    waiting: found[5])
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
    ///   - waiting: the targets for which messages wait.
    init(
        of programs: [RegistrationPlan.Program], head: Row?, members: Rows, changes: Rows, locked: Rows, waiting: Rows
    ) throws(PostgresError) {
        let list = try head?.decode((SequenceNumber, PostgresUUID).self)
        self.head = list?.0 ?? .start
        let epoch = list?.1.high ?? 0
        let permissions = try members.map { (row) throws(PostgresError) in
            try row.decode((AccountID, Permission).self)
        }
        let plan = RegistrationPlan(
            head: self.head, permissions: Dictionary(permissions) { first, _ in first },
            changes: try changes.map(RegistrationPlan.Change.init(row:)))
        let byID = Dictionary(programs.map { ($0.id, $0) }) { first, _ in first }
        var waits: [WebhookID: (content: Bool, properties: Bool)] = [:]
        for row in waiting {
            let (target, content, properties) = try row.decode((WebhookID, Bool, Bool).self)
            waits[target] = (content, properties)
        }
        for row in locked {
            let (id, toldThrough, isHeld) = try row.decode((RegistrationID, SequenceNumber, Bool).self)
            guard var program = byID[id] else { continue }
            program.toldThrough = toldThrough
            program.contentWaits = waits[program.target]?.content ?? false
            program.propertiesWait = waits[program.target]?.properties ?? false
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
            wantsProperties: wantsProperties, toldThrough: try row.decode(at: 7), toldPermission: try row.decode(at: 8))
    }
}

extension RegistrationPlan.Change {
    fileprivate init(row: Row) throws(PostgresError) {
        let (device, content, properties) = try row.decode((DeviceID, SequenceNumber?, SequenceNumber?).self)
        self.init(device: device, content: content, properties: properties)
    }
}
