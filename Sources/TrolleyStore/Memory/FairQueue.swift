/// A bounded queue that is fair among keys: each key has a line of its own, and the lines take turns. It uses no clock.
///
/// When the queue is full, a key with a shorter line displaces the newest element of the longest line. So a key with
/// many elements waits behind itself, and delays another key by one element per turn.
struct FairQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private let maximum: Int
    private let maximumOfKey: Int
    private var lines: [Key: [Element]] = [:]
    /// The keys with waiting elements, in the order of their turns.
    private var turns: [Key] = []
    /// The number of waiting elements.
    private(set) var count = 0

    /// - Parameters:
    ///   - maximum: the largest number of waiting elements, for all keys together.
    ///   - maximumOfKey: the same for one key.
    init(maximum: Int, ofKey maximumOfKey: Int = .max) {
        self.maximum = max(0, maximum)
        self.maximumOfKey = maximumOfKey
    }

    /// Puts an element at the end of its key's line.
    /// - Returns: the element that has no place: the new one, or the newest of a longer line; nil when there is room.
    mutating func enter(_ element: Element, of key: Key) -> Element? {
        guard length(of: key) < maximumOfKey else { return element }
        var displaced: Element?
        if count >= maximum {
            // The displaced line must stay at least as long as the growing one.
            guard let longest = longestLine(), length(of: longest) > length(of: key) + 1 else { return element }
            displaced = lines[longest]?.popLast()
            count -= 1
        }
        if lines[key] == nil { turns.append(key) }
        lines[key, default: []].append(element)
        count += 1
        return displaced
    }

    /// Removes and returns the element whose turn it is, among the keys that may run.
    mutating func next(where mayRun: (Key) -> Bool = { _ in true }) -> (key: Key, element: Element)? {
        guard let turn = turns.firstIndex(where: mayRun) else { return nil }
        let key = turns.remove(at: turn)
        guard var line = lines[key], !line.isEmpty else { return nil }
        let element = line.removeFirst()
        lines[key] = line.isEmpty ? nil : line
        if !line.isEmpty { turns.append(key) }
        count -= 1
        return (key, element)
    }

    /// Removes an element that no longer waits. Returns nil when it isn't in the key's line.
    mutating func remove(of key: Key, where isIt: (Element) -> Bool) -> Element? {
        guard let index = lines[key]?.firstIndex(where: isIt) else { return nil }
        let element = lines[key]?.remove(at: index)
        if length(of: key) == 0 {
            lines[key] = nil
            turns.removeAll { $0 == key }
        }
        count -= 1
        return element
    }

    private func length(of key: Key) -> Int { lines[key]?.count ?? 0 }

    // At most `maximum` keys wait, so this is bounded.
    private func longestLine() -> Key? { turns.max { length(of: $0) < length(of: $1) } }
}
