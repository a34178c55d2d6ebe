public import TrolleyJournal
public import TrolleySync
public import TrolleyWire

/// How a device stands, for somebody who looks for a fault: ids, counts, times and hashes. What the person wrote is only in
/// it where that was asked for.
public struct DeviceDiagnostics: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        public var id: ListID
        public var isPublished: Bool
        /// On this device alone.
        public var isLocal: Bool
        /// Kept for an account whose session the service no longer knew.
        public var isKept: Bool
        public var isShopping: Bool
        /// The sequence that the device has everything up to.
        public var through: SequenceNumber
        public var confirmed: Int
        /// How often the service's digest was another at the same sequence, so that the list was fetched afresh.
        public var differed: Int
        public var differedAt: Timestamp?
        /// Of what all devices agree on: all that was received, whether it is shown yet or not, without this device's
        /// unconfirmed entries.
        public var digest: StateDigest
        public var upload: [Operation: Int]
        public var toApply: [Operation: Int]
        /// What the list is called; nil unless content was asked for.
        public var name: String?
        /// Stands for what the device has of the list's changes; it opens nothing.
        public var token: String?
        /// The newest of what was received, in order.
        public var entries: [DumpedEntry]
        /// The upload queue, in order.
        public var queued: [DumpedEntry]
        /// Entries that were received and are older than `entries`.
        public var entriesOmitted: Int
    }

    public var session: Session?
    public var now: DeviceTime
    public var pace: Pace
    public var lists: [List]
    public var rejected: [RejectedEntry]
    public var notices: [Notice]
    /// Of accounts that are not signed in.
    public var hidden: [HiddenLists]
    /// Whether what the person wrote is in it.
    public var hasContent: Bool
}

extension Device {
    /// What to send with the report of a problem.
    /// - Parameter withContent: with what the person wrote.
    public func diagnostics(withContent: Bool = false) async throws(DeviceError) -> DeviceDiagnostics {
        let session = try await session()
        let now = clock()
        return try await stored { () async throws(QueueStoreError) in
            try await store.diagnostics(session: session, at: now, withContent: withContent)
        }
    }
}

extension SQLiteStore {
    /// Entries of each list that are told of at the most.
    private static var mostEntries: Int { 20_000 }

    fileprivate func diagnostics(
        session: Session?, at now: DeviceTime, withContent: Bool
    ) async throws(QueueStoreError) -> DeviceDiagnostics {
        let pace = try await standing().pace
        let hidden = try await hiddenLists()
        return try await read { transaction in
            let lists = try transaction.lists().map { row in
                let confirmed = try transaction.journal(of: row).confirmed
                let waiting = try transaction.waiting(in: row, limit: .max)
                let toApply = try transaction.confirmedEntries(of: row, applied: false)
                let received = (confirmed + toApply).sorted { $0.sequence < $1.sequence }
                let state = ListState(folding: received)
                return DeviceDiagnostics.List(
                    id: row.id, isPublished: row.published, isLocal: row.local, isKept: row.former != nil,
                    isShopping: row.shopping, through: row.through,
                    confirmed: confirmed.count, differed: row.differed, differedAt: row.differedAt,
                    digest: state.digest,
                    upload: Dictionary(waiting.map { ($0.entry.operation, 1) }, uniquingKeysWith: +),
                    toApply: Dictionary(toApply.map { ($0.entry.operation, 1) }, uniquingKeysWith: +),
                    name: withContent ? state.name : nil, token: row.token,
                    entries: received.suffix(Self.mostEntries).map { DumpedEntry($0, withContent: withContent) },
                    queued: waiting.map { DumpedEntry(waiting: $0.entry, age: $0.made.age(at: now)) },
                    entriesOmitted: max(0, received.count - Self.mostEntries))
            }
            return DeviceDiagnostics(
                session: session, now: now, pace: pace, lists: lists, rejected: try transaction.rejected(),
                notices: try transaction.notices(), hidden: hidden, hasContent: withContent)
        }
    }
}
