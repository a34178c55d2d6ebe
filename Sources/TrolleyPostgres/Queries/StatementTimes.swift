internal import Synchronization

/// How long statements took, by name, for diagnostics of slow statements. Contains no values.
public final class StatementTimes: Sendable {
    public struct Entry: Hashable, Sendable {
        /// The statement's name. For a pipeline: the first statement's name and the number of those that follow.
        public var name: String
        public var calls: Int
        public var total: Duration
        public var longest: Duration
    }

    /// A safety limit. Names are constants of the program, so only a bug can reach it.
    private static let maxStatements = 500

    private let entries = Mutex<[String: Entry]>([:])
    private let trips = Atomic<Int>(0)

    init() {}

    /// Round trips to the server: a pipeline is one, however many commands it has.
    var roundTrips: Int { trips.load(ordering: .relaxed) }

    /// Returns the entries since the last call.
    func take() -> [Entry] {
        entries.withLock { entries in
            defer { entries = [:] }
            return Array(entries.values)
        }
    }

    func note(_ queries: [Query], took time: Duration) {
        trips.add(1, ordering: .relaxed)
        guard let first = queries.first?.statement?.name else { return }
        let name = queries.count == 1 ? first : "\(first) and \(queries.count - 1) more"
        entries.withLock { entries in
            guard entries.count < Self.maxStatements || entries[name] != nil else { return }
            var entry = entries[name] ?? Entry(name: name, calls: 0, total: .zero, longest: .zero)
            entry.calls += 1
            entry.total += time
            entry.longest = max(entry.longest, time)
            entries[name] = entry
        }
    }
}
