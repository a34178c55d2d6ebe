extension [Int] {
    /// The moves that sort these distinct numbers, one after the other. The numbers of a longest ascending subsequence stay
    /// where they are. Takes O(n log n).
    func moves() -> [(from: Int, to: Int)] {
        let staying = Set(zip(self, longestAscending()).lazy.filter { $0.1 }.map { $0.0 })
        guard staying.count < count else { return [] }
        // A line with a gap for each number at its present place and, for each that moves, one where it goes: directly
        // behind the next smaller number. Filled gaps before a place are then the index there.
        let sorted = self.sorted()
        var followers: [Int: [Int]] = [:]
        var leading: [Int] = []
        var leader: Int?
        for number in sorted {
            if staying.contains(number) {
                leader = number
            } else if let leader {
                followers[leader, default: []].append(number)
            } else {
                leading.append(number)
            }
        }
        var (present, coming): ([Int: Int], [Int: Int]) = ([:], [:])
        var gap = 0
        func reserve(_ numbers: [Int]) {
            for number in numbers {
                coming[number] = gap
                gap += 1
            }
        }
        reserve(leading)
        for number in self {
            present[number] = gap
            gap += 1
            reserve(followers[number] ?? [])
        }

        var filled = PrefixCounts(count: gap)
        for number in self { if let gap = present[number] { filled.add(1, at: gap) } }
        var moves: [(from: Int, to: Int)] = []
        for number in sorted {
            guard let old = present[number], let new = coming[number] else { continue }
            let from = filled.count(before: old)
            filled.add(-1, at: old)
            let to = filled.count(before: new)
            filled.add(1, at: new)
            if from != to { moves.append((from, to)) }
        }
        return moves
    }
}

/// Counts at places 0 ..< count, and their sums, each in O(log count). It is a Fenwick tree.
private struct PrefixCounts {
    private var nodes: [Int]

    init(count: Int) { nodes = Array(repeating: 0, count: count + 1) }

    mutating func add(_ number: Int, at place: Int) {
        var node = place + 1
        while node < nodes.count {
            WorkCounter.step()
            nodes[node] += number
            node += node & -node
        }
    }

    /// The sum of the counts at lower places.
    func count(before place: Int) -> Int {
        var (node, sum) = (place, 0)
        while node > 0 {
            WorkCounter.step()
            sum += nodes[node]
            node -= node & -node
        }
        return sum
    }
}
