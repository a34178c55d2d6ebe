import Logging
import ServiceLifecycle
import TrolleyStore

/// Ends expired invitations, so that their lists are updated, and unused sessions. Deletes expired presence and codes.
/// All of them stop working at their expiry anyway, so nothing depends on when this runs. Goes on with deletions of
/// accounts that a request has begun.
struct Sweeper: ServiceLifecycle.Service {
    let store: Store
    let logger: Logger
    /// Gets notified when lists have changed.
    let hub: EventHub
    let disk: DiskMonitor

    private static let pause = Duration.seconds(60)
    /// Rounds between two checks of all devices.
    private static let roundsBetweenSessionSweeps = 60

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var round = 0
            while !Task.isCancelled {
                await sweep()
                if round.isMultiple(of: Self.roundsBetweenSessionSweeps) { await sweepSessions() }
                round += 1
                do { try await Task.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// Ends sessions that were not used for long. They grant no access already.
    func sweepSessions() async {
        if disk.isFull { return }
        do throws(StoreError) {
            let ended = try await store.endIdleSessions()
            for device in ended { hub.signedOut(device) }
            if !ended.isEmpty { logger.info("unused sessions ended", metadata: ["devices": "\(ended.count)"]) }
        } catch {
            logger.warning("unused sessions could not be ended", metadata: ["error": "\(error)"])
        }
    }

    /// One round. A failure is retried in the next round.
    func sweep() async {
        if disk.isFull { return }
        do throws(StoreError) {
            if try await store.endExpiredInvitations() { hub.somethingChanged() }
            try await store.deleteExpired()
        } catch {
            logger.warning("expired invitations and codes could not be deleted", metadata: ["error": "\(error)"])
        }
        do throws(StoreError) {
            if try await store.continueDeletions() { hub.somethingChanged() }
        } catch {
            logger.warning("deletions of accounts could not be finished", metadata: ["error": "\(error)"])
        }
    }
}
