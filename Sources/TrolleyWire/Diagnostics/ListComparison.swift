public import TrolleyJournal

/// A comparison of one list on two sides, as far as both have it.
public struct ListComparison: Hashable, Sendable {
    public var left: Dump.List
    public var right: Dump.List
    /// The sequence up to which the sides were compared.
    public var through: SequenceNumber
    /// The places where the sides differ, in order.
    public var divergences: [Divergence]
    /// Whether both sides show the same at that sequence; nil: these files don't tell.
    public var hasSameState: Bool?
    /// The first change after which the sides show different lists, if the files contain the text that people wrote.
    public var firstShown: SequenceNumber?

    public init(_ left: Dump.List, _ right: Dump.List) {
        self.left = left
        self.right = right
        through = min(left.through, right.through)
        // Nothing before the oldest entry in a file can be compared, unless the file has all entries.
        let from = max(left.from, right.from)
        divergences = Divergence.all(left.marks, right.marks, through: through).filter { $0.sequence >= from }
        if let leftContent = left.content, let rightContent = right.content {
            firstShown = Divergence.firstShown(leftContent, rightContent, through: through)
            hasSameState = firstShown == nil
        } else if left.through == right.through, let digest = left.digest, right.digest != nil {
            hasSameState = digest == right.digest
        } else {
            hasSameState = divergences.isEmpty && left.omitted == 0 && right.omitted == 0 ? true : nil
        }
    }

    /// The lists in both files, and the lists in only one of them.
    public static func of(
        _ left: Dump, _ right: Dump
    ) -> (both: [ListComparison], onlyLeft: [Dump.List], onlyRight: [Dump.List]) {
        var both: [ListComparison] = []
        for list in left.lists {
            if let other = right.lists.first(where: { $0.id == list.id || $0.id == nil || list.id == nil }) {
                both.append(ListComparison(list, other))
            }
        }
        let shared = Set(both.map { $0.left.id }).union(both.map { $0.right.id })
        return (
            both, left.lists.filter { !shared.contains($0.id) }, right.lists.filter { !shared.contains($0.id) }
        )
    }
}

extension Dump.List {
    fileprivate var marks: [EntryMark] {
        entries.compactMap { entry in
            entry.sequence.map { EntryMark(sequence: $0, id: entry.id, hash: entry.hash) }
        }
    }

    /// The sequence from which the file has every entry.
    fileprivate var from: SequenceNumber {
        omitted == 0 ? .start : entries.compactMap { $0.sequence }.min() ?? through
    }
}
