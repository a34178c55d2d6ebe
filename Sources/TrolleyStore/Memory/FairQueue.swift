/// A bounded queue that is fair among keys: each key has a line of its own, and the lines take turns. A value without a
/// clock.
///
/// When the queue is full, the newest element of the longest line makes room for a key whose line is shorter. So a key that
/// sends much waits behind itself, and delays another key by one element a turn.
struct FairQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private let maximum: Int
    private let maximumOfKey: Int
    private var lines: [Key: [Element]] = [:]
    /// The keys with an element that waits, in the order of their turns.
    private var turns: [Key] = []
    /// Elements that wait.
    private(set) var count = 0

    /// - Parameters:
    ///   - maximum: how many elements may wait, of all keys together.
    ///   - maximumOfKey: how many of one key may wait.
    init(maximum: Int, ofKey maximumOfKey: Int = .max) {
        self.maximum = max(0, maximum)
        self.maximumOfKey = maximumOfKey
    }

    /// Puts an element at the end of its key's line.
    /// - Returns: the element for which there is no room: the new one, or the newest of a longer line; nil when there is room.
    mutating func enter(_ element: Element, of key: Key) -> Element? {
        guard length(of: key) < maximumOfKey else { return element }
        var displaced: Element?
        if count >= maximum {
            // The displaced line must stay at least as long as the one that grows.
            guard let longest = longestLine(), length(of: longest) > length(of: key) + 1 else { return element }
            displaced = lines[longest]?.popLast()
            count -= 1
        }
        if lines[key] == nil { turns.append(key) }
        lines[key, default: []].append(element)
        count += 1
        return displaced
    }

    /// The element whose turn it is, of the keys that may have one.
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

    private func length(of key: Key) -> Int { lines[key]?.count ?? 0 }

    // At most `maximum` keys wait, so a look at each is bounded.
    private func longestLine() -> Key? { turns.max { length(of: $0) < length(of: $1) } }
}
