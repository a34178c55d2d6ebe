/// Which node has each shard, and which nodes this process may ask directly. Pure: it asks nobody itself, but says what is to
/// be asked.
struct NodeMap {
    /// A node, at the address that Citus uses for it.
    struct Node: Hashable, Sendable {
        /// The number of the node's group, which the node itself also knows.
        let group: Int64
        let host: String
        let port: Int64

        /// For messages.
        var location: String { "\(host) port \(port)" }
    }

    enum Question: Hashable {
        /// Where the shards are.
        case places
        /// Whether a node can be asked.
        case node(Node)
    }

    /// How a shard's statements go.
    struct Route: Hashable {
        /// nil: by the coordinator.
        var node: Node?
        /// What the caller is to ask meanwhile. It waits for no answer.
        var question: Question?
    }

    private enum Status {
        case asked
        case usable
        case unusable(until: ContinuousClock.Instant)
    }

    /// How long the places of shards are believed. A shard that has moved meanwhile is read and written correctly, but by
    /// way of its former node.
    static let memory: Duration = .seconds(30)
    /// How long a node is left alone that could not be asked.
    static let pause: Duration = .seconds(30)

    private var places: [Topology.Shard: Node] = [:]
    private var nodes: [Node: Status] = [:]
    /// Nodes whose failure has been reported, and that have not been usable since.
    private var reported: Set<Node> = []
    private var isAskingPlaces = false
    /// Whether the present failure to learn the places has been reported.
    private var hasReportedPlaces = false
    private var believedUntil: ContinuousClock.Instant?

    mutating func route(to shard: Topology.Shard, at now: ContinuousClock.Instant) -> Route {
        var route = Route()
        if !isAskingPlaces, believedUntil.map({ $0 <= now }) ?? true {
            isAskingPlaces = true
            route.question = .places
        }
        guard let node = places[shard] else { return route }
        switch nodes[node] {
        case .usable?: route.node = node
        case .asked?: break
        case .unusable(let until)? where until > now: break
        case .unusable?, nil:
            if route.question == nil {
                nodes[node] = .asked
                route.question = .node(node)
            }
        }
        return route
    }

    /// Records where the shards are.
    /// - Parameter found: only shards on nodes that can plan statements.
    mutating func note(places found: [Topology.Shard: Node], at now: ContinuousClock.Instant) {
        isAskingPlaces = false
        hasReportedPlaces = false
        believedUntil = now + Self.memory
        places = found
        let known = Set(found.values)
        nodes = nodes.filter { known.contains($0.key) }
        reported.formIntersection(known)
    }

    /// Records that the database hasn't said where the shards are. The known places stay.
    /// - Returns: whether that is to be reported: only once, until the database says it again.
    mutating func notePlacesUnknown(at now: ContinuousClock.Instant) -> Bool {
        isAskingPlaces = false
        believedUntil = now + Self.memory
        defer { hasReportedPlaces = true }
        return !hasReportedPlaces
    }

    mutating func note(usable node: Node) {
        nodes[node] = .usable
        reported.remove(node)
    }

    /// Records that a node could not be asked.
    /// - Returns: whether that is to be reported: only once, until the node is usable again.
    mutating func note(unusable node: Node, at now: ContinuousClock.Instant) -> Bool {
        nodes[node] = .unusable(until: now + Self.pause)
        return reported.insert(node).inserted
    }

    /// The nodes that have shards.
    var all: Set<Node> { Set(places.values) }
}
