extension Array {
    /// The elements in an order, equal ones in the order given. `sorted(by:)` costs the WebAssembly module its code again for
    /// each type of element, so here their places are sorted.
    package func inOrder(by precedes: (Element, Element) -> Bool) -> [Element] {
        places(upTo: count) { left, right in
            WorkCounter.step()
            return precedes(self[left], self[right])
        }.map { self[$0] }
    }
}

@inline(never) private func places(upTo count: Int, by precede: (Int, Int) -> Bool) -> [Int] {
    (0..<count).sorted(by: precede)
}
