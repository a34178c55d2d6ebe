import Logging
import ServiceLifecycle
import TrolleyStore

/// Compresses lists while the service runs: every half hour those with entries that have become old enough. Each list
/// is compressed at most once in half an hour, even if another process has just led. Then it deletes entries that the
/// retention doesn't keep. So a household needs no cron job, and `trolleyd compress` finds nothing to do.
struct Compressor: ServiceLifecycle.Service {
    let leadership: Leadership
    let store: Store
    let retention: Retention
    let logger: Logger
    /// Gets notified when lists have changed.
    let hub: EventHub
    let metrics: ServiceMetrics
    let disk: DiskMonitor

    private static let pause = Duration.seconds(30 * 60)
    /// A little less, so that no list is skipped because the previous round took longer than this one.
    private static let pauseOfList: Int64 = 29 * 60_000

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await leadership.whileLeading {
                while !Task.isCancelled {
                    await compressAll()
                    do { try await Task.sleep(for: Self.pause) } catch { return }
                }
            }
        }
    }

    /// One round. A failure is retried in the next round.
    func compressAll() async {
        // Compression writes discarded entries to the archive.
        if disk.isFull { return }
        let began = ContinuousClock.now
        var (lists, failed, entries) = (0, 0, 0)
        do throws(StoreError) {
            _ = try await Sweep(retention, pause: Self.pauseOfList).run(
                on: store, page: { metrics.gauge(.compressionBacklog, $0) }
            ) { result, time in
                switch result {
                case .success(let compressed):
                    lists += compressed == nil ? 0 : 1
                    entries += compressed?.discarded ?? 0
                case .failure: failed += 1
                }
                note(result, took: time)
            }
            try await store.note(
                .compressed(lists: lists, failed: failed, entries: entries), took: ContinuousClock.now - began)
        } catch {
            logger.warning("lists could not be compressed", metadata: ["error": "\(error)"])
        }
    }

    /// A failed list doesn't stop the others.
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
            if compressed.discarded > 0 { hub.changed(.list(compressed.list)) }
        case .failure(let error):
            logger.warning("a list could not be compressed", metadata: ["error": "\(error)"])
        }
    }
}
