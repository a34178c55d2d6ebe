import Logging
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

/// Syncs this process's hosted devices, one run at a time for each.
struct HostedDriving: Sendable {
    let store: Store
    let hub: EventHub
    let disk: DiskMonitor
    let uploads: Uploads
    let feed: ChangeFeed
    let configuration: ServiceConfiguration
    private let runs = HostedRuns()

    init(
        store: Store, hub: EventHub, disk: DiskMonitor, uploads: Uploads, feed: ChangeFeed,
        configuration: ServiceConfiguration
    ) {
        self.store = store
        self.hub = hub
        self.disk = disk
        self.uploads = uploads
        self.feed = feed
        self.configuration = configuration
    }

    /// Identifies this process among those that serve the same database.
    private static let driver = UUIDBits.version7(
        at: Timestamp(milliseconds: 0), random: (.random(in: .min ... .max), .random(in: .min ... .max)))

    /// Syncs a hosted device, as ``SyncEngine`` does for any other device.
    /// - Parameter waitLimit: how long to retry while another process drives the device.
    /// - Returns: nil when another process drove it all the time, or the disk is full. The work then waits for the next
    ///   round.
    func drive(_ session: Session, _ trigger: Trigger, waitLimit: Duration = .zero) async -> SyncReport? {
        // The device's queues are in the database, too.
        if disk.isFull { return nil }
        return await runs.run(session.device) {
            let end = ContinuousClock.now + waitLimit
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
                store: queues(of: session), transport: transport, clock: HostedClock.now,
                onStep: { event, _ in transport.note(event, of: trigger) })
            let (report, isComplete) = await renewing(session.device) { await engine.outcome(of: trigger) }
            let rest = Self.rest(after: report, isComplete: isComplete, hasFailedList: transport.hasFailedList)
            await release(session.device, resting: rest, seen: isComplete ? transport.heads : [:])
            return report
        }
    }

    private func queues(of session: Session) -> HostedQueueStore {
        HostedQueueStore(
            store: store, device: session.device, account: session.account, waitsForAcknowledgement: true,
            listsWaitAlways: true
        ) { [logger = hub.logger] list, error in
            logger.warning(
                "a hosted device could not store a list",
                metadata: ["device": "\(session.device)", "list": "\(list)", "error": "\(error)"])
        }
    }

    /// Renews the lease on a device while `body` runs.
    private func renewing<Value>(_ device: DeviceID, _ body: () async -> Value) async -> Value {
        let renewal = Task {
            while true {
                try await Task.sleep(for: .milliseconds(Store.hostedLease / 4))
                do { try await store.renewHostedDevices([device], driver: Self.driver) } catch {
                    // The next try may come in time. If not, two processes drive the device, and each entry is still
                    // taken only once.
                }
            }
        }
        defer { renewal.cancel() }
        return await body()
    }

    private func release(_ device: DeviceID, resting rest: Duration?, seen: [ListID: SequenceNumber]) async {
        do {
            try await store.releaseHostedDevice(
                device, driver: Self.driver, seen: seen, rest: rest.map { Int($0 / .milliseconds(1)) })
        } catch {
            // The lease ends by itself.
        }
    }

    /// The shortest time for which a device that failed has no work.
    static let shortestRest = Duration.seconds(5)

    /// How long a device has no work; nil: no time. If only single lists are busy, they wait by themselves, and the device goes
    /// on with the others.
    /// - Parameters:
    ///   - isComplete: whether each list had its turn. A failure is then of single lists.
    ///   - hasFailedList: whether a list has failed that doesn't wait by itself. The report may name another, which is busy.
    static func rest(after report: SyncReport, isComplete: Bool, hasFailedList: Bool) -> Duration? {
        guard let failure = report.failure else { return nil }
        guard isComplete, failure.code == .zoneBusy else { return pause(after: report) }
        return hasFailedList ? shortestRest : nil
    }

    /// How long the device, or the lists of it that wait, need not be looked at; nil: until something changes.
    static func pause(after report: SyncReport) -> Duration? {
        if report.failure == nil, report.nextTry == nil { return nil }
        let next = (report.nextTry?.milliseconds ?? 0) - HostedClock.now().wall.milliseconds
        return max(shortestRest, .milliseconds(next))
    }
}
