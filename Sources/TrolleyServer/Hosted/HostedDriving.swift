import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

/// Brings hosted devices in step: those of this process, one run at a time for each.
struct HostedDriving: Sendable {
    let store: Store
    let hub: EventHub
    let disk: DiskWatch
    let uploads: Uploads
    let feed: ChangeFeed
    let configuration: ServiceConfiguration
    private let runs = HostedRuns()

    init(
        store: Store, hub: EventHub, disk: DiskWatch, uploads: Uploads, feed: ChangeFeed,
        configuration: ServiceConfiguration
    ) {
        self.store = store
        self.hub = hub
        self.disk = disk
        self.uploads = uploads
        self.feed = feed
        self.configuration = configuration
    }

    /// Names this process among those that serve the same database.
    private static let driver = UUIDBits.version7(
        at: Timestamp(milliseconds: 0), random: (.random(in: .min ... .max), .random(in: .min ... .max)))

    /// Brings a hosted device in step, as ``SyncEngine`` does for any other.
    /// - Parameter patience: how long to try while another process drives it.
    /// - Returns: nil when another process drove it all the while, or the disk is full: the work waits for the next
    ///   look.
    func drive(_ session: Session, _ trigger: Trigger, patience: Duration = .zero) async -> SyncReport? {
        // Its queues are in the database too.
        if disk.isFull { return nil }
        return await runs.run(session.device) {
            let end = ContinuousClock.now + patience
            do {
                while try await !store.claimHostedDevice(session.device, driver: Self.driver) {
                    if ContinuousClock.now >= end { return nil }
                    try await Task.sleep(for: .milliseconds(50))
                }
            } catch {
                return nil
            }
            let transport = HostedTransport(self, session: session)
            let engine = SyncEngine(
                store: HostedQueueStore(
                    store: store, device: session.device, account: session.account, waitsForAcknowledgement: true),
                transport: transport, clock: HostedClock.now)
            let report = await renewing(session.device) { await engine.run(trigger) }
            await release(session.device, after: report, seen: transport.heads)
            return report
        }
    }

    /// Keeps the right to drive a device while `body` runs, however long that takes.
    private func renewing<Value>(_ device: DeviceID, _ body: () async -> Value) async -> Value {
        let renewal = Task {
            while true {
                try await Task.sleep(for: .milliseconds(Store.hostedLease / 4))
                do { try await store.renewHostedDevices([device], driver: Self.driver) } catch {
                    // The next try may come in time. If not, two drive it, and each entry is taken once all the same.
                }
            }
        }
        defer { renewal.cancel() }
        return await body()
    }

    private func release(_ device: DeviceID, after report: SyncReport, seen: [ListID: SequenceNumber]) async {
        // A list that can't go on is looked at again after a while, and at once when somebody changes something.
        let rest = report.failure.map { _ in
            max(5000, (report.nextTry?.milliseconds ?? 0) - HostedClock.now().wall.milliseconds)
        }
        do {
            try await store.releaseHostedDevice(
                device, driver: Self.driver, seen: report.failure == nil ? seen : [:], rest: rest.map { Int($0) })
        } catch {
            // The right to drive it ends by itself.
        }
    }
}
