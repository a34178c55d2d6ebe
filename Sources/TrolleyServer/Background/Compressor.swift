import Logging
import ServiceLifecycle
import TrolleyStore

/// Compresses lists while the service runs: those in which something has become old enough, every half hour, and each
/// list at most that often, however many processes serve it. Then it forgets what the retention says. So a household
/// needs no cron, and `trolleyd compress` finds nothing left.
struct Compressor: ServiceLifecycle.Service {
    let store: Store
    let retention: Retention
    let logger: Logger
    /// Is told that lists have changed.
    let hub: EventHub
    let metrics: ServiceMetrics
    let disk: DiskWatch

    private static let pause = Duration.seconds(30 * 60)
    /// A little less, so that a list is not passed over because the last round took longer than this one.
    private static let pauseOfList: Int64 = 29 * 60_000

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
        // Discarded entries are written to the archive.
        if disk.isFull { return }
        do throws(StoreError) {
            _ = try await Sweep(retention, pause: Self.pauseOfList).run(
                on: store, page: { metrics.gauge(.compressionBacklog, $0) }, report: note)
        } catch {
            logger.warning("lists could not be compressed", metadata: ["error": "\(error)"])
        }
    }

    /// One that fails doesn't hold up the others.
    private func note(_ result: Result<CompressedList?, StoreError>, took time: Duration) {
        switch result {
        case .success(nil): break
        case .success(let compressed?):
            metrics.count(.compressions)
            metrics.count(.discarded, by: compressed.discarded)
            metrics.time(.compressionSeconds, time)
            logger.debug(
                "compressed a list",
                metadata: ["list": "\(compressed.list)", "discarded": "\(compressed.discarded)"])
            if compressed.discarded > 0 { hub.somethingChanged() }
        case .failure(let error):
            logger.warning("a list could not be compressed", metadata: ["error": "\(error)"])
        }
    }
}
