import Logging
import ServiceLifecycle
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

/// Syncs hosted devices while the service runs: after any change, those that have work to do. Its whole state is in the
/// database, so it continues after a restart, and several processes share the work.
struct HostedDriver: ServiceLifecycle.Service {
    let driving: HostedDriving
    let logger: Logger

    /// The number of devices in one round, and how many of them run at the same time.
    private static let round = 100
    private static let parallel = 2
    /// The pause between two rounds, so that a busy service doesn't check after every single change.
    private static let pause = Duration.milliseconds(100)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await driveAll()
            for await _ in driving.hub.changeSignals {
                await driveAll()
                do { try await Task.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// One round. A failure is retried in a later round.
    private func driveAll() async {
        do throws(StoreError) {
            let devices = try await driving.store.hostedDevicesWithWork(limit: Self.round)
            await withTaskGroup(of: Void.self) { group in
                for (index, device) in devices.enumerated() {
                    if index >= Self.parallel { await group.next() }
                    group.addTask { await drive(device) }
                }
            }
        } catch {
            logger.warning("hosted devices could not be looked for", metadata: ["error": "\(error)"])
        }
    }

    private func drive(_ device: Session) async {
        guard let report = await driving.drive(device, .push) else { return }
        if report.differing > 0 {
            logger.warning(
                "a hosted device had come to another list than the service, and has fetched it afresh",
                metadata: ["device": "\(device.device)", "lists": "\(report.differing)"])
        }
        guard let failure = report.failure else { return }
        logger.info(
            "a hosted device could not be brought in step",
            metadata: ["device": "\(device.device)", "code": "\(failure.code?.rawValue ?? "none")"])
    }
}
