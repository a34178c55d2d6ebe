extension Array {
    /// A longest subsequence with ascending keys, by patience sorting (Fredman 1975). Keys must be distinct.
    func longestIncreasingSubsequence(by key: (Element) -> Int) -> [Element] {
        /// For each length, where the subsequence of that length with the smallest end ends.
        var ends: [Int] = []
        var previous: [Int?] = []
        for index in indices {
            let length = ends.partitioningIndex { key(self[$0]) > key(self[index]) }
            previous.append(length == 0 ? nil : ends[length - 1])
            if length == ends.endIndex { ends.append(index) } else { ends[length] = index }
        }
        return Swift.sequence(first: ends.last) { $0.flatMap { previous[$0] } }
            .prefix { $0 != nil }.compactMap { $0.map { self[$0] } }.reversed()
    }
}
