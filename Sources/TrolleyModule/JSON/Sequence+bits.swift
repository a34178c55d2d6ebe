import TrolleyJournal

extension Sequence where Element: Identifier {
    /// The ids in order. All kinds of ids are sorted by the same code.
    func bitsInOrder() -> [UUIDBits] {
        var bits: [UUIDBits] = []
        for id in self { bits.append(id.bits) }
        return bits.inOrder(by: <)
    }
}
