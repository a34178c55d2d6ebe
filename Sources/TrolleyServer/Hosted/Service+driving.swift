import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

extension Service {
    /// Names this process among those that serve the same database.
    private static let driver = UUIDBits.version7(
        at: Timestamp(milliseconds: 0), random: (.random(in: .min ... .max), .random(in: .min ... .max)))

    /// Brings a hosted device in step, as ``SyncEngine`` does for any other.
    /// - Parameter patience: how long to try while another process drives it.
    /// - Returns: nil when another process drove it all the while: that will do what there is to do, or the next look will.
    func drive(_ session: Session, _ trigger: Trigger, patience: Duration = .zero) async -> SyncReport? {
        await hosted.run(session.device) {
            let end = ContinuousClock.now + patience
            do {
                while try await !store.claimHostedDevice(session.device, driver: Self.driver) {
                    if ContinuousClock.now >= end { return nil }
                    try await Task.sleep(for: .milliseconds(50))
                }
            } catch {
                return nil
            }
            let transport = HostedTransport(service: self, session: session)
            let engine = SyncEngine(
                store: HostedQueueStore(store: store, device: session.device, waitsForAcknowledgement: true),
                transport: transport, clock: HostedClock.now)
            let report = await engine.run(trigger)
            await release(session.device, after: report, seen: transport.heads)
            return report
        }
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
