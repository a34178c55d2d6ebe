import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Builds the answers to fetches: changes of the device's lists, lists that are gone or must be fetched again, and
/// digests.
struct ChangeFeed: Sendable {
    let store: Store
    let tokenKey: ChangeToken.Key
    let receiptKey: ReceiptKey
    let ownership: Ownership
    let digestFolder: DigestFolder
    let epochs: EpochMonitor
    let disk: DiskMonitor
    let metrics: ServiceMetrics
    let limits: Limits

    /// A page of one list's changes.
    /// - Parameter since: the token of the previous page, as text; nil: from the beginning.
    /// - Throws: `Problem` (`changeTokenExpired`, `invalidArguments`), `StoreError`.
    func page(
        of list: ListID, after since: String?, limit: Int, for account: AccountID
    ) async throws -> (ChangesPage, StoredChanges) {
        let token = since.map { ChangeToken($0, list: list, key: tokenKey) }
        // Reads the list first, so that a token reveals nothing to an account that isn't on the list.
        var changeRange = try await store.changes(
            of: list, for: account, after: (token ?? nil)?.sequence ?? .start, limit: limit)
        changeRange.addReceipts(key: receiptKey)
        if let token {
            guard let token else {
                try ChangeToken.checkForm(since, called: "since")
                throw Problem(.changeTokenExpired)
            }
            guard try await isHonoured(token, by: changeRange) else { throw Problem(.changeTokenExpired) }
        }
        return (try page(changeRange, after: token ?? nil, text: since), changeRange.stored)
    }

    /// The changes on all lists of a device's account. Stores the device's report on its queues.
    /// - Parameter leftOut: lists whose changes the device doesn't want now. If they are gone, the answer says so.
    func changes(
        _ wanted: AllChangesRequest, for session: Session, without leftOut: Set<ListID> = []
    ) async throws -> ChangesResult {
        guard wanted.isCompatible else {
            throw Problem(
                .incompatibleVersion,
                "this device folds lists by protocol version \(wanted.protocolVersion ?? 1), the service by "
                    + "\(ProtocolVersion.current); update the app")
        }
        let version = min(wanted.deviceVersion, ProtocolVersion.current)
        let tokens = wanted.tokens.map { list, text in
            (list: list, token: ChangeToken(text, list: list, key: tokenKey))
        }
        let budget = try limits.pageLimit(wanted.limit)
        var after = Dictionary(uniqueKeysWithValues: tokens.map { ($0.list, $0.token?.sequence ?? .start) })
        if session.scope?.lists != nil {
            // What the token doesn't open must use up nothing of the limit.
            for list in try await store.reachableLists(of: session.account).lists where !session.opens(list.id) {
                after[list.id] = .afterAll
            }
        }
        for list in leftOut { after[list] = .afterAll }
        var all = try await store.changes(
            for: session.account, device: session.device, after: after, afresh: wanted.afresh ?? [], limit: budget)
        all.limit(to: session, named: Set(tokens.map(\.list)).union(wanted.afresh ?? []))
        guard try all.changeRanges.allSatisfy({ try $0.stored.isReadable(by: version) }) else {
            throw Problem(
                .incompatibleVersion,
                "a list has messages, which this device's protocol version \(version) doesn't know; update the app")
        }
        let known = Dictionary(uniqueKeysWithValues: tokens)
        await saveReport(
            wanted.report?.trimmed(to: Set(all.changeRanges.map(\.list))),
            positions: all.positions(by: known, unread: leftOut), of: session.device, answered: all)
        all.changeRanges.removeAll { leftOut.contains($0.list) }
        var answer = try await answer(all, to: known, budget: budget)
        answer.response.protocolVersion = version
        if wanted.digests == true, !answer.response.moreComing {
            try await addDigests(to: &answer, of: all.changeRanges, after: known, for: session.account)
        }
        // While a list can't be reached, its owner is unknown. The device asks again.
        if wanted.ownership == true, all.unreachable.isEmpty {
            answer.response.ownership = try await ownership.proofs(for: session.account).filter {
                session.opens($0.key)
            }
        }
        return answer
    }

    /// Stores a device's report on its queues. If that fails, the device still gets its changes, and reports again with
    /// its next sync.
    private func saveReport(
        _ report: QueueReport?, positions: [ListID: SequenceNumber], of device: DeviceID, answered all: AllChanges
    ) async {
        do {
            if disk.isFull { throw Problem(Outage.diskFull) }
            try await store.saveReport(report, positions: positions, of: device, answered: all)
        } catch {
            metrics.count(.reportsLost)
        }
    }

    /// Adds the digest of each list that the device has completely now. Leaves out a list that has changed meanwhile or
    /// that there is no capacity to fold; a later fetch has its digest.
    private func addDigests(
        to answer: inout ChangesResult, of changeRanges: [ChangeRange], after tokens: [ListID: ChangeToken?],
        for account: AccountID
    ) async throws {
        let lists = answer.response.lists
        let places = Dictionary(uniqueKeysWithValues: lists.indices.map { (lists[$0].id, $0) })
        let expired = Set(answer.response.expired)
        let wanted = changeRanges.filter { !expired.contains($0.list) }
        let digests = try await digestFolder.digests(of: wanted, for: account)
        for changeRange in wanted {
            guard let digest = digests[changeRange.list] else { continue }
            if let place = places[changeRange.list] {
                answer.response.lists[place].page.digest = digest
            } else {
                var page = try page(changeRange, after: tokens[changeRange.list] ?? nil)
                page.digest = digest
                answer.append(page, of: changeRange)
            }
        }
    }

    private func answer(
        _ all: AllChanges, to tokens: [ListID: ChangeToken?], budget: Int
    ) async throws -> ChangesResult {
        var answer = ChangesResult(
            response: AllChangesResponse(lists: [], gone: all.gone, unreachable: all.unreachable.sorted()),
            heads: Dictionary(uniqueKeysWithValues: all.changeRanges.map { ($0.list, $0.head) }))
        // The service made a token for a list on which this database has never had the account. So the database is an
        // older copy, and the device may have the only data of the list. The token proves that only if the list doesn't
        // exist, because a person may have been given another's token. Without a token only the missing list shows it.
        let existing = try await store.existing(all.unknown)
        for list in all.unknown.sorted() {
            answer.response.unknown.append(list)
            let token = tokens[list] ?? nil
            guard token != nil || !existing.contains(list) else { continue }
            answer.response.gone[list] = nil
            answer.response.expired.append(list)
            if let token, !existing.contains(list) { try await noteLoss(in: token.epoch) }
        }
        var budget = budget
        for var changeRange in all.changeRanges {
            let token = tokens[changeRange.list]
            if let token {
                guard let token, try await isHonoured(token, by: changeRange) else {
                    answer.response.expired.append(changeRange.list)
                    continue
                }
                if changeRange.head == token.sequence { continue }
            }
            guard changeRange.isReached, budget > 0 || changeRange.stored.isEmpty else {
                answer.response.moreComing = true
                continue
            }
            changeRange.truncate(to: budget)
            budget -= changeRange.stored.count
            changeRange.addReceipts(key: receiptKey)
            let page = try page(changeRange, after: token ?? nil)
            answer.response.moreComing = answer.response.moreComing || page.moreComing
            answer.append(page, of: changeRange)
        }
        return answer
    }

    /// The page of a range without its changes, which are written directly from the stored form.
    /// - Parameters:
    ///   - token: the device's token; nil: the device has nothing, so this begins a snapshot.
    ///   - text: that token as text.
    private func page(
        _ changeRange: ChangeRange, after token: ChangeToken?, text: String? = nil
    ) throws -> ChangesPage {
        let last = try changeRange.last
        // The newest change may be a discard that the trail has dropped. So a complete range ends at the head.
        let end = changeRange.isComplete ? changeRange.head : last?.sequence ?? token?.sequence ?? .start
        let mark = last?.sequence == end ? last?.receivedAt : end == token?.sequence ? token?.mark : nil
        let next = ChangeToken(
            list: changeRange.list, epoch: changeRange.epoch, sequence: end, mark: mark,
            floor: token?.floor ?? changeRange.trailFrom)
        return ChangesPage(
            changes: [], token: next == token ? text ?? next.text(key: tokenKey) : next.text(key: tokenKey),
            moreComing: end < changeRange.head, snapshot: token == nil,
            through: end > last?.sequence ?? token?.sequence ?? .start ? end : nil)
    }

    /// Whether all changes after a token exist. When the token shows that the database is an older copy, a new epoch
    /// begins, so that all devices upload recent changes again.
    private func isHonoured(_ token: ChangeToken, by changeRange: ChangeRange) async throws -> Bool {
        switch token.validity(for: changeRange) {
        case .valid: return true
        case .expired: return false
        case .wentBack:
            try await noteLoss(in: token.epoch)
            return false
        }
    }

    private func noteLoss(in epoch: UInt64) async throws {
        let present = try await store.epoch()
        guard present.id.high == epoch else { return }
        try await store.beginEpoch(after: present.id, because: .wentBack)
        epochs.requestCheck()
    }
}

/// The changes on all lists of a device's account, in their stored form.
struct ChangesResult {
    /// The response without its changes.
    fileprivate(set) var response: AllChangesResponse
    /// The changes of each list in the response, in the same order.
    private var changes: [StoredChanges] = []
    /// The head of each list at the time of the read.
    let heads: [ListID: SequenceNumber]

    fileprivate init(response: AllChangesResponse, heads: [ListID: SequenceNumber]) {
        self.response = response
        self.heads = heads
    }

    fileprivate mutating func append(_ page: ChangesPage, of changeRange: ChangeRange) {
        response.lists.append(.init(id: changeRange.list, page: page))
        changes.append(changeRange.stored)
    }

    /// The memory that the changes hold.
    var reservation: ReadReservation? { changes.lazy.compactMap(\.reservation).first }

    var json: [UInt8] {
        get throws(StoreError) {
            try response.json(of: changes.reduce(0) { $0 + $1.count }) { (index, writer) throws(StoreError) in
                try changes[index].write(0..<changes[index].count, to: &writer)
            }
        }
    }

    /// The response with its changes, for callers in this process.
    var whole: AllChangesResponse {
        get throws(StoreError) {
            var whole = response
            for index in whole.lists.indices { whole.lists[index].page.changes = try changes[index].read() }
            return whole
        }
    }
}

extension AllChanges {
    /// Removes the lists that a personal token doesn't open. Those that its device names look like lists that it was never
    /// on.
    fileprivate mutating func limit(to session: Session, named: Set<ListID>) {
        guard let lists = session.scope?.lists else { return }
        changeRanges.removeAll { !lists.contains($0.list) }
        unreachable.formIntersection(lists)
        for list in named.subtracting(lists) {
            gone[list] = .removed
            unknown.insert(list)
        }
    }

    /// The device's position on each list, as far as its tokens show it.
    /// - Parameter unread: lists whose changes after the token were not read.
    fileprivate func positions(
        by tokens: [ListID: ChangeToken?], unread: Set<ListID>
    ) -> [ListID: SequenceNumber] {
        var positions: [ListID: SequenceNumber] = [:]
        for changeRange in changeRanges {
            guard let token = tokens[changeRange.list] ?? nil,
                token.validity(for: changeRange, isRead: !unread.contains(changeRange.list)) == .valid
            else { continue }
            positions[changeRange.list] = token.sequence
        }
        return positions
    }
}

extension SequenceNumber {
    /// No list has as many changes. It leaves room for reckoning with the sizes of changes.
    fileprivate static let afterAll = SequenceNumber(rawValue: 1 << 40)
}
