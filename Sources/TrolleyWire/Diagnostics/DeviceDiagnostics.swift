public import TrolleyJournal

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

        package init(
            id: ListID, isPublished: Bool, isLocal: Bool, isKept: Bool, isShopping: Bool, through: SequenceNumber,
            confirmed: Int, differed: Int, differedAt: Timestamp?, digest: StateDigest, upload: [Operation: Int],
            toApply: [Operation: Int], name: String?, token: String?, entries: [DumpedEntry], queued: [DumpedEntry],
            entriesOmitted: Int
        ) {
            self.id = id
            self.isPublished = isPublished
            self.isLocal = isLocal
            self.isKept = isKept
            self.isShopping = isShopping
            self.through = through
            self.confirmed = confirmed
            self.differed = differed
            self.differedAt = differedAt
            self.digest = digest
            self.upload = upload
            self.toApply = toApply
            self.name = name
            self.token = token
            self.entries = entries
            self.queued = queued
            self.entriesOmitted = entriesOmitted
        }
    }

    /// What runs have failed with lately.
    public struct Failure: Hashable, Sendable {
        public var code: String
        public var count: Int
        public var at: Timestamp

        package init(code: String, count: Int, at: Timestamp) {
            self.code = code
            self.count = count
            self.at = at
        }
    }

    /// An entry that the service refused.
    public struct Rejected: Hashable, Sendable {
        public var list: ListID
        public var entry: JournalEntry
        public var code: ProblemCode
        public var at: Timestamp

        package init(list: ListID, entry: JournalEntry, code: ProblemCode, at: Timestamp) {
            self.list = list
            self.entry = entry
            self.code = code
            self.at = at
        }
    }

    /// A list that left the device.
    public struct Notice: Hashable, Sendable {
        public var list: ListID
        public var reason: ListGoneReason
        /// Unsent entries that were put with the refused ones.
        public var keptAside: Int
        public var at: Timestamp

        package init(list: ListID, reason: ListGoneReason, keptAside: Int, at: Timestamp) {
            self.list = list
            self.reason = reason
            self.keptAside = keptAside
            self.at = at
        }
    }

    /// The lists of an account that is not signed in.
    public struct Hidden: Hashable, Sendable {
        public var lists: Int
        /// Entries in their upload queues.
        public var waiting: Int

        package init(lists: Int, waiting: Int) {
            self.lists = lists
            self.waiting = waiting
        }
    }

    /// The service that somebody is signed in to; nil: nobody is.
    public var server: String?
    public var account: AccountID?
    public var device: DeviceID?
    /// What the device's wall clock shows.
    public var now: Timestamp
    /// Names the run of the machine that `uptime` counts from, in milliseconds.
    public var boot: String
    public var uptime: Int64
    public var failuresInARow: Int
    public var nextTry: Timestamp?
    /// Whether it was the service that named `nextTry`.
    public var askedToWait: Bool
    /// Since when the service hasn't known this device's session.
    public var sessionEndedAt: Timestamp?
    public var hidden: [Hidden] = []
    /// Newest first.
    public var failures: [Failure] = []
    public var lists: [List] = []
    public var rejected: [Rejected] = []
    public var notices: [Notice] = []
    /// Whether what the person wrote is in it.
    public var hasContent = false

    package init(
        server: String?, account: AccountID?, device: DeviceID?, now: Timestamp, boot: String, uptime: Int64,
        failuresInARow: Int, nextTry: Timestamp?, askedToWait: Bool, sessionEndedAt: Timestamp?
    ) {
        self.server = server
        self.account = account
        self.device = device
        self.now = now
        self.boot = boot
        self.uptime = uptime
        self.failuresInARow = failuresInARow
        self.nextTry = nextTry
        self.askedToWait = askedToWait
        self.sessionEndedAt = sessionEndedAt
    }
}
