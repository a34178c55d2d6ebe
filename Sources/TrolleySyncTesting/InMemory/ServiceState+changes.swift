import TrolleyJournal
import TrolleyWire

extension ServiceState {
    func token(_ through: SequenceNumber) -> String { "\(epoch):\(through.rawValue)" }

    mutating func changes(_ request: AllChangesRequest, for account: AccountID) -> AllChangesResponse {
        var response = AllChangesResponse(lists: [])
        var left = min(request.limit ?? limits.defaultChangesPerPage, limits.changesPerPage)
        for (id, list) in lists.sorted(by: { $0.key < $1.key }) where list.member(account) != nil {
            let parts = request.tokens[id]?.split(separator: ":").compactMap { Int64($0) }
            if let parts, parts.first != Int64(epoch) {
                response.expired.append(id)
                continue
            }
            let after = parts?.last ?? 0
            lists[id]?.received[account] = max(list.received[account] ?? .start, SequenceNumber(rawValue: after))
            let role = list.member(account)?.role ?? .participant
            let changes = list.stream.live.dropFirst(Int(after)).map { $0.shown(to: role) }
            let page = changes.prefix(left)
            guard !page.isEmpty || parts == nil || request.digests == true else { continue }
            left -= page.count
            let moreComing = page.count < changes.count
            response.lists.append(
                AllChangesResponse.List(
                    id: id,
                    page: ChangesPage(
                        changes: Array(page), token: token(SequenceNumber(rawValue: after + Int64(page.count))),
                        moreComing: moreComing, snapshot: parts == nil,
                        digest: request.digests == true && !moreComing ? list.state.digest : nil)))
            if moreComing { response.moreComing = true }
        }
        for id in Set(request.tokens.keys).union(request.afresh ?? []) where lists[id]?.member(account) == nil {
            response.gone[id] = gone[account]?[id] ?? .removed
            if gone[account]?[id] == nil { response.unknown.append(id) }
        }
        return response
    }

    /// - Parameter role: the reader's.
    func activity(of id: ListID, _ query: [String: String], for role: Role) -> ActivityPage {
        var events: [ActivityItem] = []
        var texts = ItemTexts()
        var share: ShareState?
        var at = lists[id]?.createdAt ?? now()
        for change in lists[id]?.stream.changes ?? [] {
            switch change.body {
            case .entry(let entry):
                at = entry.receivedAt
                events.append(
                    ActivityItem(
                        sequence: change.sequence, at: at, event: .entry(entry), authorName: name(of: entry.author),
                        itemText: texts.take(entry)))
            case .share(let state):
                for difference in state.shown(to: role).changes(since: share?.shown(to: role)) {
                    events.append(
                        ActivityItem(
                            sequence: change.sequence, at: at, event: .participant(difference), authorName: nil))
                }
                share = state
            case .discard: break
            }
        }
        let before = query["before"].flatMap { Int64($0) } ?? .max
        let wanted = events.reversed().filter { event in
            guard event.sequence.rawValue < before else { return false }
            switch event.event {
            case .entry(let entry):
                return query["account"].map { $0 == entry.author.description } ?? true
                    && query["item"].map { $0 == entry.entry.item?.description } ?? true
            case .participant(let change):
                return query["item"] == nil
                    && query["account"].map { $0 == change.participant.account?.description } ?? true
            }
        }
        let page = wanted.prefix(query["limit"].flatMap { Int($0) } ?? 50)
        return ActivityPage(
            activity: Array(page), next: page.count < wanted.count ? page.last.map { "\($0.sequence.rawValue)" } : nil)
    }

    func replay(_ id: ListID, _ query: [String: String]) throws(Problem) -> ReplayResponse {
        var timeline = Timeline(
            (lists[id]?.stream.accepted.values).map { $0.sorted { $0.sequence < $1.sequence } } ?? [])
        let head = lists[id]?.stream.head ?? .start
        let through: SequenceNumber
        if let number = query["through"].flatMap({ Int64($0) }) {
            through = min(SequenceNumber(rawValue: number), head)
        } else if let time = query["at"].flatMap({ Timestamp($0) }) {
            through = timeline.sequence(at: time)
        } else {
            throw Problem(.invalidArguments, "say through or at")
        }
        let state = timeline.state(through: through)
        return ReplayResponse(
            state: StateResponse(id: id, state: state, sequence: through, digest: state.digest.description), head: head,
            completeness: .ready)
    }
}

extension Change {
    /// The change as a person with this role may see it.
    fileprivate func shown(to role: Role) -> Change {
        guard case .share(let share) = body else { return self }
        return Change(sequence: sequence, body: .share(share.shown(to: role)))
    }
}
