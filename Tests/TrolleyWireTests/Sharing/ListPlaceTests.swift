import Testing
import TrolleyJournal
import TrolleyWire

/// The order of a person's lists.
@Suite("Places of lists", .timeLimit(.minutes(20)))
struct ListPlaceTests {
    typealias Placed = (list: ListID, place: ListPlace)

    /// A list that was made some seconds after the first.
    private func list(_ seconds: UInt64) -> ListID {
        ListID(UUIDBits(high: (1_700_000_000_000 + seconds * 1000) << 16 | 0x7000, low: 1 << 63))
    }

    private func sorted(_ lists: [Placed]) -> [ListID] { lists.sorted(by: ListPlace.precedes).map(\.list) }

    @Test("pinned lists come first, archived ones last; without a rank the newest stands first")
    func order() {
        let lists: [Placed] = [
            (list(1), ListPlace()), (list(2), ListPlace(archived: true)), (list(3), ListPlace()),
            (list(4), ListPlace(pinned: true)), (list(5), ListPlace(pinned: true, archived: true)),
        ]
        #expect(sorted(lists) == [list(4), list(3), list(1), list(5), list(2)])
    }

    @Test("a list stands where it was moved, and no other list gets a rank while there is room")
    func moving() {
        var places: [ListID: ListPlace] = [:]
        for second in 1...6 { places[list(UInt64(second))] = ListPlace() }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<40 {
            var order = sorted(places.map { ($0.key, $0.value) })
            let moved = order.remove(at: .random(in: 0..<6, using: &generator)), index = Int.random(in: 0...5)
            let ranks = ListPlace.ranks(moving: moved, to: index, among: order.map { ($0, places[$0] ?? ListPlace()) })
            for (list, rank) in ranks { places[list]?.rank = rank }
            order.insert(moved, at: index)
            #expect(sorted(places.map { ($0.key, $0.value) }) == order)
        }
    }

    @Test("a thousand moves between the same two lists go on working, where no rank is left between them")
    func crowded() {
        // Two lists of one millisecond, and a third that goes between them, the next time before the last one, and so on.
        let twins = [0, 1].map { ListID(UUIDBits(high: 1_700_000_000_000 << 16 | 0x7000, low: 1 << 63 | UInt64($0))) }
        var others: [Placed] = twins.map { ($0, ListPlace()) }
        for index in 0..<1000 {
            let new = list(UInt64(100 + index))
            let ranks = ListPlace.ranks(moving: new, to: 1, among: others)
            others.insert((new, ListPlace()), at: 1)
            for place in others.indices { if let rank = ranks[others[place].list] { others[place].place.rank = rank } }
            #expect(sorted(others) == others.map(\.list))
        }
        #expect(others.allSatisfy { ListPlace.ranks.contains($0.place.rank(of: $0.list)) })
    }

    @Test("ids that don't begin with a time have ranks that every JSON reader keeps exactly")
    func foreign() {
        let foreign = ListID(UUIDBits(high: .max, low: .max))
        #expect(ListPlace().rank(of: foreign) == -9_007_199_254_739_968)
        #expect(ListPlace().rank(of: ListID(UUIDBits(high: 0, low: 0))) == 0)
        // What a broken service says ends no program.
        let broken: [Placed] = [(list(1), ListPlace(rank: .min)), (list(2), ListPlace(rank: .max))]
        #expect(sorted(broken) == [list(1), list(2)])
        #expect(ListPlace.ranks(moving: list(3), to: 1, among: broken) == [list(3): 0])
    }
}
