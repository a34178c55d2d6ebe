public import TrolleyJournal
public import TrolleySync

extension Device {
    /// Synchronizes the device with its service: sends waiting entries, fetches new changes, and applies them.
    /// - Parameters:
    ///   - trigger: the reason; it decides whether an agreed wait postpones the run.
    ///   - limit: how long it may take; the rest is left to the next run.
    public func sync(
        _ trigger: Trigger = .manual, within limit: Duration? = nil
    ) async throws(DeviceError) -> SyncReport {
        guard let session = try await session() else { return try await skipped(.notSignedIn) }
        guard let lock = await syncLock(within: .seconds(2)) else { return try await skipped(.alreadyRunning) }
        try await finishLeaving()
        let engine = SyncEngine(
            store: store, transport: transport(of: session), clock: clock,
            onProgress: { [feed] in feed.publish($0) })
        let report = await Self.run(within: limit) { [self] in
            var report = await engine.run(trigger)
            guard report.failure == nil else { return report }
            do throws(DeviceError) {
                // After the device's own change, nobody looks at the counts.
                report.requests += try await exchangeReadMarks(session, asking: trigger != .ownChange)
            } catch {
                if case .store(let error) = error { report.failure = .store(error) }
            }
            return report
        }
        try await note(report.failure)
        withExtendedLifetime(lock) {}
        if case .store(let error) = report.failure { throw .store(error) }
        return report
    }

    /// Fetches one list or all lists again. Fetched data replaces the device's; unsent changes stay.
    public func refetch(_ list: ListID? = nil) async throws(DeviceError) -> SyncReport {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.forgetTokens(of: list) }
        return try await sync(.manual)
    }

    private static func run(
        within limit: Duration?, _ body: @escaping @Sendable () async -> SyncReport
    ) async -> SyncReport {
        guard let limit else { return await body() }
        let run = Task { await body() }
        let alarm = Task {
            try await Task.sleep(for: limit)
            run.cancel()
        }
        defer { alarm.cancel() }
        return await run.value
    }

    /// The report of a run that could not start.
    private func skipped(_ failure: SyncFailure) async throws(DeviceError) -> SyncReport {
        var report = SyncReport()
        report.failure = failure
        report.waiting = try await withStoreErrors { () async throws(QueueStoreError) in try await store.deviceStatus()
        }.waiting
        feed.publish(SyncProgress(report))
        return report
    }

    /// One process at a time synchronizes a device. Two at once would do no harm, because entries have ids, but would
    /// be wasteful.
    private func syncLock(within limit: Duration) async -> FileLock? {
        let end = ContinuousClock.now + limit
        repeat {
            if let lock = FileLock(path: directory + "/sync.lock") { return lock }
            do {
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                return nil
            }
        } while ContinuousClock.now < end
        return nil
    }
}
