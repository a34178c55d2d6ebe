public import TrolleyJournal

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

    /// The versions that a device was made of.
    public struct Versions: Hashable, Sendable {
        public var trolley: String
        /// Of the rules by which it folds, see `ProtocolVersion`.
        public var protocolVersion: Int

        package init(trolley: String, protocolVersion: Int) {
            self.trolley = trolley
            self.protocolVersion = protocolVersion
        }
    }

    /// The limits of a request, as far as the device has learned them.
    public struct LearnedLimits: Hashable, Sendable {
        /// As the service announced them; nil: not yet.
        public var announced: Limits?
        /// The largest number of entries, after the service refused more.
        public var entries: Int?
        /// Until when ``entries`` holds.
        public var until: Timestamp?

        package init(announced: Limits?, entries: Int?, until: Timestamp?) {
            self.announced = announced
            self.entries = entries
            self.until = until
        }
    }

    /// Recent failures of runs.
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

    /// An entry that the service rejected.
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
        /// The number of unsent entries that were moved to the rejected ones.
        public var keptAside: Int
        public var at: Timestamp

        package init(list: ListID, reason: ListGoneReason, keptAside: Int, at: Timestamp) {
            self.list = list
            self.reason = reason
            self.keptAside = keptAside
            self.at = at
        }
    }

    /// The hidden lists of an account that is not signed in.
    public struct Hidden: Hashable, Sendable {
        public var lists: Int
        /// The number of entries in their upload queues.
        public var waiting: Int

        package init(lists: Int, waiting: Int) {
            self.lists = lists
            self.waiting = waiting
        }
    }

    public var versions: Versions
    /// The operating system and the processor's architecture.
    public var platform: String
    public var limits: LearnedLimits
    /// The address of the service where the device is signed in; nil: nowhere.
    public var server: String?
    public var account: AccountID?
    public var device: DeviceID?
    /// The device's wall clock.
    public var now: Timestamp
    /// Identifies the run of the machine that `uptime` counts from, in milliseconds.
    public var boot: String
    public var uptime: Int64
    public var failuresInARow: Int
    public var nextTry: Timestamp?
    /// Whether the service set `nextTry`.
    public var askedToWait: Bool
    /// Since when the service hasn't known this device's session.
    public var sessionEndedAt: Timestamp?
    public var hidden: [Hidden] = []
    /// Newest first.
    public var failures: [Failure] = []
    public var lists: [List] = []
    public var rejected: [Rejected] = []
    public var notices: [Notice] = []
    /// Whether the diagnostics contain text that people wrote.
    public var hasContent = false

    package init(
        versions: Versions, platform: String, limits: LearnedLimits,
        server: String?, account: AccountID?, device: DeviceID?, now: Timestamp, boot: String, uptime: Int64,
        failuresInARow: Int, nextTry: Timestamp?, askedToWait: Bool, sessionEndedAt: Timestamp?
    ) {
        self.versions = versions
        self.platform = platform
        self.limits = limits
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
