import Logging
import ServiceLifecycle
import Synchronization
import TrolleyStore

/// Watches the free space of the database's disk. Logs a warning before the disk is full, and stops changes while
/// PostgreSQL has just enough space to read and to recover. A PostgreSQL that can't write its WAL or a checkpoint ends,
/// and no reads are possible then.
final class DiskMonitor: ServiceLifecycle.Service {
    private struct State {
        var level: DiskLevel
        /// nil: they have not been read yet.
        var directories: DataDirectories?
        var space: DiskSpace?
        /// The last reason that was logged for not monitoring the disk.
        var obstacle: String?
    }

    private let store: Store
    private let logger: Logger
    private let probe: @Sendable ([String]) -> DiskSpace?
    private let state: Mutex<State>

    private static let pause = Duration.seconds(1)

    /// - Parameters:
    ///   - minimum: bytes that must be free for changes to be accepted.
    ///   - probe: returns the free space at the fullest of these paths.
    init(
        store: Store, minimum: Int64, logger: Logger,
        probe: @escaping @Sendable ([String]) -> DiskSpace?
    ) {
        self.store = store
        self.logger = logger
        self.probe = probe
        state = Mutex(State(level: DiskLevel(minimum: minimum)))
    }

    /// Whether there is too little space for changes.
    var isFull: Bool { state.withLock { $0.level.value == .full } }

    /// The last measurement; nil if the disk can't be monitored.
    var space: DiskSpace? { state.withLock { $0.space } }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.check()
                do { try await Task.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// Measures the free space. The paths of the data are read from the database once; measuring needs no database.
    func check() async {
        guard let directories = await directories() else { return }
        let paths: [String]
        switch directories {
        case .here(let known): paths = known
        case .elsewhere: return noteObstacle("the database is on another machine")
        case .hidden:
            return noteObstacle(
                "the role may not see the data directory's path; GRANT pg_read_all_settings allows it")
        }
        guard let space = probe(paths) else { return noteObstacle("this user may not look into \(paths[0])") }
        let change = state.withLock { state in
            state.space = space
            return state.level.note(space)
        }
        guard let change else { return }
        let metadata: Logger.Metadata = [
            "freeMiB": "\(space.free >> 20)", "ofMiB": "\(space.total >> 20)", "path": "\(space.path)",
        ]
        switch change {
        case .ample: logger.notice("the database's disk has enough free space again", metadata: metadata)
        case .low: logger.warning("the database's disk is nearly full", metadata: metadata)
        case .full:
            logger.error(
                "the database's disk is full: changes are refused, reads continue", metadata: metadata)
        }
    }

    /// nil if the database doesn't answer; the next round asks again.
    private func directories() async -> DataDirectories? {
        if let known = state.withLock({ $0.directories }) { return known }
        do throws(StoreError) {
            let read = try await store.dataDirectories()
            state.withLock { $0.directories = read }
            return read
        } catch {
            // An outage ends by itself, and the pool logs it.
            if error.outage == nil { noteObstacle("\(error)") }
            return nil
        }
    }

    /// Logs why the disk is not monitored, each reason once.
    private func noteObstacle(_ reason: String) {
        let isNew = state.withLock { state in
            guard state.obstacle != reason else { return false }
            state.obstacle = reason
            return true
        }
        guard isNew else { return }
        logger.notice("the database's disk is not watched", metadata: ["reason": "\(reason)"])
    }
}

/// The fill level of a disk. A level ends only when a quarter more is free than the limit at which it begins.
struct DiskLevel {
    enum Value: Int, Comparable {
        case ample, low, full

        static func < (left: Value, right: Value) -> Bool { left.rawValue < right.rawValue }
    }

    /// Bytes. With less free, the disk is full.
    let minimum: Int64
    private(set) var value = Value.ample

    init(minimum: Int64) { self.minimum = minimum }

    /// - Returns: the new level, if it has changed.
    mutating func note(_ space: DiskSpace) -> Value? {
        let before = value
        // Hysteresis of a quarter, so that the level doesn't flap at the limit.
        func isBelow(_ limit: Int64, from level: Value) -> Bool {
            space.free < (before >= level ? limit + limit / 4 : limit)
        }
        value = isBelow(minimum, from: .full) ? .full : isBelow(space.ample, from: .low) ? .low : .ample
        return value == before ? nil : value
    }
}
