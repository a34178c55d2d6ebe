import TrolleyJournal

/// Makes a failing journal smaller for as long as it still fails.
struct Shrinker {
    let fails: (JournalCase) -> Bool

    func shrink(_ journal: JournalCase) -> JournalCase {
        var smallest = journal
        while let smaller = candidates(of: smallest).first(where: fails) { smallest = smaller }
        return smallest
    }

    /// Smaller journals, the smallest first.
    private func candidates(of journal: JournalCase) -> some Swift.Sequence<JournalCase> {
        let count = journal.entries.count
        let sizes = Swift.sequence(first: count / 2) { $0 > 1 ? $0 / 2 : nil }.filter { $0 > 0 }
        let shorter = sizes.lazy.flatMap { size in
            stride(from: 0, to: count - size + 1, by: size).lazy.map { without($0..<($0 + size), in: journal) }
        }
        let simpler = journal.entries.indices.lazy.flatMap { index in
            plainer(journal.entries[index]).lazy.map { entry in
                var journal = journal
                journal.entries[index] = entry
                return journal
            }
        }
        let earlier = (0..<journal.appended).lazy.map { appended in
            var journal = journal
            journal.appended = appended
            return journal
        }
        return [AnySequence(shorter), AnySequence(earlier), AnySequence(simpler)].lazy.joined()
    }

    private func without(_ range: Range<Int>, in journal: JournalCase) -> JournalCase {
        var journal = journal
        let boundary = journal.entries.count - min(journal.appended, journal.entries.count)
        journal.appended = (boundary..<journal.entries.count).count { !range.contains($0) }
        journal.entries.removeSubrange(range)
        return journal
    }

    private func plainer(_ entry: ConfirmedEntry) -> [ConfirmedEntry] {
        var candidates: [ConfirmedEntry] = []
        func add(_ change: (inout ConfirmedEntry) -> Void) {
            var plainer = entry
            change(&plainer)
            if plainer != entry { candidates.append(plainer) }
        }
        add { $0.entry.fields = [:] }
        for (key, _) in entry.entry.fields { add { $0.entry.fields[key] = nil } }
        for (key, value) in entry.entry.fields where value != .string("a") { add { $0.entry.fields[key] = "a" } }
        add { $0.entry.batch = nil }
        if entry.entry.after != nil { add { $0.entry.after = nil } }
        if entry.madeAt != entry.receivedAt { add { $0.madeAt = $0.receivedAt } }
        return candidates.filter { weight($0) < weight(entry) }
    }

    /// Decreases with every step, so that shrinking ends.
    private func weight(_ entry: ConfirmedEntry) -> Int {
        var weight =
            entry.entry.fields.count * 10 + (entry.entry.batch == nil ? 0 : 1) + (entry.entry.after == nil ? 0 : 1)
        for (_, value) in entry.entry.fields where value != .string("a") { weight += 1 }
        return weight + (entry.madeAt == entry.receivedAt ? 0 : 1)
    }
}
