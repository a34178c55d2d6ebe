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

    /// A statement, or a pipeline of which it is the first, after BEGIN.
    private struct Key: Hashable {
        let first: String
        let more: Int

        var name: String { more == 0 ? first : "\(first) and \(more) more" }
    }

    private struct Times {
        var calls = 0
        var total = Duration.zero
        var longest = Duration.zero

        mutating func note(_ time: Duration) {
            calls += 1
            total += time
            longest = max(longest, time)
        }
    }

    private let times = Mutex<[Key: Times]>([:])
    private let trips = Atomic<Int>(0)

    init() {}

    /// Round trips to the server: a pipeline is one, however many commands it has.
    var roundTrips: Int { trips.load(ordering: .relaxed) }

    /// Returns the entries since the last call.
    func take() -> [Entry] {
        let taken = times.withLock { times in
            defer { times = [:] }
            return times
        }
        return taken.map { Entry(name: $0.name, calls: $1.calls, total: $1.total, longest: $1.longest) }
    }

    func note(_ queries: [Query], took time: Duration) {
        trips.add(1, ordering: .relaxed)
        // All transactions begin alike. The first statement of its own names one.
        let names = queries.lazy.compactMap(\.statement?.name)
        guard let first = names.first(where: { $0 != "begin" }) ?? names.first else { return }
        let key = Key(first: first, more: queries.count - 1)
        times.withLock { times in
            guard times.count < Self.maxStatements || times[key] != nil else { return }
            times[key, default: Times()].note(time)
        }
    }
}
