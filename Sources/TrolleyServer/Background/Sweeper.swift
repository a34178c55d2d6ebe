import Logging
import ServiceLifecycle
import TrolleyJournal
import TrolleyStore

/// Ends expired invitations, so that their lists are updated, unused sessions, and expired personal tokens. Deletes expired presence and codes.
/// All of them stop working at their expiry anyway, so nothing depends on when this runs. Goes on with deletions of
/// accounts that a request has begun.
struct Sweeper: ServiceLifecycle.Service {
    let leadership: Leadership
    let store: Store
    let logger: Logger
    /// Gets notified when lists have changed.
    let hub: EventHub
    let disk: DiskMonitor

    private static let pause = Duration.seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await leadership.whileLeading {
                // All devices, a page a minute.
                var place: DeviceID?
                while !Task.isCancelled {
                    await sweep()
                    place = await sweepSessions(after: place)
                    do { try await Task.sleep(for: Self.pause) } catch { return }
                }
            }
        }
    }

    /// Ends sessions of the next devices that were not used for long. They grant no access already.
    /// - Returns: the device after which to go on; nil: from the beginning.
    func sweepSessions(after place: DeviceID?) async -> DeviceID? {
        if disk.isFull { return place }
        do throws(StoreError) {
            let (ended, next) = try await store.endIdleSessions(after: place)
            hub.signedOut(ended)
            if !ended.isEmpty { logger.info("unused sessions ended", metadata: ["devices": "\(ended.count)"]) }
            return next
        } catch {
            logger.warning("unused sessions could not be ended", metadata: ["error": "\(error)"])
            return place
        }
    }

    /// One round. A failure is retried in the next round.
    func sweep() async {
        if disk.isFull { return }
        // One that fails, such as for a list that is locked for long, doesn't keep the others from being done.
        do throws(StoreError) {
            try await store.endExpiredInvitations { hub.changed(.people($0)) }
        } catch {
            logger.warning("expired invitations could not be ended", metadata: ["error": "\(error)"])
        }
        do throws(StoreError) { try await store.deleteExpired() } catch {
            logger.warning("expired codes and the like could not be deleted", metadata: ["error": "\(error)"])
        }
        do throws(StoreError) { hub.signedOut(try await store.endExpiredTokens()) } catch {
            logger.warning("expired personal tokens could not be ended", metadata: ["error": "\(error)"])
        }
        do throws(StoreError) {
            if try await store.continueDeletions() { hub.changed(.everything) }
        } catch {
            logger.warning("deletions of accounts could not be finished", metadata: ["error": "\(error)"])
        }
        do throws(StoreError) {
            try await store.continueAccountChanges { hub.changed(.list($0)) }
        } catch {
            logger.warning("lists could not be told of changed accounts", metadata: ["error": "\(error)"])
        }
    }
}
