import TrolleyClient
import TrolleyJournal
import TrolleyWire

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

extension AddedItem {
    /// The aisle of a new item, and why it has it; nil if it has none.
    var aisleChoice: AisleChoice? {
        guard let aisleReason, let aisle = item.fields[Fields.aisle]?.string else { return nil }
        return AisleChoice(aisle: aisle, reason: aisleReason)
    }
}

extension JSONWriter {
    /// The members `aisle`, `reason` and `because`: the catalogue's word, or the similar item.
    mutating func members(of choice: AisleChoice) {
        member("aisle", choice.aisle)
        switch choice.reason {
        case .given: member("reason", "given")
        case .taught: member("reason", "taught")
        case .alike(let item):
            member("reason", "alike")
            member("because", item)
        case .catalogue(let word):
            member("reason", "catalogue")
            member("because", word)
        }
    }
}
