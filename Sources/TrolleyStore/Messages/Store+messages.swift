package import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Store {
    /// Messages of a list, with their reactions and pins. Reads only the rows of these messages.
    /// - Parameter limit: the largest number of messages, or of changes with `.after` and `.since`.
    /// - Throws: `.notOnList`, `.gone`.
    package func messages(
        of list: ListID, for account: AccountID, at place: MessagePlace, limit: Int
    ) async throws(StoreError) -> MessageRange {
        try await readSnapshot(of: list, for: account, isShort: limit <= Self.maxQuickChanges) { connection in
            var range = try await connection.messageRange(of: list, for: account, at: place)
            let rows =
                switch place {
                case .before(let sequence):
                    try await connection.execute(
                        MessageSQL.newest, [list, sequence ?? SequenceNumber(rawValue: .max), limit])
                case .after, .since: try await connection.execute(MessageSQL.since, [list, range.start, limit])
                }
            var entries = try rows.map { try ConfirmedEntry(row: $0) }
            if case .before = place { entries.reverse() }
            range.messages.isComplete = entries.count < limit
            range.messages.last = entries.last.map { ($0.sequence, $0.receivedAt) }
            range.messages.reservation = try reserve(0, for: account)
            try await connection.fill(&range.messages, with: entries, of: list)
            return (range.messages, range.messages.changeRange.position)
        }
    }

    /// The messages that were deleted after a place.
    /// - Throws: `.notOnList`, `.gone`.
    package func deletedMessages(
        of list: ListID, for account: AccountID, at place: MessagePlace, limit: Int
    ) async throws(StoreError) -> MessageRange {
        try await readSnapshot(of: list, for: account, isShort: limit <= Self.maxQuickChanges) { connection in
            var range = try await connection.messageRange(of: list, for: account, at: place)
            // Deletions of messages that compression has removed are found by their own time.
            let since: Timestamp
            if case .since(let time) = place {
                since = time
                range.start = .start
            } else {
                since = Timestamp(milliseconds: 0)
            }
            let answers = try await connection.pipeline([
                .execute(MessageSQL.deleted, [list, range.start, since, limit]),
                .execute(ArchiveSQL.retained, [list]),
            ])
            let (from, isPartial) = try answers[1][0].decode((Timestamp?, Bool).self)
            if isPartial, case .since(let time) = place, let from, time < from { range.messages.isRetained = false }
            for row in answers[0] {
                let (sequence, text, receivedAt) = try row.decode((SequenceNumber, String, Timestamp).self)
                if let id = EntryID(text) { range.messages.deleted.append(id) }
                range.messages.last = (sequence, receivedAt)
            }
            range.messages.isComplete = answers[0].count < limit
            return (range.messages, range.messages.changeRange.position)
        }
    }

    /// Moves an account's read mark to the last of these messages.
    /// - Returns: how far the account has read now; nil when the list has never had one of the messages.
    /// - Throws: `.notOnList`, `.gone`.
    package func markRead(
        _ messages: Set<EntryID>, on list: ListID, by account: AccountID
    ) async throws(StoreError) -> SequenceNumber? {
        let last = try await transaction { connection -> SequenceNumber? in
            try await connection.requireMembership(of: account, on: list)
            let (count, last) = try await connection.execute(MessageSQL.places, [list, messages.sorted()])[0]
                .decode((Int64, SequenceNumber).self)
            return count == messages.count ? last : nil
        }
        guard let last else { return nil }
        return try await markRead(list, through: last, by: account)
    }
}

/// A range of messages, and the sequence after which it starts.
private struct StartedRange: Sendable {
    var messages: MessageRange
    var start: SequenceNumber
}

extension Connection {
    /// The list's state for a person on it, still without messages.
    /// - Throws: `StoreError.notOnList`, `.gone`.
    fileprivate func messageRange(
        of list: ListID, for account: AccountID, at place: MessagePlace
    ) async throws -> StartedRange {
        let start: SequenceNumber
        switch place {
        case .before: start = .start
        case .after(let sequence): start = sequence
        case .since(let time):
            start = try await execute(MessageSQL.place, [list, time])[0].decode(SequenceNumber.self, at: 0)
        }
        let answers = try await pipeline([
            .execute(ChangeSQL.head, [account, list, start, Int64(1)]), .execute(MessageSQL.total, [list]),
            .execute(PresenceSQL.reads, [list]),
        ])
        guard let row = answers[0].first else { throw try await membershipError(of: account, from: list) }
        var range = MessageRange(changeRange: try ChangeRange(list, row: row, from: 0))
        range.total = Int(try answers[1][0].decode(Int64.self, at: 0))
        range.reads = try answers[2].map { try ReadMark(row: $0) }
        return StartedRange(messages: range, start: start)
    }

    /// Folds the messages that these entries are, or are about.
    fileprivate func fill(_ range: inout MessageRange, with entries: [ConfirmedEntry], of list: ListID) async throws {
        let ids = Set(entries.map { $0.entry.message ?? $0.entry.id })
        range.deleted = entries.filter { $0.entry.operation == .deleteMessage }.compactMap(\.entry.message)
        guard !ids.isEmpty else { return }
        let known = Set(entries.lazy.filter { $0.entry.operation == .message }.map(\.entry.id))
        // Before libpq holds the rows: there may be many reactions to few messages.
        let (count, bytes) = try await execute(MessageSQL.size, [list, ids.sorted().map(\.description)])[0]
            .decode((Int64, Int64).self)
        try range.reservation?.resize(to: Int(count) * 512 + Int(bytes) * 4)
        let rows = try await execute(
            MessageSQL.whole, [list, ids.subtracting(known).sorted(), ids.sorted().map(\.description)])
        let others = try rows.map { try ConfirmedEntry(row: $0) }
        range.messages = Conversation(folding: entries + others).messages()
    }
}
