import TrolleyJournal
import TrolleyWire

/// A list's stream of changes in memory. It keeps the real service's promises: each id once, sequences without gaps.
struct ListStream: Sendable {
    /// Every change in its original form, including entries that compression has removed since, as a backup has them.
    private(set) var changes: [Change] = []
    /// Every accepted entry, including those that compression has removed since.
    private(set) var accepted: [EntryID: ConfirmedEntry] = [:]

    /// The sequence of the newest change.
    var head: SequenceNumber { SequenceNumber(rawValue: Int64(changes.count)) }

    /// The entries that compression has left.
    var entries: [ConfirmedEntry] {
        live.compactMap { if case .entry(let entry) = $0.body { entry } else { nil } }
    }

    /// The stream as the service sends it: without discarded entries, and with the latest anchors of others.
    var live: [Change] {
        var discarded: Set<EntryID> = []
        var anchored: [EntryID: ItemID?] = [:]
        for case .discard(let ids, let anchors) in changes.lazy.map(\.body) {
            discarded.formUnion(ids)
            anchored.merge(anchors) { $1 }
        }
        return changes.map { change in
            guard case .entry(var entry) = change.body else { return change }
            if discarded.contains(entry.entry.id) {
                return Change(sequence: change.sequence, body: .discard(ids: [], anchors: [:]))
            }
            if let anchor = anchored[entry.entry.id] { entry.entry.after = anchor }
            return Change(sequence: change.sequence, body: .entry(entry))
        }
    }

    mutating func append(_ body: Change.Body) {
        changes.append(Change(sequence: head.advanced(by: 1), body: body))
    }

    /// Takes an entry of an upload.
    /// - Parameter verdict: why the entry is refused; nil: it isn't. Not asked about an entry that was accepted before.
    mutating func take(
        _ upload: UploadEntry, by account: AccountID, on device: DeviceID, at now: Timestamp,
        verdict: (JournalEntry) -> (code: ProblemCode, detail: String)? = { _ in nil }
    ) -> UploadResult {
        let id = upload.entry.id
        if let known = accepted[id] {
            guard known.entry == upload.entry else { return .rejected(id, .serverRecordChanged, "other content") }
            return .accepted(known, .duplicate)
        }
        if let refusal = verdict(upload.entry) { return .rejected(id, refusal.code, refusal.detail) }
        let confirmed = ConfirmedEntry(
            entry: upload.entry, sequence: head.advanced(by: 1), author: account, device: device,
            madeAt: now.advanced(byMilliseconds: -upload.age), receivedAt: now)
        accepted[id] = confirmed
        append(.entry(confirmed))
        return .accepted(confirmed, .applied)
    }

    /// Compresses the list to the entries that decide its state.
    mutating func compress() {
        let compression = Compression(of: entries, olderThan: Timestamp(milliseconds: .max))
        guard !compression.isEmpty else { return }
        append(
            .discard(
                ids: compression.discarded.map(\.id).sorted(),
                anchors: Dictionary(uniqueKeysWithValues: compression.anchors.map { ($0.id, $0.after) })))
    }

    /// Loses the last changes, as a restored older copy has.
    mutating func lose(_ count: Int) {
        changes.removeLast(count)
        let head = head
        accepted = accepted.filter { $0.value.sequence <= head }
    }
}
