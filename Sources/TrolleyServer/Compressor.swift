import Logging
import ServiceLifecycle
import TrolleyJournal
import TrolleyStore

/// Compresses lists while the service runs: those in which something has become old enough, every half hour. So a
/// household needs no cron, and `trolleyd compress` finds nothing left.
struct Compressor: ServiceLifecycle.Service {
    let store: Store
    /// Milliseconds that an entry must be old.
    let age: Int64
    let logger: Logger
    /// Is told that lists have changed.
    let hub: EventHub
    let metrics: ServiceMetrics

    private static let pause = Duration.seconds(30 * 60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await compressAll()
                do { try await Task.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// One round. What fails is tried again in the next.
    func compressAll() async {
        do throws(StoreError) {
            let cutOff = try await store.now().advanced(byMilliseconds: -age)
            let lists = try await store.listsToCompress(olderThan: cutOff)
            metrics.gauge(.compressionBacklog, lists.count)
            for list in lists where !Task.isCancelled {
                let began = ContinuousClock.now
                guard let compressed = try await store.compress(list, olderThan: cutOff) else { continue }
                metrics.count(.compressions)
                metrics.count(.discarded, by: compressed.discarded)
                metrics.time(.compressionSeconds, .now - began)
                logger.debug(
                    "compressed a list",
                    metadata: ["list": "\(list)", "discarded": "\(compressed.discarded)"])
                if compressed.discarded > 0 { hub.somethingChanged() }
            }
        } catch {
            logger.warning("lists could not be compressed", metadata: ["error": "\(error)"])
        }
    }
}
