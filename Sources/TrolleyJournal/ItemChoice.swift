/// The result of looking up an item by a name.
public enum ItemChoice: Hashable, Sendable {
    /// The item at this index.
    case item(Int)
    /// The name matches the items at these indices, in list order.
    case ambiguous([Int])
    /// No item matches.
    case noMatch
}

extension [ShownRow] {
    /// Finds the row whose text matches a name, which may be a part of the text; see `[Item].matching(_:)`. Struck rows
    /// count only if no other row matches.
    /// - Parameters:
    ///   - operation: the intended change. If several rows match, `markOff` prefers an item that isn't marked off, and
    ///     `unmark` one that is.
    ///   - isNumbered: whether the person sees the rows numbered from 1. Then a number also matches the row at that
    ///     position.
    public func choose(_ name: String, for operation: Operation? = nil, isNumbered: Bool = false) -> ItemChoice {
        var candidates = map { $0.item }.matching(name)
        if candidates.contains(where: { !self[$0].isStruck }) { candidates.removeAll { self[$0].isStruck } }
        // As on any other platform, also where an `Int` has 32 bits.
        if isNumbered, let position = Int64(name), position > 0, position <= Int64(count) {
            let index = Int(position - 1)
            if !candidates.contains(index) { candidates = (candidates + [index]).sorted() }
        }
        let preferred = candidates.filter { index in
            switch operation {
            case .markOff: !self[index].item.markedOff
            case .unmark: self[index].item.markedOff
            default: true
            }
        }
        if preferred.count == 1 { return .item(preferred[0]) }
        return candidates.isEmpty ? .noMatch : candidates.count == 1 ? .item(candidates[0]) : .ambiguous(candidates)
    }
}
