import Logging
import ServiceLifecycle
import TrolleyStore

/// Goes on with what migrations have left to the background: rows of earlier versions get what this version writes with each
/// row. It goes through the lists a page at a time, and rests as long as it works. Nothing waits for it.
struct Backfiller: ServiceLifecycle.Service {
    let leadership: Leadership
    let store: Store
    let logger: Logger
    let metrics: ServiceMetrics
    let disk: DiskMonitor

    private static let shortestRest = Duration.milliseconds(50)
    private static let pauseAfterFailure = Duration.seconds(60)
    /// When all are finished. A later version's migration brings its own process.
    private static let pauseAtTheEnd = Duration.seconds(3600)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await leadership.whileLeading {
                while !Task.isCancelled {
                    let began = ContinuousClock.now
                    let outcome = await step()
                    let pause: Duration =
                        switch outcome {
                        case .went: max(Self.shortestRest, ContinuousClock.now - began)
                        case .failed: Self.pauseAfterFailure
                        case .finished: Self.pauseAtTheEnd
                        }
                    do { try await Task.sleep(for: pause) } catch { return }
                }
            }
        }
    }

    enum Outcome {
        case went
        /// It is tried again later.
        case failed
        /// Nothing is left.
        case finished
    }

    /// One page of each backfill.
    func step() async -> Outcome {
        if disk.isFull { return .failed }
        do throws(StoreError) {
            let backfills = try await store.continueBackfills()
            for backfill in backfills {
                let label = [("backfill", backfill.name)]
                metrics.gauge(.backfillLists, Int(max(backfill.lists, backfill.ofLists ?? 0)), label)
                metrics.gauge(.backfillListsDone, Int(backfill.lists), label)
                if backfill.isFinished {
                    logger.notice(
                        "a backfill is finished",
                        metadata: ["backfill": "\(backfill.name)", "lists": "\(backfill.lists)"])
                }
            }
            return backfills.isEmpty ? .finished : .went
        } catch {
            logger.warning("rows of earlier versions could not be completed", metadata: ["error": "\(error)"])
            return .failed
        }
    }
}
