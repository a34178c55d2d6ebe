/// How a pool's connections are shared out among the classes of work. This is the only place that says so.
///
/// A lease is granted while its class has fewer than its `maximum`, and enough connections stay free for the unused
/// reserves of all other classes. So a class always gets its `reserve`, whatever the others do. The connections beyond the
/// sum of the reserves go to the class that asks first.
///
/// With 16 connections the reserves sum to 10:
///
/// | class | reserve | maximum |
/// |---|---|---|
/// | `append` | 3 | 9 |
/// | `contendedAppend` | 1 | 4 |
/// | `shortRead` | 2 | 8 |
/// | `request` | 2 | 8 |
/// | `longRead` | 1 | 4 |
/// | `background` | 1 | 4 |
public struct LeaseShares: Hashable, Sendable {
    public struct Share: Hashable, Sendable {
        /// Connections that no other class can take.
        public let reserve: Int
        /// The most connections of this class.
        public let maximum: Int
    }

    /// For ``scale`` connections. A maximum of ``scale`` is bounded by the other classes' reserves only.
    private static func share(of use: LeaseClass) -> Share {
        switch use {
        case .append: Share(reserve: 3, maximum: scale)
        // Each waits for a lock for some seconds.
        case .contendedAppend: Share(reserve: 1, maximum: 4)
        case .shortRead: Share(reserve: 2, maximum: scale)
        case .request: Share(reserve: 2, maximum: scale)
        case .longRead: Share(reserve: 1, maximum: 4)
        case .background: Share(reserve: 1, maximum: 4)
        }
    }

    private static let scale = 16

    /// All connections of the pool.
    public let connections: Int
    private let shares: [Share]

    /// Reserves shrink with the pool; one of fewer than 6 connections has none. Each class may always use one connection.
    public init(connections: Int) {
        let connections = max(1, connections)
        let reserves = LeaseClass.allCases.map { Self.share(of: $0).reserve * connections / Self.scale }
        let sum = reserves.reduce(0, +)
        self.connections = connections
        shares = zip(LeaseClass.allCases, reserves).map { use, reserve in
            let maximum = max(1, Self.share(of: use).maximum * connections / Self.scale)
            return Share(reserve: reserve, maximum: min(maximum, connections - (sum - reserve)))
        }
    }

    public subscript(use: LeaseClass) -> Share { shares[use.rawValue] }

    /// The sum of all reserves, which is less than the number of connections.
    public var reserved: Int { shares.reduce(0) { $0 + $1.reserve } }

    /// Whether a lease may be granted.
    /// - Parameter running: the leases of each class, by its raw value.
    func admits(_ use: LeaseClass, running: [Int]) -> Bool {
        guard running[use.rawValue] < self[use].maximum else { return false }
        var needed = 1
        for (number, share) in shares.enumerated() {
            needed += number == use.rawValue ? running[number] : max(share.reserve, running[number])
        }
        return needed <= connections
    }
}
