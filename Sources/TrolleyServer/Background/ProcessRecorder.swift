import FoundationEssentials
import Logging
import ServiceLifecycle
import TrolleyJournal
import TrolleyStore

/// Records that this process runs, and with which settings, for diagnostics.
struct ProcessRecorder: ServiceLifecycle.Service {
    let store: Store
    let logger: Logger
    let disk: DiskMonitor
    let process: ServiceProcess

    private static let pause = Duration.seconds(60)

    init(store: Store, configuration: ServiceConfiguration, logger: Logger, disk: DiskMonitor) {
        self.store = store
        self.logger = logger
        self.disk = disk
        process = ServiceProcess(
            id: UUIDBits(high: .random(in: 0...UInt64.max), low: .random(in: 0...UInt64.max)),
            version: configuration.version, host: ProcessInfo.processInfo.hostName,
            pid: Int(ProcessInfo.processInfo.processIdentifier), settings: configuration.givenSettings)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await record()
                do { try await Task.sleep(for: Self.pause) } catch { return }
            }
        }
        do throws(StoreError) { try await store.forget(process) } catch {
            logger.debug("the process's record could not be deleted", metadata: ["error": "\(error)"])
        }
    }

    func record() async {
        if disk.isFull { return }
        do throws(StoreError) { try await store.note(process) } catch {
            logger.debug("the process could not be recorded", metadata: ["error": "\(error)"])
        }
    }
}
