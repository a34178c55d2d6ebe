import Testing

@testable import TrolleyStore

@Suite("The map of shards and nodes", .timeLimit(.minutes(20)))
struct NodeMapTests {
    private let now = ContinuousClock.now
    private let one = NodeMap.Node(group: 1, host: "one", port: 5432)
    private let two = NodeMap.Node(group: 2, host: "two", port: 5432)

    /// A map with shard 1 on the first node and shard 2 on the second, which have been asked and are usable.
    private func usable() -> KeptMap {
        let map = KeptMap()
        _ = map.route(to: 1, at: now)
        map.note(places: [1: one, 2: two], at: now)
        for node in [one, two] { map.note(usable: node) }
        return map
    }

    @Test("a shard's statements go by the coordinator until its node is known and has been asked")
    func unknown() {
        let map = KeptMap()
        #expect(map.route(to: 1, at: now) == NodeMap.Route(question: .places))
        #expect(map.route(to: 1, at: now) == NodeMap.Route(), "one caller asks")
        map.note(places: [1: one, 2: two], at: now)
        #expect(map.route(to: 1, at: now) == NodeMap.Route(question: .node(one)))
        #expect(map.route(to: 1, at: now) == NodeMap.Route())
        map.note(usable: one)
        #expect(map.route(to: 1, at: now) == NodeMap.Route(node: one))
        #expect(map.route(to: 2, at: now) == NodeMap.Route(question: .node(two)), "each node is asked by itself")
        #expect(map.route(to: 3, at: now) == NodeMap.Route(), "no node has it, or several have")
    }

    @Test("places are asked for again after a while, and until the answer the known ones are used")
    func moved() {
        let map = usable()
        let later = now + NodeMap.memory
        #expect(map.route(to: 1, at: later) == NodeMap.Route(node: one, question: .places))
        #expect(map.route(to: 1, at: later) == NodeMap.Route(node: one))
        map.note(places: [1: two, 2: two], at: later)
        #expect(map.route(to: 1, at: later) == NodeMap.Route(node: two))
        #expect(map.map.all == [two])
    }

    @Test("without an answer the places stay as they are, and are asked for again later; that is reported once")
    func noAnswer() {
        let map = usable()
        var later = now
        for isNews in [true, false] {
            later += NodeMap.memory
            #expect(map.route(to: 1, at: later).question == .places)
            #expect(map.notePlacesUnknown(at: later) == isNews)
            #expect(map.route(to: 1, at: later) == NodeMap.Route(node: one))
        }
        map.note(places: [1: one, 2: two], at: later)
        #expect(map.notePlacesUnknown(at: later), "the database had answered meanwhile")
    }

    @Test("a node that could not be asked is left alone for a while, and reported once until it is usable")
    func unusable() {
        let map = usable()
        #expect(map.note(unusable: one, at: now))
        #expect(map.route(to: 1, at: now) == NodeMap.Route())
        #expect(map.route(to: 2, at: now) == NodeMap.Route(node: two))
        let later = now + NodeMap.pause
        _ = map.route(to: 2, at: later)
        map.note(places: [1: one, 2: two], at: later)
        #expect(map.route(to: 1, at: later) == NodeMap.Route(question: .node(one)))
        #expect(!map.note(unusable: one, at: later))
        map.note(usable: one)
        #expect(map.route(to: 1, at: later) == NodeMap.Route(node: one))
        #expect(map.note(unusable: one, at: later))
    }

    @Test("a node whose address changes is another one, and is asked")
    func replaced() {
        let map = usable()
        _ = map.note(unusable: one, at: now)
        let standby = NodeMap.Node(group: 1, host: "three", port: 5432)
        map.note(places: [1: standby, 2: two], at: now)
        #expect(map.route(to: 1, at: now) == NodeMap.Route(question: .node(standby)))
    }
}

/// A map whose changes can stand in an expectation.
private final class KeptMap {
    private(set) var map = NodeMap()

    func route(to shard: Topology.Shard, at now: ContinuousClock.Instant) -> NodeMap.Route {
        map.route(to: shard, at: now)
    }

    func note(places: [Topology.Shard: NodeMap.Node], at now: ContinuousClock.Instant) {
        map.note(places: places, at: now)
    }

    func notePlacesUnknown(at now: ContinuousClock.Instant) -> Bool { map.notePlacesUnknown(at: now) }

    func note(usable node: NodeMap.Node) { map.note(usable: node) }

    func note(unusable node: NodeMap.Node, at now: ContinuousClock.Instant) -> Bool {
        map.note(unusable: node, at: now)
    }
}
