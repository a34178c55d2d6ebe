extension String {
    /// A quantity behind the text that it belongs to, as a person writes it: 'eggs × 2', 'milk, 2 l'.
    var behindText: String { allSatisfy(\.isWholeNumber) ? " × \(self)" : ", \(self)" }
}
