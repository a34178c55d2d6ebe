/// The result of adding one item.
public struct AddedItem: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable {
        /// The item is new.
        case added
        /// The item was marked off, and is wanted again.
        case back
        /// The item was wanted already.
        case present
    }

    public var item: Item
    public var outcome: Outcome

    #if hasFeature(Embedded)
        init(item: Item, outcome: Outcome) {
            self.item = item
            self.outcome = outcome
        }
    #else
        /// What decided the aisle of a new item; nil if it has none, and for an item that was on the list.
        public var aisleReason: AisleChoice.Reason?

        public init(item: Item, outcome: Outcome, aisleReason: AisleChoice.Reason? = nil) {
            self.item = item
            self.outcome = outcome
            self.aisleReason = aisleReason
        }

        /// The aisle of a new item, and why it has it; nil if it has none.
        package var aisleChoice: AisleChoice? {
            guard let aisleReason, let aisle = item.fields[Fields.aisle]?.string else { return nil }
            return AisleChoice(aisle: aisle, reason: aisleReason)
        }
    #endif
}
