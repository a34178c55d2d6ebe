import TrolleyClient
import TrolleyJournal

extension AisleChoice {
    /// 'Dairy, because of milk'.
    var sentence: String {
        switch reason {
        case .given, .taught: aisle
        case .alike(let item): localized("\(aisle), like \(item)", de: "\(aisle), wie \(item)")
        case .catalogue(let word): localized("\(aisle), because of \(word)", de: "\(aisle), wegen „\(word)“")
        }
    }

    /// Whether the person gave the aisle neither now nor earlier, so that it should be explained.
    var isNews: Bool {
        switch reason {
        case .given, .taught: false
        case .alike, .catalogue: true
        }
    }
}
