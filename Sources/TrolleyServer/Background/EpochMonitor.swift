import Logging
import ServiceLifecycle
import Synchronization
import TrolleyJournal
import TrolleyStore

/// Detects that the database is a restored backup or a promoted standby, and that another process or an operator has
/// begun a new epoch. Requests read the epoch themselves; this is for the rest.
final class EpochMonitor: ServiceLifecycle.Service {
    private let store: Store
    private let hub: EventHub
    private let logger: Logger
    private let known: Mutex<UUIDBits?>

    /// - Parameter known: the present epoch.
    init(store: Store, known: UUIDBits?, hub: EventHub, logger: Logger) {
        self.store = store
        self.hub = hub
        self.logger = logger
        self.known = Mutex(known)
    }

    /// Requests a check soon.
    func requestCheck() { hub.background.epoch.request() }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.hub.background.epoch.wait(atMost: self.hub.pollPause)
                await self.check()
            }
        }
    }

    func check() async {
        do {
            let epoch = try await store.checkEpoch()
            let before = known.withLock { known in
                defer { known = epoch.id }
                return known
            }
            guard let before, before != epoch.id else { return }
            logger.warning(
                "a new epoch has begun: devices upload recent changes again, and fetch their lists again",
                metadata: ["reason": "\(epoch.reason.rawValue)"])
            hub.epochChanged()
        } catch {
            logger.debug("the epoch could not be read", metadata: ["error": "\(error)"])
        }
    }
}
