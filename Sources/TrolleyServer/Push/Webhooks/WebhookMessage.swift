import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// The body of a webhook's message.
struct WebhookMessage: Encodable {
    struct Content: Encodable {
        let list: ListID
        /// The list's newest change that the notice covers.
        let through: SequenceNumber
        /// What others did; nil unless the person asked for content.
        let people: [SummarizedPerson]?
    }

    enum Kind: String, Encodable {
        /// A session has ended.
        case summary
        /// A session goes on; only for lists whose level is `all`.
        case changes
    }

    let type: Kind
    /// When the notice was made.
    let timestamp: Timestamp
    let data: Content

    init(_ delivery: ClaimedDelivery) {
        type = delivery.notice.isAlert == true ? .changes : .summary
        timestamp = delivery.createdAt
        data = Content(
            list: delivery.list, through: delivery.notice.through,
            people: delivery.target.withContent ? delivery.notice.people : nil)
    }
}
