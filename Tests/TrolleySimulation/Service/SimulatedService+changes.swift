import TrolleyJournal
import TrolleyWire

// `POST /v1/changes`, as `ChangeFeed` does it.

extension SimulatedService {
    /// A token: the epoch, the sequence, and the floor. A trail that ends at the floor or earlier has all that the device needs.
    func token(
        _ list: StoredList, at sequence: SequenceNumber, floor: SequenceNumber? = nil, by process: Int
    ) -> String {
        let floor = max(floor ?? list.trailFrom, sequence)
        let epoch = defect == .processKeepsEpoch && process == 1 ? processes[1].epoch : database.epoch
        return "\(epoch):\(sequence.rawValue):\(floor.rawValue)"
    }

    private func isHonoured(_ token: PageToken, by list: StoredList, _ process: Int) -> Bool {
        if defect == .validTokensRefused { return false }
        let epoch = defect == .processKeepsEpoch && process == 1 ? processes[1].epoch : database.epoch
        if token.epoch != epoch, defect != .epochNotChecked { return false }
        return token.sequence <= list.head && (list.trailFrom <= token.floor || defect == .trailNotChecked)
    }

    func changes(_ request: AllChangesRequest, for caller: Caller, by process: Int) -> AllChangesResponse {
        var response = AllChangesResponse(lists: [])
        let limits = processes[process].limits
        var budget = min(request.limit ?? limits.defaultChangesPerPage, limits.changesPerPage)
        for id in database.lists.keys.sorted() {
            guard let list = database.lists[id] else { continue }
            let isNamed = request.tokens[id] != nil || request.afresh?.contains(id) == true
            guard list.members[caller.account] != nil || defect == .fetchWithoutMembership && isNamed else { continue }
            let token = request.tokens[id].flatMap { PageToken($0) }
            if let token, !isHonoured(token, by: list, process) {
                response.expired.append(id)
                continue
            }
            if let token, token.sequence == list.head, request.digests != true { continue }
            guard budget > 0 else {
                response.moreComing = true
                continue
            }
            let page = page(of: list, after: token, budget: budget, digests: request.digests == true, process)
            budget -= page.changes.count
            response.moreComing = response.moreComing || page.moreComing
            response.lists.append(.init(id: id, page: page))
        }
        if response.moreComing { for index in response.lists.indices { response.lists[index].page.digest = nil } }
        if request.ownership == true {
            let own = database.lists.values.filter { $0.owner == caller.account }
            response.ownership = Dictionary(uniqueKeysWithValues: own.map { ($0.id, Self.proof(of: $0)) })
        }
        addDepartures(of: caller, named: Set(request.tokens.keys).union(request.afresh ?? []), request, to: &response)
        return response
    }

    private func page(
        of list: StoredList, after token: PageToken?, budget: Int, digests: Bool, _ process: Int
    ) -> ChangesPage {
        var read = list
        if defect == .laggingCopy, process == 1, let old = processes[1].lagging?.lists[list.id] { read = old }
        var changes = read.changes(after: token?.sequence ?? .start)
        if defect == .receiptsOmitted { changes = changes.map(\.withoutReceipt) }
        if defect == .pagesOutOfOrder { changes = changes.filter(\.isEvent) + changes.filter { !$0.isEvent } }
        if defect == .sharesNotSent { changes.removeAll(where: \.isShare) }
        let sent = Array(changes.prefix(budget))
        let isWhole = sent.count == changes.count
        var end = isWhole ? list.head : sent.last?.sequence ?? token?.sequence ?? .start
        if defect == .pageTokenSkips { end = list.head }
        if defect == .anchorsNotSent {
            return ChangesPage(
                changes: sent.map(\.withoutAnchors),
                token: self.token(list, at: end, floor: token?.floor, by: process), moreComing: end < list.head,
                snapshot: token == nil)
        }
        return ChangesPage(
            changes: sent, token: self.token(list, at: end, floor: token?.floor, by: process),
            moreComing: defect == .moreComingForgotten ? false : end < list.head,
            snapshot: token == nil && defect != .snapshotNotNamed,
            digest: digests && end == list.head ? ListState(folding: list.inOrder).digest : nil,
            through: defect != .pageEndOmitted && end > sent.last?.sequence ?? token?.sequence ?? .start ? end : nil)
    }

    private func addDepartures(
        of caller: Caller, named: Set<ListID>, _ request: AllChangesRequest, to response: inout AllChangesResponse
    ) {
        for id in named.sorted() where database.lists[id]?.members[caller.account] == nil {
            if defect == .fetchWithoutMembership, database.lists[id] != nil { continue }
            if let reason = database.gone[caller.account]?[id] {
                response.gone[id] = reason
                continue
            }
            response.unknown.append(id)
            if request.tokens[id] != nil || database.lists[id] == nil {
                response.expired.append(id)
            } else {
                response.gone[id] = .removed
            }
        }
    }
}

/// A change token, which only the service reads.
struct PageToken: Hashable, Sendable {
    var epoch: Int
    var sequence: SequenceNumber
    var floor: SequenceNumber

    init?(_ text: String) {
        let parts = text.split(separator: ":").compactMap { Int64($0) }
        guard parts.count == 3 else { return nil }
        epoch = Int(parts[0])
        sequence = SequenceNumber(rawValue: parts[1])
        floor = SequenceNumber(rawValue: parts[2])
    }
}

extension Change {
    fileprivate var isEvent: Bool { if case .entry = body { false } else { true } }
    fileprivate var isShare: Bool { if case .share = body { true } else { false } }

    fileprivate var withoutAnchors: Change {
        guard case .discard(let ids, _) = body else { return self }
        return Change(sequence: sequence, body: .discard(ids: ids, anchors: [:]))
    }

    fileprivate var withoutReceipt: Change {
        guard case .entry(var entry) = body else { return self }
        entry.receipt = nil
        return Change(sequence: sequence, body: .entry(entry))
    }
}
