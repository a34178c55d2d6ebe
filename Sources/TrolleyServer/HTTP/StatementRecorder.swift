import Logging
import ServiceLifecycle
import TrolleyStore

/// Stores statement times every five minutes, so that diagnostics can show slow statements.
struct StatementRecorder: ServiceLifecycle.Service {
    let store: Store
    let logger: Logger
    let disk: DiskMonitor

    private static let pause = Duration.seconds(5 * 60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await Task.sleep(for: Self.pause) } catch { return }
                if disk.isFull { continue }
                do throws(StoreError) {
                    try await store.keepStatementTimes()
                } catch {
                    logger.debug("statement times could not be written", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
