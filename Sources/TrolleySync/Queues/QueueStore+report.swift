import TrolleyJournal
public import TrolleyWire

extension QueueStore {
    /// The state of both queues, for the service. Lists that stay on this device alone are left out.
    public func report(at now: DeviceTime) async throws(QueueStoreError) -> QueueReport {
        let deviceStatus = try await deviceStatus()
        var counts = QueueCounts()
        for list in deviceStatus.lists where !list.isLocal {
            if list.waiting > 0 {
                for queued in try await waiting(in: list.id, limit: list.waiting) {
                    counts.noteWaiting(
                        queued.entry.operation, number: queued.entry.deviceSequence, age: queued.made.age(at: now),
                        in: list.id)
                }
            }
            if list.toApply > 0 {
                for (operation, count) in try await toApplyCounts(in: list.id) {
                    for _ in 0..<count { counts.noteToApply(operation) }
                }
            }
        }
        for failure in deviceStatus.retryState.lately ?? [] { counts.note(failure, at: now.wall) }
        for failure in try await refusals() { counts.note(failure, at: now.wall) }
        return QueueReport(counts)
    }
}

extension QueueReport {
    fileprivate init(_ counts: QueueCounts) {
        func byName(_ counts: [Int]) -> [String: Int] {
            Dictionary(zip(Operation.allCases.map(\.rawValue), counts), uniquingKeysWith: +).filter { $0.value > 0 }
        }
        self.init(
            upload: byName(counts.upload), toApply: byName(counts.toApply), oldestAge: counts.oldestAge,
            held: Dictionary(counts.held.map { ($0.list, $0.number) }, uniquingKeysWith: min),
            failures: counts.newestFailures)
    }
}
