public import TrolleyJournal
public import TrolleySync
public import TrolleyWire

/// The state of a device, for finding faults: ids, counts, times and hashes. It contains text that people wrote only if
/// asked for.
public struct DeviceDiagnostics: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        public var id: ListID
        public var isPublished: Bool
        /// Whether the list is on this device alone.
        public var isLocal: Bool
        /// Whether the list is kept for an account whose session the service no longer knew.
        public var isKept: Bool
        public var isShopping: Bool
        /// The device has all changes up to this sequence.
        public var through: SequenceNumber
        public var confirmed: Int
        /// How often the service's digest differed at the same sequence, so that the list was fetched again.
        public var differed: Int
        public var differedAt: Timestamp?
        /// The digest of all received entries, shown or not, without this device's unconfirmed entries. It must be
        /// equal on all devices.
        public var digest: StateDigest
        public var upload: [Operation: Int]
        public var toApply: [Operation: Int]
        /// The list's name; nil unless content was asked for.
        public var name: String?
        /// Identifies the device's change token without revealing it.
        public var token: String?
        /// The newest received entries, in order.
        public var entries: [DumpedEntry]
        /// The upload queue, in order.
        public var queued: [DumpedEntry]
        /// The number of received entries older than `entries`.
        public var entriesOmitted: Int
    }

    public var session: Session?
    public var now: DeviceTime
    public var pace: Pace
    public var lists: [List]
    public var rejected: [RejectedEntry]
    public var notices: [Notice]
    /// Lists of accounts that are not signed in.
    public var hidden: [HiddenLists]
    /// Whether the diagnostics contain text that people wrote.
    public var hasContent: Bool
}

extension Device {
    /// Diagnostics to send with a bug report.
    /// - Parameter withContent: whether to include text that people wrote.
    public func diagnostics(withContent: Bool = false) async throws(DeviceError) -> DeviceDiagnostics {
        let session = try await session()
        let now = clock()
        return try await stored { () async throws(QueueStoreError) in
            try await store.diagnostics(session: session, at: now, withContent: withContent)
        }
    }
}

extension SQLiteStore {
    /// The largest number of entries for each list.
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
