/// Numbers at places 0 ..< count, initially all 0. Finds the nearest lower place with a greater number in O(log count).
///
/// It is a complete binary tree in an array: each node holds the greatest number below it.
struct MaximumTree {
    private var nodes: [Int32]
    /// The index of the first leaf.
    private let leaves: Int

    init(count: Int) {
        var leaves = 1
        while leaves < count { leaves *= 2 }
        self.leaves = leaves
        nodes = Array(repeating: 0, count: 2 * leaves)
    }

    subscript(place: Int) -> Int32 {
        get { nodes[leaves + place] }
        set {
            var node = leaves + place
            nodes[node] = newValue
            while node > 1 {
                WorkCounter.step()
                node /= 2
                let greatest = max(nodes[2 * node], nodes[2 * node + 1])
                if nodes[node] == greatest { return }
                nodes[node] = greatest
            }
        }
    }

    /// The greatest place below `place` with a greater number; nil when there is none.
    func nearest(before place: Int, above number: Int32) -> Int? {
        var node = leaves + place
        while node > 1 {
            WorkCounter.step()
            // For a right child, the left sibling's places come before.
            if node % 2 == 1, nodes[node - 1] > number {
                node -= 1
                while node < leaves { node = 2 * node + (nodes[2 * node + 1] > number ? 1 : 0) }
                return node - leaves
            }
            node /= 2
        }
        return nil
    }
}
