import Logging
import ServiceLifecycle
import TrolleyStore

/// Ends what has a time: invitations, so that their lists hear of it, and forgets presence and sign-up codes that are over.
/// None of it works beyond its time anyway, so nothing depends on when this runs.
struct Sweeper: ServiceLifecycle.Service {
    let store: Store
    let logger: Logger
    /// Is told that lists have changed.
    let hub: EventHub

    private static let pause = Duration.seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await sweep()
                do { try await Task.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// One round. What fails is tried again in the next.
    func sweep() async {
        do throws(StoreError) {
            if try await store.endExpiredInvitations() { hub.somethingChanged() }
            try await store.deleteExpired()
        } catch {
            logger.warning("what is over could not be swept away", metadata: ["error": "\(error)"])
        }
    }
}
