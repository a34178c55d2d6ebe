import DequeModule

/// Who waits for what, in lanes. Of those in one lane only one is served at a time, in the order of their coming; lanes
/// take turns. Pure: it runs nothing.
struct Lanes<Lane: Hashable, Element> {
    /// A lane is here while somebody waits in it or is being served.
    private var waiting: [Lane: Deque<Element>] = [:]
    /// The lanes whose first can be served, those that have waited longest first.
    private var ready: Deque<Lane> = []
    /// How many wait in all.
    private(set) var count = 0

    func count(in lane: Lane) -> Int { waiting[lane]?.count ?? 0 }

    mutating func add(_ element: Element, to lane: Lane) {
        if waiting[lane] == nil { ready.append(lane) }
        waiting[lane, default: []].append(element)
        count += 1
    }

    /// The first of as many lanes as are ready, until `isFull` says so after one of them. Each lane is then closed until
    /// ``finish(_:)``.
    mutating func take(until isFull: (Element) -> Bool) -> [Element] {
        var taken: [Element] = []
        while let lane = ready.popFirst(), let first = waiting[lane]?.popFirst() {
            taken.append(first)
            if isFull(first) { break }
        }
        count -= taken.count
        return taken
    }

    /// Those that wait in a lane, out of it.
    mutating func empty(_ lane: Lane) -> [Element] {
        guard let others = waiting[lane] else { return [] }
        waiting[lane] = []
        count -= others.count
        return Array(others)
    }

    /// Who was taken from the lane has been served.
    mutating func finish(_ lane: Lane) {
        guard let others = waiting[lane] else { return }
        if others.isEmpty { waiting[lane] = nil } else { ready.append(lane) }
    }
}
