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
    private let pollInterval: Duration
    private let logger: Logger
    private let checkRequests: AsyncStream<Void>
    private let checkContinuation: AsyncStream<Void>.Continuation
    private let known: Mutex<UUIDBits?>

    /// - Parameters:
    ///   - known: the present epoch.
    ///   - pollInterval: how often the epoch is read anyway.
    init(store: Store, known: UUIDBits?, hub: EventHub, pollInterval: Duration, logger: Logger) {
        self.store = store
        self.hub = hub
        self.pollInterval = pollInterval
        self.logger = logger
        self.known = Mutex(known)
        (checkRequests, checkContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Requests a check soon.
    func requestCheck() { checkContinuation.yield() }

    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled {
                        do { try await Task.sleep(for: self.pollInterval) } catch { return }
                        self.requestCheck()
                    }
                }
                for await _ in checkRequests { await check() }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.checkContinuation.finish()
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
