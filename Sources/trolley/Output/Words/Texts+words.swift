import TrolleyWire

extension [String] {
    /// At most eight texts of people, in one line.
    var inWords: String {
        let shown = prefix(8).map(\.inOneLine).joined(separator: ", ")
        return count > 8 ? localized("\(shown) and \(count - 8) more", de: "\(shown) und \(count - 8) weitere") : shown
    }
}
