public import TrolleyJournal

/// The effect of one entry on a list.
public struct ReplayStep: Hashable, Sendable {
    /// The entry, with its sequence, its author's account and its times.
    public var entry: ConfirmedEntry
    /// The name of the entry's author; nil if neither the service nor the device knows it.
    public var authorName: String?
    /// The item's text after the entry; nil for an entry without an item.
    public var itemText: String?
    /// The list before the entry.
    public var before: ListState
    /// The list after the entry. Equal to `before` if the entry changed nothing, because a later entry had already won.
    public var after: ListState

    /// The step's changes of the list's rows, for an animation.
    public var changes: [RowChange] {
        before.items.map { ShownRow(item: $0) }.changes(to: after.items.map { ShownRow(item: $0) })
    }
}

/// A list's history, step by step, oldest first. The steps are computed when they are read, so an app can play them at
/// any speed, and start again.
public struct ListReplay: Sequence, Sendable {
    public let list: ListID
    /// Whether the history comes from the device alone. Then the steps of compressed entries are missing.
    public let isOffline: Bool
    let timeline: Timeline
    let names: [AccountID: String]
    let texts: [EntryID: String]

    /// - Parameters:
    ///   - entries: the list's entries, in any order. If two have the same id, the first counts.
    ///   - names: people's names.
    init(of list: ListID, _ entries: [ConfirmedEntry], names: [AccountID: String], isOffline: Bool) {
        self.list = list
        self.isOffline = isOffline
        self.names = names
        timeline = Timeline(entries)
        var itemTexts = ItemTexts()
        var texts: [EntryID: String] = [:]
        for entry in timeline.entries { texts[entry.entry.id] = itemTexts.take(entry) }
        self.texts = texts
    }

    /// The number of steps.
    public var underestimatedCount: Int { timeline.entries.count }

    public func makeIterator() -> Iterator { Iterator(replay: self) }

    public struct Iterator: IteratorProtocol, Sendable {
        private let replay: ListReplay
        private var timeline: Timeline
        private var index = 0
        private var before = ListState()

        init(replay: ListReplay) {
            self.replay = replay
            timeline = replay.timeline
        }

        public mutating func next() -> ReplayStep? {
            guard index < timeline.entries.count else { return nil }
            let entry = timeline.entries[index]
            index += 1
            let after = timeline.state(through: entry.sequence)
            defer { before = after }
            return ReplayStep(
                entry: entry, authorName: replay.names[entry.author], itemText: replay.texts[entry.entry.id],
                before: before, after: after)
        }
    }
}
