public import TrolleySync

extension Device {
    /// How the device stands with its service, now and whenever that changes: 'sending 3 of 7', 'trying again at 12:04'.
    /// Always the latest: whoever is slow misses what is no longer so.
    public func progress() async throws(DeviceError) -> AsyncStream<SyncProgress> {
        feed.stream(from: try await queuedProgress())
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
