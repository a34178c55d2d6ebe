public import TrolleyJournal

/// Where a person keeps a list among theirs. It is the account's own: others on the list keep it elsewhere.
public struct ListPlace: Hashable, Sendable, Codable {
    /// Whether the list stands before all that aren't pinned.
    public var pinned: Bool
    /// Whether the list is put away. It stays on the person's devices, and in step.
    public var archived: Bool
    /// Lists stand by ascending rank. nil: the person has not moved the list, which then stands by its age, the newest first.
    public var rank: Int64?

    public init(pinned: Bool = false, archived: Bool = false, rank: Int64? = nil) {
        self.pinned = pinned
        self.archived = archived
        self.rank = rank
    }
}

/// `PATCH /v1/lists/{id}/place`: what is nil stays.
public struct ChangePlaceRequest: Hashable, Sendable, Codable {
    public var pinned: Bool?
    public var archived: Bool?
    /// -9007199254740991 to 9007199254740991, which every JSON reader keeps exactly.
    public var rank: Int64?

    public init(pinned: Bool? = nil, archived: Bool? = nil, rank: Int64? = nil) {
        self.pinned = pinned
        self.archived = archived
        self.rank = rank
    }
}

extension ListPlace {
    /// The ranks that every JSON reader keeps exactly.
    public static let ranks: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991

    /// The distance at which a list is put before the first or behind the last one, and between lists that get new ranks
    /// because there was none left between them. A list that nobody has moved has the rank of its age in 1024ths of a
    /// millisecond, so this is about a second.
    private static let step: Int64 = 1 << 20

    /// The rank by which a list stands: its own, or that of its age. An id of version 7 begins with its time in milliseconds.
    public func rank(of list: ListID) -> Int64 {
        if let rank { return min(max(rank, Self.ranks.lowerBound), Self.ranks.upperBound) }
        return -1024 * Int64(min(list.bits.high >> 16, UInt64(Self.ranks.upperBound / 1024)))
    }

    /// Whether a list stands before another one: archived lists last, pinned ones first, then by their ranks.
    public static func precedes(_ left: (list: ListID, place: ListPlace), _ right: (list: ListID, place: ListPlace))
        -> Bool
    {
        if left.place.archived != right.place.archived { return right.place.archived }
        if left.place.pinned != right.place.pinned { return left.place.pinned }
        let (first, second) = (left.place.rank(of: left.list), right.place.rank(of: right.list))
        return first == second ? left.list < right.list : first < second
    }

    /// The ranks with which a list stands at an index among others.
    /// - Parameters:
    ///   - list: the list that is moved.
    ///   - index: where it is to stand, 0 to the number of the others.
    ///   - others: the lists beside it, in the order in which they stand.
    /// - Returns: its rank. Where there was none left between its neighbours, also those of lists behind it.
    public static func ranks(
        moving list: ListID, to index: Int, among others: [(list: ListID, place: ListPlace)]
    ) -> [ListID: Int64] {
        let ranks = others.map { $0.place.rank(of: $0.list) }
        guard index > 0 else { return [list: ranks.first.map { $0 - step } ?? 0] }
        let before = ranks[index - 1]
        guard index < ranks.count else { return [list: before + step] }
        let middle = before + (ranks[index] - before) / 2
        if middle > before, middle < ranks[index] { return [list: middle] }
        var last = before + step
        var changed = [list: last]
        for place in index..<ranks.count where ranks[place] <= last {
            last += step
            changed[others[place].list] = last
        }
        return changed
    }
}
