import Testing
import TrolleyJournal

/// A property that every journal has.
struct Property: Sendable, CustomTestStringConvertible {
    let name: String
    /// nil if the property holds; otherwise the violation.
    let refute: @Sendable (JournalCase) -> String?

    var testDescription: String { name }

    /// The first of these journals for which the property does not hold.
    func counterexample(seeds: Range<UInt64>) -> JournalCase? {
        for seed in seeds {
            let journal = JournalCase.random(seed: seed)
            if refute(journal) != nil { return journal }
        }
        return nil
    }

    func shrink(_ journal: JournalCase) -> JournalCase {
        Shrinker { refute($0) != nil }.shrink(journal)
    }
}

/// The violation that a property has found.
func unequal<Value: Equatable>(_ seen: Value, _ expected: Value, _ what: String) -> String? {
    seen == expected ? nil : "\(what): \(seen), but should be \(expected)"
}
