import DequeModule

/// A queue in lanes. Each lane serves one element at a time, in order of arrival; lanes take turns. Pure: it runs
/// nothing.
struct Lanes<Lane: Hashable, Element> {
    /// The lanes that have a waiting element or are being served.
    private var waiting: [Lane: Deque<Element>] = [:]
    /// The lanes whose first element can be served, the longest waiting lane first.
    private var ready: Deque<Lane> = []
    /// The number of waiting elements.
    private(set) var count = 0

    func count(in lane: Lane) -> Int { waiting[lane]?.count ?? 0 }

    mutating func add(_ element: Element, to lane: Lane) {
        if waiting[lane] == nil { ready.append(lane) }
        waiting[lane, default: []].append(element)
        count += 1
    }

    /// Closes an idle lane: one with nothing waiting and nothing being served.
    /// - Returns: whether the lane was idle.
    mutating func occupy(_ lane: Lane) -> Bool {
        guard waiting[lane] == nil else { return false }
        waiting[lane] = []
        return true
    }

    /// Removes and returns the first element of each ready lane, until `isFull` returns true for one. Each of these
    /// lanes is closed until ``finish(_:)``.
    mutating func take(until isFull: (Element) -> Bool) -> [Element] {
        var taken: [Element] = []
        while let lane = ready.popFirst(), let first = waiting[lane]?.popFirst() {
            taken.append(first)
            if isFull(first) { break }
        }
        count -= taken.count
        return taken
    }

    /// Removes and returns the waiting elements of a lane.
    mutating func empty(_ lane: Lane) -> [Element] {
        guard let others = waiting[lane] else { return [] }
        waiting[lane] = []
        count -= others.count
        return Array(others)
    }

    /// Opens a lane again after the element that was taken from it has been served.
    mutating func finish(_ lane: Lane) {
        guard let others = waiting[lane] else { return }
        if others.isEmpty { waiting[lane] = nil } else { ready.append(lane) }
    }
}
