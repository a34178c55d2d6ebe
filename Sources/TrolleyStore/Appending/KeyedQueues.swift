import DequeModule

/// A queue in queues. Each queue serves one element at a time, in order of arrival; queues take turns. Pure: it runs
/// nothing.
struct KeyedQueues<Key: Hashable, Element> {
    /// The queues that have a waiting element or are being served.
    private var waiting: [Key: Deque<Element>] = [:]
    /// The queues whose first element can be served, the longest waiting queue first.
    private var ready: Deque<Key> = []
    /// The number of waiting elements.
    private(set) var count = 0

    func count(in key: Key) -> Int { waiting[key]?.count ?? 0 }

    mutating func add(_ element: Element, to key: Key) {
        if waiting[key] == nil { ready.append(key) }
        waiting[key, default: []].append(element)
        count += 1
    }

    /// Closes an idle queue: one with nothing waiting and nothing being served.
    /// - Returns: whether the queue was idle.
    mutating func occupy(_ key: Key) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    /// Removes and returns the first element of each ready queue, until `isFull` returns true for one. Each of these
    /// queues is closed until ``finish(_:)``.
    mutating func take(until isFull: (Element) -> Bool) -> [Element] {
        var taken: [Element] = []
        while let key = ready.popFirst(), let first = waiting[key]?.popFirst() {
            taken.append(first)
            if isFull(first) { break }
        }
        count -= taken.count
        return taken
    }

    /// Removes and returns the waiting elements of a queue.
    mutating func empty(_ key: Key) -> [Element] {
        guard let others = waiting[key] else { return [] }
        waiting[key] = []
        count -= others.count
        return Array(others)
    }

    /// Opens a queue again after the element that was taken from it has been served.
    mutating func finish(_ key: Key) {
        guard let others = waiting[key] else { return }
        if others.isEmpty { waiting[key] = nil } else { ready.append(key) }
    }
}
