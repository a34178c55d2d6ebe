import TrolleyJournal

extension Message {
    /// The person who wrote it: `Bob`; of an imported message: `Bob (imported)`.
    /// - Parameter author: the author's name.
    func byline(_ author: String) -> String {
        guard let origin, origin.name != author else { return author }
        return localized(
            "\(origin.name ?? "Somebody") (imported)", de: "\(origin.name ?? "Jemand") (importiert)")
    }
}
