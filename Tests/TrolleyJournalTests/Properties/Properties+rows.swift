import TrolleyJournal

extension Property {
    static let rowChangesLeadToTheNewRows = Property(name: "applying the changes of rows to the old ones gives the new")
    {
        journal in
        var random = SeededGenerator(seed: journal.seed)
        let old = ListState(folding: journal.before).items.map { ShownRow(item: $0) }
        var new = ListState(folding: journal.entries).items.map { ShownRow(item: $0) }
        // A row may only be struck through, without any other change.
        for index in new.indices where random.oneIn(8) { new[index].isStruck = true }
        // Journals move few rows at a time, but any move must work.
        if random.oneIn(3) { new.shuffle(using: &random) }
        for (old, new) in [(old, new), (new, old)] {
            let changes = old.changes(to: new)
            var rows = old
            for change in changes {
                guard change.applies(to: rows) else { return "\(change) does not apply to \(rows)" }
                rows.apply(change)
            }
            if let why = unequal(rows, new, "rows after \(changes)") { return why }
            let kept = Set(old.map(\.id)).intersection(new.map(\.id))
            let moved = changes.count { if case .moved = $0 { true } else { false } }
            if moved > max(0, kept.count - 1) { return "\(moved) of \(kept.count) rows move" }
        }
        return old.changes(to: old).isEmpty ? nil : "what stays as it is changes"
    }

    /// A device hides only marked-off items that it never showed.
    static let finishedArrivalsOnlyHide = Property(name: "a device leaves out finished arrivals and nothing else") {
        journal in
        guard let last = journal.entries.map(\.receivedAt).max() else { return nil }
        let unseenItems = FinishedUnseenItems(
            of: journal.after, olderThan: last.advanced(byMilliseconds: 1), over: ListFold(folding: journal.before))
        let fold = ListFold(folding: journal.entries)
        let shown = fold.state(without: unseenItems.markedOff)
        if let why = unequal(shown.digest, fold.state.digest, "digest") { return why }
        // A message about an item doesn't show the item.
        let old = Set(journal.before.lazy.filter { $0.entry.operation.concernsItem }.compactMap(\.entry.item))
        let missing = fold.state.items.filter { item in !shown.items.contains { $0.id == item.id } }
        if missing.contains(where: { !$0.markedOff || old.contains($0.id) }) { return "left out: \(missing)" }
        return unequal(fold.state.items.filter { item in !missing.contains { $0.id == item.id } }, shown.items, "order")
    }
}

extension RowChange {
    /// Whether the indices are within these rows.
    fileprivate func applies(to rows: [ShownRow]) -> Bool {
        switch self {
        case .removed(let index), .changed(_, let index): rows.indices.contains(index)
        case .moved(let from, let to): rows.indices.contains(from) && rows.indices.contains(to)
        case .inserted(_, let index): (0...rows.count).contains(index)
        }
    }
}
