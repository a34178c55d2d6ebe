import Logging
import ServiceLifecycle
import Synchronization
import TrolleyStore

/// Watches the free space where the database keeps its data: warns before it runs out, and stops changes while PostgreSQL
/// has just enough to read and to recover. A PostgreSQL that can't write its log or a checkpoint ends, and reads end with
/// it.
final class DiskWatch: ServiceLifecycle.Service {
    private struct State {
        var level: DiskLevel
        var places: [String]?
        var space: DiskSpace?
    }

    private let store: Store
    private let logger: Logger
    private let probe: @Sendable ([String]) -> DiskSpace?
    private let state: Mutex<State>

    private static let pause = Duration.seconds(1)

    /// - Parameters:
    ///   - minimum: bytes; with less free nothing is changed.
    ///   - probe: says how much room there is at the fullest of these places.
    init(
        store: Store, minimum: Int64, logger: Logger,
        probe: @escaping @Sendable ([String]) -> DiskSpace?
    ) {
        self.store = store
        self.logger = logger
        self.probe = probe
        state = Mutex(State(level: DiskLevel(minimum: minimum)))
    }

    /// Whether there is too little room for changes.
    var isFull: Bool { state.withLock { $0.level.value == .full } }

    /// The last measurement; nil when the database is on another machine.
    var space: DiskSpace? { state.withLock { $0.space } }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.look()
                do { try await Task.sleep(for: Self.pause) } catch { return }
            }
        }
    }

    /// Where the data are is asked once; how much room there is there is seen without the database.
    func look() async {
        var places = state.withLock { $0.places }
        if places == nil {
            // Not reached: asked again in the next round.
            places = try? await store.dataPlaces()
            state.withLock { [places] in $0.places = places }
        }
        guard let space = probe(places ?? []) else { return }
        let change = state.withLock { state in
            state.space = space
            return state.level.note(space)
        }
        guard let change else { return }
        let metadata: Logger.Metadata = [
            "freeMiB": "\(space.free >> 20)", "ofMiB": "\(space.total >> 20)", "path": "\(space.path)",
        ]
        switch change {
        case .ample: logger.notice("the database's disk has room again", metadata: metadata)
        case .low: logger.warning("the database's disk is nearly full", metadata: metadata)
        case .full:
            logger.error(
                "the database's disk is full: changes are refused, reads go on", metadata: metadata)
        }
    }
}

/// How full a disk is. Leaving a level takes a quarter more room than the limit at which it begins.
struct DiskLevel {
    enum Value: Int, Comparable {
        case ample, low, full

        static func < (left: Value, right: Value) -> Bool { left.rawValue < right.rawValue }
    }

    /// Bytes; with less it is full.
    let minimum: Int64
    private(set) var value = Value.ample

    init(minimum: Int64) { self.minimum = minimum }

    /// - Returns: the level, if it is another than before.
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
