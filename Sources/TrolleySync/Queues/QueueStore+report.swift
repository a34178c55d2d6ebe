import TrolleyJournal
public import TrolleyWire

extension QueueStore {
    /// The state of both queues, for the service. Lists that stay on this device alone are left out.
    public func report(at now: DeviceTime) async throws(QueueStoreError) -> QueueReport {
        let deviceStatus = try await deviceStatus()
        var report = QueueReport()
        for list in deviceStatus.lists where !list.isLocal {
            if list.waiting > 0 {
                let waiting = try await waiting(in: list.id, limit: list.waiting)
                for queued in waiting { report.upload[queued.entry.operationName, default: 0] += 1 }
                report.oldestAge = (waiting.map { $0.made.age(at: now) } + [report.oldestAge].compactMap { $0 }).max()
                report.held[list.id] = waiting.map { $0.entry.deviceSequence }.min()
            }
            if list.toApply > 0 {
                for entry in try await toApply(in: list.id) {
                    report.toApply[entry.entry.operationName, default: 0] += 1
                }
            }
        }
        report.failures = deviceStatus.retryState.reported(at: now.wall, refused: try await refusals())
        return report
    }
}

extension RetryState {
    /// Failures of runs and rejections of entries, newest first.
    fileprivate func reported(at now: Timestamp, refused: [PastFailure]) -> [QueueReport.Failure] {
        var failures: [String: QueueReport.Failure] = [:]
        func note(_ code: String, _ count: Int, _ at: Timestamp) {
            let age = max(0, now.milliseconds - at.milliseconds)
            var failure = failures[code] ?? QueueReport.Failure(code: code, count: 0, age: age)
            failure.count += count
            failure.age = min(failure.age, age)
            failures[code] = failure
        }
        for past in (lately ?? []) + refused { note(past.code, past.count, past.at) }
        let newestFirst = failures.values.sorted { ($0.age, $0.code) < ($1.age, $1.code) }
        return Array(newestFirst.prefix(QueueReport.maxFailures))
    }
}
