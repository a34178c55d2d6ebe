import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// What is new for a device: the changes of its lists, what became of those that it can't be told of, and digests.
struct ChangeFeed: Sendable {
    let store: Store
    let tokenKey: ChangeToken.Key
    let ownership: Ownership
    let digestFolder: DigestFolder
    let epochs: EpochWatch
    let disk: DiskWatch
    let metrics: ServiceMetrics
    let limits: Limits

    /// A page of one list's changes.
    /// - Parameter since: the token of the page before, as it came; nil: from the beginning.
    /// - Throws: `Problem` (`changeTokenExpired`), `StoreError`.
    func page(
        of list: ListID, after since: String?, limit: Int, for account: AccountID
    ) async throws -> (ChangesPage, StoredChanges) {
        let token = since.map { ChangeToken($0, list: list, key: tokenKey) }
        // The list first: whoever isn't on it learns nothing from a token.
        let stretch = try await store.changes(
            of: list, for: account, after: (token ?? nil)?.sequence ?? .start, limit: limit)
        if let token {
            guard let token, try await isHonoured(token, by: stretch) else { throw Problem(.changeTokenExpired) }
        }
        return (try page(stretch, after: token ?? nil, text: since), stretch.stored)
    }

    /// What is new on all lists of a device's account. Keeps what the device says of its queues.
    func changes(_ wanted: AllChangesRequest, for session: Session) async throws -> ChangesAnswer {
        guard wanted.isCompatible else {
            throw Problem(
                .incompatibleVersion,
                "this device folds lists by protocol version \(wanted.protocolVersion ?? 1), the service by "
                    + "\(ProtocolVersion.current); update the app")
        }
        let tokens = wanted.tokens.map { list, text in
            (list: list, token: ChangeToken(text, list: list, key: tokenKey))
        }
        let budget = try limits.pageLimit(wanted.limit)
        let all = try await store.changes(
            for: session.account, device: session.device,
            after: Dictionary(uniqueKeysWithValues: tokens.map { ($0.list, $0.token?.sequence ?? .start) }),
            afresh: wanted.afresh ?? [], limit: budget)
        let known = Dictionary(uniqueKeysWithValues: tokens)
        await keep(
            wanted.report?.trimmed(to: Set(all.stretches.map(\.list))), positions: all.positions(by: known),
            of: session.device, answered: all)
        var answer = try await answer(all, to: known, budget: budget)
        if wanted.digests == true, !answer.response.moreComing {
            try await addDigests(to: &answer, of: all.stretches, after: known, for: session.account)
        }
        // Whether it owns a list that can't be reached is not known: the device asks again.
        if wanted.ownership == true, all.unreachable.isEmpty {
            answer.response.ownership = try await ownership.proofs(for: session.account)
        }
        return answer
    }

    /// Stores a device's report on its queues. When that fails, the device still gets its changes, and reports again with its
    /// next sync.
    private func keep(
        _ report: QueueReport?, positions: [ListID: SequenceNumber], of device: DeviceID, answered all: AllChanges
    ) async {
        do {
            if disk.isFull { throw Problem(Outage.diskFull) }
            try await store.keep(report, positions: positions, of: device, answered: all)
        } catch {
            metrics.count(.reportsLost)
        }
    }

    /// Says what each list is that the device has all of now. A list that has changed since is left out, and so is one that
    /// there is no room to fold just now: a later fetch will tell.
    private func addDigests(
        to answer: inout ChangesAnswer, of stretches: [ChangeStretch], after tokens: [ListID: ChangeToken?],
        for account: AccountID
    ) async throws {
        let lists = answer.response.lists
        let places = Dictionary(uniqueKeysWithValues: lists.indices.map { (lists[$0].id, $0) })
        let expired = Set(answer.response.expired)
        let wanted = stretches.filter { !expired.contains($0.list) }
        let digests = try await digestFolder.digests(of: wanted, for: account)
        for stretch in wanted {
            guard let digest = digests[stretch.list] else { continue }
            if let place = places[stretch.list] {
                answer.response.lists[place].page.digest = digest
            } else {
                var page = try page(stretch, after: tokens[stretch.list] ?? nil)
                page.digest = digest
                answer.append(page, of: stretch)
            }
        }
    }

    private func answer(
        _ all: AllChanges, to tokens: [ListID: ChangeToken?], budget: Int
    ) async throws -> ChangesAnswer {
        var answer = ChangesAnswer(
            response: AllChangesResponse(lists: [], gone: all.gone, unreachable: all.unreachable.sorted()),
            heads: Dictionary(uniqueKeysWithValues: all.stretches.map { ($0.list, $0.head) }))
        // We made a token for a list that this database has never known the account to be on: it is an older copy, and what
        // the device knows of the list may be all that there is. It is proof only where there is no such list at all,
        // since somebody may have been given another's token.
        // Without a token that is all there is to tell by.
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
        for var stretch in all.stretches {
            let token = tokens[stretch.list]
            if let token {
                guard let token, try await isHonoured(token, by: stretch) else {
                    answer.response.expired.append(stretch.list)
                    continue
                }
                if stretch.head == token.sequence { continue }
            }
            guard stretch.isReached, budget > 0 || stretch.stored.isEmpty else {
                answer.response.moreComing = true
                continue
            }
            stretch.truncate(to: budget)
            budget -= stretch.stored.count
            let page = try page(stretch, after: token ?? nil)
            answer.response.moreComing = answer.response.moreComing || page.moreComing
            answer.append(page, of: stretch)
        }
        return answer
    }

    /// The page of a stretch, but for the changes: those are written from where they are.
    /// - Parameters:
    ///   - token: what the device has already; nil: nothing, so this is the beginning of a snapshot.
    ///   - text: that token, as it came.
    private func page(
        _ stretch: ChangeStretch, after token: ChangeToken?, text: String? = nil
    ) throws -> ChangesPage {
        let last = try stretch.last
        // The newest change may be a discard that the trail has dropped, so what is complete reaches up to the head.
        let end = stretch.isComplete ? stretch.head : last?.sequence ?? token?.sequence ?? .start
        let mark = last?.sequence == end ? last?.receivedAt : end == token?.sequence ? token?.mark : nil
        let next = ChangeToken(
            list: stretch.list, epoch: stretch.epoch, sequence: end, mark: mark,
            floor: token?.floor ?? stretch.trailFrom)
        return ChangesPage(
            changes: [], token: next == token ? text ?? next.text(key: tokenKey) : next.text(key: tokenKey),
            moreComing: end < stretch.head,
            snapshot: token == nil)
    }

    /// Whether what follows a token is all there. When the token shows that the database is an older copy of what it was,
    /// a new epoch begins, so that all devices offer again what they know.
    private func isHonoured(_ token: ChangeToken, by stretch: ChangeStretch) async throws -> Bool {
        switch token.standing(to: stretch) {
        case .honoured: return true
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
        epochs.look()
    }
}

/// What is new on all lists of a device's account, with the changes as they are stored.
struct ChangesAnswer {
    /// Without the changes.
    fileprivate(set) var response: AllChangesResponse
    /// The changes of each of the answer's lists.
    private var changes: [StoredChanges] = []
    /// The head of each list that the answer was taken from.
    let heads: [ListID: SequenceNumber]

    fileprivate init(response: AllChangesResponse, heads: [ListID: SequenceNumber]) {
        self.response = response
        self.heads = heads
    }

    fileprivate mutating func append(_ page: ChangesPage, of stretch: ChangeStretch) {
        response.lists.append(.init(id: stretch.list, page: page))
        changes.append(stretch.stored)
    }

    /// What the changes hold of the memory.
    var holding: ReadHolding? { changes.lazy.compactMap(\.holding).first }

    var json: [UInt8] {
        get throws(StoreError) {
            try response.json(of: changes.reduce(0) { $0 + $1.count }) { (index, writer) throws(StoreError) in
                try changes[index].write(0..<changes[index].count, to: &writer)
            }
        }
    }

    /// The answer with its changes, for who reads them here.
    var whole: AllChangesResponse {
        get throws(StoreError) {
            var whole = response
            for index in whole.lists.indices { whole.lists[index].page.changes = try changes[index].read() }
            return whole
        }
    }
}

extension AllChanges {
    /// How far the device is on each list of whose token that can be told.
    fileprivate func positions(by tokens: [ListID: ChangeToken?]) -> [ListID: SequenceNumber] {
        var positions: [ListID: SequenceNumber] = [:]
        for stretch in stretches {
            guard let token = tokens[stretch.list] ?? nil, token.standing(to: stretch) == .honoured else { continue }
            positions[stretch.list] = token.sequence
        }
        return positions
    }
}
