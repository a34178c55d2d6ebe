import TrolleyWire

extension Limits {
    /// The page size that the query asks for, at most `changesPerPage`.
    /// - Throws: `invalidArguments`.
    func pageLimit(text: String?) throws(Problem) -> Int {
        guard let text else { return defaultChangesPerPage }
        guard let limit = Int(text) else { throw Problem(.invalidArguments, "limit must be a whole number") }
        return try pageLimit(limit)
    }

    func pageLimit(_ wanted: Int?) throws(Problem) -> Int {
        guard let wanted else { return defaultChangesPerPage }
        guard wanted > 0 else { throw Problem(.invalidArguments, "limit must be at least 1") }
        return min(wanted, changesPerPage)
    }
}
