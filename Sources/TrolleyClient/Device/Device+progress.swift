public import TrolleyJournal
public import TrolleySync

extension Device {
    /// How the device stands with its service, now and whenever that changes: 'sending 3 of 7', 'trying again at 12:04'.
    /// Always the latest: whoever is slow misses what is no longer so.
    public func progress() async throws(DeviceError) -> AsyncStream<SyncProgress> {
        feed.stream(from: try await queuedProgress())
    }

    /// What goes wrong between a device and its service.
    public struct Trouble: Hashable, Sendable {
        /// When the first try failed; none has worked since.
        public var since: Timestamp
        /// What the last try failed with: the service's code, `unreachable` or `notUnderstood`.
        public var code: String

        public init(since: Timestamp, code: String) {
            self.since = since
            self.code = code
        }
    }

    /// What goes wrong with the service; nil when the last try worked.
    public func trouble() async throws(DeviceError) -> Trouble? {
        let pace = try await stored { () async throws(QueueStoreError) in try await store.standing() }.pace
        return pace.failingSince.map { Trouble(since: $0, code: pace.lately?.first?.code ?? "unreachable") }
    }

    /// Tells whoever watches that something was queued.
    func noteQueued() async throws(DeviceError) {
        guard feed.isWatched else { return }
        feed.tell(try await queuedProgress())
    }

    private func queuedProgress() async throws(DeviceError) -> SyncProgress {
        let standing = try await stored { () async throws(QueueStoreError) in try await store.standing() }
        guard standing.waiting > 0 else { return .idle }
        if let nextTry = standing.pace.nextTry, nextTry > clock().wall {
            return .waiting(until: nextTry, queued: standing.waiting)
        }
        return .queued(standing.waiting)
    }
}
