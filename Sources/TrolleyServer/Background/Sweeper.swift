import Logging
import ServiceLifecycle
import TrolleyStore

/// Ends what has a time: invitations, so that their lists hear of it, and sessions that nobody uses; and forgets presence and
/// codes that are over. None of it works beyond its time anyway, so nothing depends on when this runs.
struct Sweeper: ServiceLifecycle.Service {
    let store: Store
    let logger: Logger
    /// Is told that lists have changed.
    let hub: EventHub
    let disk: DiskWatch

    private static let pause = Duration.seconds(60)
    /// Rounds from one look at all devices to the next.
    private static let roundsBetweenLooks = 60

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var round = 0
            while !Task.isCancelled {
                await sweep()
                if round.isMultiple(of: Self.roundsBetweenLooks) { await sweepSessions() }
                round += 1
                do { try await Task.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// Ends the sessions that nobody has used for long. They open nothing already.
    func sweepSessions() async {
        if disk.isFull { return }
        do throws(StoreError) {
            let ended = try await store.endIdleSessions()
            for device in ended { hub.signedOut(device) }
            if !ended.isEmpty { logger.info("sessions without use ended", metadata: ["devices": "\(ended.count)"]) }
        } catch {
            logger.warning("sessions without use could not be ended", metadata: ["error": "\(error)"])
        }
    }

    /// One round. What fails is tried again in the next.
    func sweep() async {
        if disk.isFull { return }
        do throws(StoreError) {
            if try await store.endExpiredInvitations() { hub.somethingChanged() }
            try await store.deleteExpired()
        } catch {
            logger.warning("what is over could not be swept away", metadata: ["error": "\(error)"])
        }
    }
}
