extension ListState {
    /// Folds a journal: confirmed entries by ascending sequence, in whatever order they are given, then the device's
    /// own unconfirmed ones in the order given.
    ///
    /// Never throws and never traps, whatever the entries. An entry that occurs twice counts once. docs/journal.md
    /// ('Fold') gives the rules.
    public init(
        folding confirmed: some Swift.Sequence<ConfirmedEntry>, pending: some Swift.Sequence<PendingEntry>
    ) {
        var list = FoldedList()
        list.fold(confirmed)
        list.fold(pending)
        self = list.state
    }

    public init(folding confirmed: some Swift.Sequence<ConfirmedEntry>) {
        self.init(folding: confirmed, pending: EmptyCollection<PendingEntry>())
    }
}

extension FoldedList {
    /// Folds confirmed entries, given in any order.
    mutating func fold(_ confirmed: some Swift.Sequence<ConfirmedEntry>) {
        let entries = confirmed.inStreamOrder()
        reserveCapacity(entries.count)
        // By index: an iterator would copy each entry.
        for index in entries.indices { fold(entries[index].entry, at: entries[index].stamp) }
    }

    /// Folds unconfirmed entries, after all confirmed ones.
    mutating func fold(_ pending: some Swift.Sequence<PendingEntry>) {
        for entry in pending {
            fold(entry.entry, at: Stamp(madeAt: entry.madeAt, sequence: last.advanced(by: 1)))
        }
    }
}

extension ConfirmedEntry {
    var stamp: Stamp { Stamp(madeAt: madeAt, sequence: sequence) }
}

extension Swift.Sequence<ConfirmedEntry> {
    /// The entries by ascending sequence; entries of the same sequence in the order given.
    package func inStreamOrder() -> [ConfirmedEntry] {
        let entries = Array(self)
        let isSorted = entries.indices.dropFirst().allSatisfy { entries[$0 - 1].sequence <= entries[$0].sequence }
        return isSorted ? entries : entries.inOrder { $0.sequence < $1.sequence }
    }
}
