public import TrolleyJournal

/// What the end of an upload changes in the upload queue. The service dates an entry by its age, and so adds the time for
/// which the request was under way. What the person did after what was sent must not count as done before it: entries that
/// wait behind it, and that are older than it, become as old. This holds also for entries that were sent in vain before, but
/// not for those that the service had confirmed.
public struct UploadEnd: Hashable, Sendable {
    /// The first entries of a queue: those of an upload and of the next one. Later ones need no change, because each
    /// further upload ends like this one.
    public static let reach = 2_000

    /// The age in milliseconds with which the youngest own entry was sent.
    public var age: Int64
    public var now: DeviceTime
    /// The latest `madeAt` in the answer, if there is one.
    public var latest: Timestamp?
    /// The entries that were sent.
    public var sent: Set<EntryID>

    public init(age: Int64, at now: DeviceTime, latest: Timestamp?, sent: Set<EntryID>) {
        self.age = age
        self.now = now
        self.latest = latest
        self.sent = sent
    }

    /// An entry of the upload queue, as far as the end of an upload concerns it.
    public struct Queued: Hashable, Sendable {
        /// Whether this upload sent it.
        public var isSent: Bool
        /// Whether the device offers it again.
        public var isOffered: Bool
        /// Whether the service had confirmed it before.
        public var isConfirmed: Bool
        public var made: DeviceTime
        /// The `madeAt` with which the device folds it.
        public var estimate: Timestamp

        public init(isSent: Bool, isOffered: Bool, isConfirmed: Bool, made: DeviceTime, estimate: Timestamp) {
            self.isSent = isSent
            self.isOffered = isOffered
            self.isConfirmed = isConfirmed
            self.made = made
            self.estimate = estimate
        }
    }

    /// The new times of an entry; nil if it keeps its own.
    public func times(of queued: Queued) -> (made: DeviceTime, estimate: Timestamp)? {
        guard !queued.isSent, !queued.isOffered, !queued.isConfirmed, queued.made.age(at: now) > age else { return nil }
        return (now.earlier(byMilliseconds: age), latest.map { max(queued.estimate, $0) } ?? queued.estimate)
    }
}
