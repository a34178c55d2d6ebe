import TrolleyJournal
import TrolleySync
import TrolleyWire

// Storing the result of a fetch: carries out a `ReceivingPlan`, as SQLite and IndexedDB do.

extension DeviceStore {
    mutating func receive(_ response: AllChangesResponse, at now: Timestamp) -> FetchOutcome {
        var outcome = FetchOutcome()
        for page in response.lists {
            let isNew = lists[page.id] == nil
            var list = lists[page.id] ?? List(isPublished: true)
            let staged = list.staged
            let plan = carryOut(
                ReceivingPlan(storing: page.page, in: list.receiving(for: account)), of: page.page, in: &list, at: now)
            lists[page.id] = list
            if !list.isStaging { dismissArrived(staged + page.page.changes, in: page.id, at: now) }
            outcome.note(page.page, stored: plan, isNew: isNew)
        }
        for (id, end) in response.ends {
            guard var list = lists[id] else { continue }
            let before = list.receiving(for: account)
            guard let step = end.step(for: before) else { continue }
            var keptAside = 0
            switch step {
            case .fetchAfresh:
                list.take(before.after(step))
                list.token = nil
                if defect != .stagedKept {
                    list.staged = []
                    list.isStaging = false
                }
                lists[id] = list
            case .offerAgain:
                if defect != .lostListNotOffered { list.offerAll(by: account, at: now) }
                list.take(before.after(step))
                lists[id] = list
            case .keepHere, .makeAnew:
                // No list gets another id here.
                list.offerAll(by: account, at: now)
                list.take(before.after(.keepHere))
                lists[id] = list
            case .leave:
                keptAside = list.waiting.count
                for waiting in list.waiting { reject(waiting.entry, of: id, .listDeleted, nil, now) }
                lists[id] = nil
            }
            outcome.note(end, step, keptAside: keptAside)
        }
        if let ownership = response.ownership {
            for (id, list) in lists where list.proof == .unknown && list.isPublished && !list.isLocal {
                lists[id]?.proof = ownership[id].map { .text($0) } ?? .none
            }
        }
        let oldest = now.advanced(byMilliseconds: -reofferWindow)
        for (id, list) in lists where list.confirmed.values.contains(where: { $0.kept < oldest }) {
            lists[id]?.confirmed = list.confirmed.filter { $0.value.kept >= oldest }
        }
        return outcome
    }

    private func carryOut(
        _ plan: ReceivingPlan, of page: ChangesPage, in list: inout List, at now: Timestamp
    ) -> ReceivingPlan {
        var plan = plan
        var applied: Set<EntryID> = []
        var brought: Set<EntryID> = []
        for step in plan.steps {
            switch step {
            case .unstage: if defect != .stagedKept { list.staged = [] }
            case .stage:
                list.staged += page.changes
                if defect == .halfSnapshotShown, page.moreComing { list.entries = [:] }
            case .clear:
                applied = Set(list.entries.lazy.filter(\.value.isApplied).map(\.key))
                list.entries = [:]
                if defect == .snapshotClearsQueue { list.pending = [] }
            case .take: for change in page.changes { take(change, into: &list, [], at: now, by: &plan) }
            case .takeStaged:
                for change in list.staged {
                    if case .entry(let entry) = change.body { brought.insert(entry.entry.id) }
                    let isDropped = defect == .toApplyDroppedOnReset && !applied.isEmpty
                    if isDropped, case .entry(let entry) = change.body, !applied.contains(entry.entry.id) { continue }
                    take(change, into: &list, applied, at: now, by: &plan)
                }
            case .reoffer: if defect != .restoreNotReoffered { reoffer(&list, except: brought, at: now) }
            case .pass:
                let through = plan.through
                for entry in list.pending where entry.taken.map({ $0 <= through }) ?? false {
                    list.retire(entry.entry.id, at: now)
                }
                list.through = through
                list.proof = plan.owner?.proof ?? list.proof
            case .keep:
                list.token = page.token
                list.isStaging = plan.isStaging
                list.isPublished = true
                list.isLocal = false
                list.received = now
            case .compare:
                plan.differs = ListState(folding: list.stream).digest != page.expectedDigest
                if plan.differs { list.token = nil }
            }
        }
        return plan
    }

    private func take(
        _ change: Change, into list: inout List, _ applied: Set<EntryID>, at now: Timestamp,
        by plan: inout ReceivingPlan
    ) {
        switch change.body {
        case .entry(let entry):
            let id = entry.entry.id
            let isOwn = list.retire(id, as: entry, at: now)
            let isApplied = plan.take(change, isOwn: isOwn, wasApplied: applied.contains(id))
            list.entries[id] = (entry, list.entries[id]?.isApplied ?? isApplied)
        case .share(let share):
            plan.take(change, isOwn: false)
            list.share = share
        case .discard(let ids, let anchors):
            plan.take(change, isOwn: false)
            if defect != .discardsIgnored { for id in ids { list.entries[id] = nil } }
            if defect != .anchorsIgnored {
                for (id, after) in anchors { list.entries[id]?.entry.entry.after = after }
            }
        }
    }

    private func reoffer(_ list: inout List, except brought: Set<EntryID>, at now: Timestamp) {
        if defect != .takenNotReoffered { for index in list.pending.indices { list.pending[index].taken = nil } }
        let known = Set(list.pending.map(\.entry.id))
        let oldest = now.advanced(byMilliseconds: -reofferWindow)
        for var entry in list.confirmed.values
        where !brought.contains(entry.entry.id) && !known.contains(entry.entry.id)
            && (defect == .windowByMaking ? entry.made.wall : entry.kept) >= oldest
        {
            entry.taken = nil
            entry.isSent = true
            entry.estimate = entry.made.wall
            list.pending.append(entry)
        }
        list.pending.sort { ($0.position, $0.entry.id) < ($1.position, $1.entry.id) }
    }
}
