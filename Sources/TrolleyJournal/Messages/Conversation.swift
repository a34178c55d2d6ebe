/// The messages of a list: the fold of the entries about messages.
///
/// Messages stand in the order of the stream, and a device's own unconfirmed ones after them. Any entry can be folded in any
/// state: an entry about a message that comes later counts once the message is there. See docs/journal.md, 'Messages'.
public struct Conversation: Sendable {
    /// In stream order, with the deleted ones.
    private var all: [FoldedMessage] = []
    private var indices: [EntryID: Int] = [:]
    /// Entries about messages that are not there, by message.
    private var early: [EntryID: [Early]] = [:]
    /// The number of messages that are not deleted.
    public private(set) var count = 0
    /// The number of discarded messages that are still in `all`.
    private var discarded = 0

    private struct Early: Sendable {
        let entry: JournalEntry
        let author: AccountID?
        let stamp: Stamp
    }

    public init() {}

    /// Folds confirmed entries, in any order.
    public init(folding confirmed: some Swift.Sequence<ConfirmedEntry>) {
        var seen: Set<EntryID> = []
        for entry in confirmed.inStreamOrder() where entry.entry.operation.concernsMessages {
            if seen.insert(entry.entry.id).inserted { apply(entry) }
        }
    }

    public var isEmpty: Bool { count == 0 }

    /// Folds a confirmed entry that was not folded before; sequences must ascend.
    mutating func apply(_ entry: ConfirmedEntry) {
        take(entry.entry, sequence: entry.sequence, by: entry.author, at: entry.stamp)
    }

    /// Folds unconfirmed entries of this device.
    /// - Parameter last: the sequence of the latest confirmed entry.
    mutating func fold(_ pending: [PendingEntry], after last: SequenceNumber) {
        for entry in pending {
            let stamp = Stamp(madeAt: entry.madeAt, sequence: last.advanced(by: 1))
            take(entry.entry, sequence: nil, by: nil, at: stamp)
        }
    }

    private mutating func take(_ entry: JournalEntry, sequence: SequenceNumber?, by author: AccountID?, at stamp: Stamp)
    {
        if entry.operation == .message {
            guard entry.messageFault == nil, indices[entry.id] == nil else { return }
            var message = FoldedMessage(entry, sequence: sequence, author: author, madeAt: stamp.madeAt)
            for early in early.removeValue(forKey: entry.id) ?? [] {
                message.decide(early.entry, by: early.author, at: early.stamp)
            }
            indices[entry.id] = all.count
            all.append(message)
            if !message.isDeleted { count += 1 }
        } else if let message = entry.message {
            guard let index = indices[message] else {
                if SeededFault.isSeeded(.earlyEntriesAboutMessagesAreLost) { return }
                early[message, default: []].append(Early(entry: entry, author: author, stamp: stamp))
                return
            }
            let wasDeleted = all[index].isDeleted
            all[index].decide(entry, by: author, at: stamp)
            if all[index].isDeleted, !wasDeleted { count -= 1 }
        }
    }

    /// Removes the messages among entries that compression discarded. The other entries decide nothing any more.
    mutating func discard(_ ids: some Swift.Sequence<EntryID>) {
        for id in ids {
            guard let index = indices.removeValue(forKey: id) else { continue }
            WorkCounter.step()
            if !all[index].isDeleted { count -= 1 }
            all[index].discard()
            discarded += 1
        }
        // Many small steps of a compression must not each pass all messages.
        guard discarded > all.count / 2 else { return }
        all.removeAll { $0.isDiscarded }
        discarded = 0
        for index in all.indices {
            WorkCounter.step()
            indices[all[index].id] = index
        }
    }

    /// The ids of the deleted messages.
    var deleted: Set<EntryID> { Set(all.lazy.filter { $0.isDeleted && !$0.isDiscarded }.map { $0.id }) }

    /// The message with this id, deleted or not.
    func folded(_ id: EntryID) -> FoldedMessage? { indices[id].map { all[$0] } }
}

extension Conversation {
    /// A message; nil: there is none, or it is deleted.
    /// - Parameter person: the device's person, whose own unconfirmed entries have no author yet.
    public func message(_ id: EntryID, for person: AccountID? = nil) -> Message? {
        guard let message = folded(id), !message.isDeleted else { return nil }
        return message.shown(to: person)
    }

    /// The last messages, in the order of the stream. Takes time for these messages only.
    /// - Parameters:
    ///   - limit: the largest number of messages.
    ///   - before: only messages above this one, which is how scrolling back pages. An unknown id: none.
    ///   - item: only messages about this item; nil: all.
    ///   - person: the device's person, whose own unconfirmed entries have no author yet.
    public func messages(
        limit: Int = .max, before: EntryID? = nil, about item: ItemID? = nil, for person: AccountID? = nil
    ) -> [Message] {
        var shown: [Message] = []
        var index = before.map { indices[$0] ?? 0 } ?? all.endIndex
        while index > all.startIndex, shown.count < limit {
            index -= 1
            guard !all[index].isDeleted, item == nil || all[index].item == item else { continue }
            shown.append(all[index].shown(to: person))
        }
        return shown.reversed()
    }

    /// The pinned messages, in the order of the stream.
    public func pinned(for person: AccountID? = nil) -> [Message] {
        messages(for: person).filter { $0.isPinned }
    }
}
