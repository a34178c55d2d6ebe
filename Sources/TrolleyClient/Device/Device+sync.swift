import Logging
public import TrolleyJournal
public import TrolleySync
import TrolleyWire

extension Device {
    /// Synchronizes the device with its service: sends waiting entries, fetches new changes, and applies them.
    ///
    /// One sync runs at a time. Calls that come meanwhile share the next one, with the trigger that waits least.
    ///
    /// ```swift
    /// let report = try await device.sync(within: .seconds(5))
    /// print(report.sent, report.received, report.waiting)
    /// ```
    /// - Parameters:
    ///   - trigger: the reason; it decides whether an agreed wait postpones the run.
    ///   - limit: how long to wait for the run; the rest is left to the next run. Then the report's failure is `SyncFailure.stopped`.
    public func sync(
        _ trigger: Trigger = .manual, within limit: Duration? = nil
    ) async throws(DeviceError) -> SyncReport {
        try await sync(trigger, within: limit, leaves: true)
    }

    /// - Parameter leaves: whether to sign this device out when the service says that it was signed out elsewhere.
    func sync(
        _ trigger: Trigger, within limit: Duration?, leaves: Bool
    ) async throws(DeviceError) -> SyncReport {
        let result = await Self.run(within: limit) { [self] in
            await runs.run(trigger) { [self] trigger in await self.result(of: trigger, leaves: leaves) }
        }
        guard let result else { return try await skipped(.stopped) }
        return try result.get()
    }

    private func result(of trigger: Trigger, leaves: Bool) async -> Result<SyncReport, DeviceError> {
        do throws(DeviceError) {
            return .success(try await perform(trigger, leaves: leaves))
        } catch {
            return .failure(error)
        }
    }

    private func perform(_ trigger: Trigger, leaves: Bool) async throws(DeviceError) -> SyncReport {
        guard let session = try await session() else { return try await skipped(.notSignedIn) }
        guard let lock = await syncLock(within: .seconds(2)) else {
            return try await skipped(Task.isCancelled ? .stopped : .alreadyRunning)
        }
        defer { withExtendedLifetime(lock) {} }
        do throws(DeviceError) {
            return try await perform(trigger, during: session, leaves: leaves)
        } catch .notSignedIn {
            // Somebody has signed out meanwhile, or even in. What was still to come for the session was not stored.
            return try await skipped(try await self.session() == nil ? .notSignedIn : .stopped)
        }
    }

    /// - Throws: `.notSignedIn`: the session has ended meanwhile; `.store`.
    private func perform(
        _ trigger: Trigger, during session: AccountSession, leaves: Bool
    ) async throws(DeviceError) -> SyncReport {
        let engine = SyncEngine(
            store: store.during(session), transport: transport(of: session), clock: clock,
            onProgress: { [feed] progress in
                if case .blocked(.store(let error), queued: _) = progress, error == .sessionEnded { return }
                feed.publish(progress)
            }, onStep: { [log] in log.note($0, $1) })
        var (report, isComplete) = await engine.outcome(of: trigger)
        // A list that can't continue holds nothing up that concerns others.
        if isComplete {
            let invitations = try await sendInvitations(session)
            report.requests += invitations.requests
            // The invited people are on the list now.
            if invitations.isTaken {
                let next = await engine.outcome(of: trigger)
                report.note(next.report)
                isComplete = next.isComplete
            }
        }
        if isComplete {
            do throws(DeviceError) {
                report.requests += try await exchangeMarksAndPlaces(session, trigger)
            } catch .store(let error) {
                report.failure = .store(error)
            }
        }
        try await note(report.failure, of: session)
        switch report.failure {
        case .store(let error): throw DeviceError(error)
        case .transport(.problem(let problem)) where problem.showsSignOut: if leaves { try await leave(session) }
        default: break
        }
        return report
    }

    /// Fetches one list or all lists again. Fetched data replaces the device's; unsent changes stay.
    ///
    /// ```swift
    /// let report = try await device.refetch(list.id)
    /// print(report.received)
    /// ```
    public func refetch(_ list: ListID? = nil) async throws(DeviceError) -> SyncReport {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.forgetTokens(of: list) }
        return try await sync(.manual)
    }

    /// Cancels `body` after the limit, or with the caller.
    private static func run<Value: Sendable>(
        within limit: Duration?, _ body: @escaping @Sendable () async -> Value
    ) async -> Value {
        guard let limit else { return await body() }
        let run = Task { await body() }
        let alarm = Task {
            try await Task.sleep(for: limit)
            run.cancel()
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await run.value
        } onCancel: {
            run.cancel()
        }
    }

    /// The report of a run that could not start.
    private func skipped(_ failure: SyncFailure) async throws(DeviceError) -> SyncReport {
        log.debug("no sync", metadata: ["because": "\(failure.message.code)"])
        var report = SyncReport()
        report.failure = failure
        report.waiting = try await withStoreErrors { () async throws(QueueStoreError) in try await store.deviceStatus()
        }.waiting
        feed.publish(SyncProgress(report))
        return report
    }

    /// One process at a time synchronizes a device. Two at once would do no harm, because entries have ids, but would
    /// be wasteful.
    private func syncLock(within limit: Duration) async -> SyncLock? {
        guard let directory else { return .ofMemory }
        let end = ContinuousClock.now + limit
        repeat {
            if let lock = FileLock(path: directory + "/sync.lock") { return .ofFile(lock) }
            do {
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                return nil
            }
        } while ContinuousClock.now < end
        return nil
    }
}

/// Held during a sync.
private enum SyncLock {
    case ofFile(FileLock)
    /// No other process has the device.
    case ofMemory
}
