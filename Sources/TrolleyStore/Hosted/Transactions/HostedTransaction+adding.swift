import TrolleyJournal
import TrolleyPostgres
import TrolleySync

extension HostedTransaction {
    /// Decides how to add an item to a list that may have an item of the same name: that item is not added again
    /// (`Addition`).
    /// - Parameter add: the entry that would add the item.
    /// - Returns: the entries to make, in order, and the item after them; no entries if the item is already there with
    ///   these fields; nil if the item is new.
    func adding(
        _ add: JournalEntry, to list: ListID, size: (entries: Int, bytes: Int), made: Timestamp
    ) async throws -> (entries: [JournalEntry], item: Item)? {
        defer { reservation.shrink(to: 0) }
        var shown = try await fold(list, size: size)
        let additions = shown.state.additions(of: [NewItem(fields: add.fields)])
        let plan = AdditionPlan(
            additions, below: nil, identifier: { add.item ?? ItemID(add.id.bits) }, completing: { _, _ in })
        guard let added = plan.added.first, added.outcome != .added else { return nil }
        let entries = plan.drafts.enumerated().map { index, draft in
            var draft = draft
            draft.cause = add.cause
            return draft.entry(
                id: index == 0 ? add.id : .version7(at: .now, random: RandomBits.random), batch: add.batch,
                deviceSequence: add.deviceSequence + Int64(index))
        }
        for entry in entries { shown.append(PendingEntry(entry: entry, madeAt: made)) }
        return (entries, shown.state.items.first { $0.id == added.item.id } ?? added.item)
    }

    /// Folds the list as the device has it. This reserves memory, which the caller releases.
    func fold(_ list: ListID, size: (entries: Int, bytes: Int)) async throws -> ListFold {
        try reserve(size)
        let answers = try await connection.pipeline([
            .execute(HostedQueueSQL.entries, [device, list]), .execute(HostedQueueSQL.pending, [device, list]),
        ])
        return ListFold(
            folding: try answers[0].map { try ConfirmedEntry(content: try $0.decode(String.self, at: 0)) },
            pending: try answers[1].map(PendingEntry.init(row:)))
    }
}
