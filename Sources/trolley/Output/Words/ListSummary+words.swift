import TrolleyClient

extension ListSummary {
    /// What stands for the name of a list without one.
    static var unnamed: String { localized("(no name)", de: "(ohne Namen)") }

    /// How many items are wanted: '3 to buy'.
    static func toBuy(_ count: Int) -> String { localized("\(count) to buy", de: "\(count) zu besorgen") }
}
