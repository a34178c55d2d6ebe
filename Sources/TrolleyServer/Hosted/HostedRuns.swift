import TrolleyJournal
import TrolleySync

/// The runs of this process's hosted devices: for each device one that runs, and one that waits for all callers
/// meanwhile.
actor HostedRuns {
    private var running: [DeviceID: Task<SyncReport?, Never>] = [:]
    private var waiting: [DeviceID: Task<SyncReport?, Never>] = [:]

    /// Runs `body` after the device's current run. A caller that comes while a run waits shares that run.
    func run(_ device: DeviceID, _ body: @escaping @Sendable () async -> SyncReport?) async -> SyncReport? {
        if let next = waiting[device] { return await next.value }
        let previous = running[device]
        let task = Task {
            _ = await previous?.value
            begin(device)
            let report = await body()
            end(device)
            return report
        }
        waiting[device] = task
        return await task.value
    }

    private func begin(_ device: DeviceID) { running[device] = waiting.removeValue(forKey: device) }

    private func end(_ device: DeviceID) { running[device] = nil }
}
