extension [Int] {
    /// Which of these distinct numbers are in a longest ascending subsequence, by patience sorting (Fredman 1975).
    func longestAscending() -> [Bool] {
        /// For each length, where the subsequence of that length with the smallest end ends.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: count)
        for index in indices {
            let length = ends.partitioningIndex { self[$0] > self[index] }
            if length > 0 { previous[index] = ends[length - 1] }
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        var chosen = [Bool](repeating: false, count: count)
        var index = ends.last ?? -1
        while index >= 0 {
            chosen[index] = true
            index = previous[index]
        }
        return chosen
    }
}
