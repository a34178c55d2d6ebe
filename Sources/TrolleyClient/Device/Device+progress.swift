public import TrolleyJournal
public import TrolleySync

extension Device {
    /// Where synchronization stands: 'sending 3 of 7', 'trying again at 12:04'.
    public var status: Observed<SyncProgress> {
        Observed { [weak self, feed] in
            AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let task = Task { [weak self] in
                    let steps = feed.stream()
                    do {
                        if !feed.isKnown {
                            // A reader of the status must not keep the device alive.
                            guard let current = try await self?.queuedProgress() else { return continuation.finish() }
                            feed.begin(with: current)
                        }
                        for await progress in steps { continuation.yield(progress) }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }

    /// An ongoing failure to reach or use the service.
    public struct OngoingFailure: Hashable, Sendable {
        /// When the first try failed. No try has succeeded since.
        public var since: Timestamp
        /// The last failure: the service's code, `unreachable` or `notUnderstood`.
        public var code: String

        public init(since: Timestamp, code: String) {
            self.since = since
            self.code = code
        }
    }

    /// The ongoing failure; nil when the last try succeeded.
    ///
    /// ```swift
    /// if let failure = try await device.ongoingFailure() { print(failure.code, failure.since) }
    /// ```
    public func ongoingFailure() async throws(DeviceError) -> OngoingFailure? {
        let retryState = try await withStoreErrors { () async throws(QueueStoreError) in try await store.deviceStatus()
        }.retryState
        return OngoingFailure(retryState)
    }

    /// Tells readers of the progress, and a device that syncs by itself, that something was queued.
    func noteQueued() async {
        driver.noteOwnChange()
        guard feed.noteChange() else { return }
        do { feed.publish(try await queuedProgress()) } catch {
            // The change is on disk, so it has not failed. The next sync publishes the progress.
        }
    }

    private func queuedProgress() async throws(DeviceError) -> SyncProgress {
        let deviceStatus = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.deviceStatus()
        }
        guard deviceStatus.waiting > 0 else { return .idle }
        if let nextTry = deviceStatus.retryState.nextTry, nextTry > clock().wall {
            return .waiting(until: nextTry, queued: deviceStatus.waiting)
        }
        return .queued(deviceStatus.waiting)
    }
}

extension Device.OngoingFailure {
    /// - Returns: nil when the last try succeeded.
    init?(_ retryState: RetryState) {
        guard let since = retryState.failingSince else { return nil }
        self.init(since: since, code: retryState.lately?.first?.code ?? "unreachable")
    }
}
