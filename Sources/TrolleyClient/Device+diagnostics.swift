public import TrolleyJournal
public import TrolleySync

/// How a device stands, for somebody who looks for a fault: ids, counts and times, and nothing that a person wrote.
public struct DeviceDiagnostics: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        public var id: ListID
        public var isPublished: Bool
        public var isShopping: Bool
        /// The sequence that the device has everything up to.
        public var through: SequenceNumber
        public var confirmed: Int
        /// How often the service's digest was another at the same sequence, so that the list was fetched afresh.
        public var differed: Int
        public var differedAt: Timestamp?
        /// Of what all devices agree on, without this device's unconfirmed entries.
        public var digest: StateDigest
        public var upload: [Operation: Int]
        public var toApply: [Operation: Int]
    }

    public var session: Session?
    public var now: DeviceTime
    public var pace: Pace
    public var lists: [List]
    public var rejected: [RejectedEntry]
    public var notices: [Notice]
}

extension Device {
    /// What to send with the report of a problem.
    public func diagnostics() async throws(DeviceError) -> DeviceDiagnostics {
        let session = try await session()
        let now = clock()
        return try await stored { () async throws(QueueStoreError) in
            try await store.diagnostics(session: session, at: now)
        }
    }
}

extension SQLiteStore {
    fileprivate func diagnostics(
        session: Session?, at now: DeviceTime
    ) async throws(QueueStoreError) -> DeviceDiagnostics {
        let pace = try await standing().pace
        return try await read { transaction in
            let lists = try transaction.lists().map { row in
                let confirmed = try transaction.confirmed(of: row)
                let waiting = try transaction.waiting(in: row, limit: .max).map(\.entry.operation)
                let toApply = try transaction.confirmedEntries(of: row, applied: false).map(\.entry.operation)
                return DeviceDiagnostics.List(
                    id: row.id, isPublished: row.published, isShopping: row.shopping, through: row.through,
                    confirmed: confirmed.count, differed: row.differed, differedAt: row.differedAt,
                    digest: confirmed.digest,
                    upload: Dictionary(waiting.map { ($0, 1) }, uniquingKeysWith: +),
                    toApply: Dictionary(toApply.map { ($0, 1) }, uniquingKeysWith: +))
            }
            return DeviceDiagnostics(
                session: session, now: now, pace: pace, lists: lists, rejected: try transaction.rejected(),
                notices: try transaction.notices())
        }
    }
}
