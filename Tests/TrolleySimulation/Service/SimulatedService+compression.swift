import TrolleyJournal
import TrolleyWire

// Compression by one process, in steps, while the other process appends; as `CompressionPlan` and `CompressionStep` do it.

/// A plan of one process, and how far it is carried out.
struct CompressionInSteps: Sendable {
    let list: ListID
    let head: SequenceNumber
    let epoch: Int
    let finished: Set<ItemID>
    var steps: [Compression]
    /// The changes that its own steps made.
    var own: Set<SequenceNumber> = []
}

extension SimulatedService {
    mutating func planCompression(of id: ListID, olderThan cutOff: Timestamp, step: Int, by process: Int) {
        guard let list = database.lists[id] else { return }
        let entries = list.inOrder
        var compression = Compression(of: entries, olderThan: cutOff)
        if defect == .decidingEntryDiscarded {
            let known = Set(compression.discarded.map(\.id))
            let deciding = entries.filter { $0.entry.operation == .markOff && !known.contains($0.entry.id) }
            compression = Compression(
                discarded: compression.discarded + deciding.map { .init(id: $0.entry.id, why: .decidedAgain) },
                anchors: compression.anchors)
        }
        guard !compression.isEmpty else { return }
        var steps = compression.steps(of: step, in: entries)
        if defect == .stepsSplitItems {
            steps = compression.discarded.map { Compression(discarded: [$0], anchors: []) }
            steps.append(Compression(discarded: [], anchors: compression.anchors))
        }
        processes[process].plan = CompressionInSteps(
            list: id, head: list.head, epoch: database.epoch, finished: compression.finishedItems(in: entries),
            steps: steps)
    }

    /// - Returns: the list, if the step changed it; whether the plan was dropped because somebody had changed what it was made
    ///   from.
    mutating func compressionStep(by process: Int) -> (list: ListID?, isStale: Bool) {
        guard var plan = processes[process].plan, var list = database.lists[plan.list], !plan.steps.isEmpty else {
            processes[process].plan = nil
            return (nil, false)
        }
        let appended = list.live.values.filter { $0.sequence > plan.head }.sorted { $0.sequence < $1.sequence }
        let others = list.events.contains { event in
            guard event.sequence > plan.head, !plan.own.contains(event.sequence) else { return false }
            if case .discard = event.body { return true } else { return false }
        }
        // A restored database has other changes at these sequences; the process's connections end with the old one.
        let isValid =
            plan.epoch == database.epoch && !others
            && Compression.isStillValid(
                appended.lazy.map { ($0.entry.item, $0.entry.after) }, finished: plan.finished)
        guard isValid || defect == .stalePlanApplied && plan.epoch == database.epoch else {
            processes[process].plan = nil
            return (nil, true)
        }
        let step = plan.steps.removeFirst()
        for discard in step.discarded { list.live[discard.id] = nil }
        if defect != .anchorsNotStored {
            for anchor in step.anchors { list.live[anchor.id]?.entry.after = anchor.after }
        }
        if defect == .activityCompressed { list.forget(step.discarded.map(\.id)) }
        if !step.isEmpty {
            list.append(
                .discard(
                    ids: step.discarded.map(\.id),
                    anchors: Dictionary(uniqueKeysWithValues: step.anchors.map { ($0.id, $0.after) })))
            plan.own.insert(list.head)
        }
        database.lists[plan.list] = list
        processes[process].plan = plan.steps.isEmpty ? nil : plan
        return (plan.list, false)
    }

    /// Drops the oldest discards.
    mutating func dropTrail(of id: ListID, share: Int) {
        guard var list = database.lists[id] else { return }
        let discards = list.events.filter { if case .discard = $0.body { true } else { false } }
        let dropped = Set(discards.prefix(1 + discards.count * share / 100).map(\.sequence))
        guard let last = dropped.max() else { return }
        list.events.removeAll { dropped.contains($0.sequence) }
        list.trailFrom = max(list.trailFrom, last)
        database.lists[id] = list
    }
}

extension StoredList {
    /// For a defect.
    fileprivate mutating func forget(_ ids: [EntryID]) {
        activity.removeAll { ids.contains($0.entry.id) }
        taken = [:]
        for (place, entry) in activity.enumerated() { taken[entry.entry.id] = place }
    }
}
