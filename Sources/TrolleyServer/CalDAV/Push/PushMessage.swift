import TrolleyJournal
import TrolleyStore

/// A push message to a registered program: which list has changed, and how.
struct PushMessage {
    let topic: String
    /// Whether items have changed.
    let content: Bool
    /// Whether the list's properties have changed.
    let properties: Bool
    /// The list's sync token after the change; nil if it isn't known.
    let syncToken: String?

    var text: String {
        var writer = XMLWriter()
        writer.element(.push("push-message")) { writer in
            writer.element(.push("topic"), topic)
            if content {
                writer.element(.push("content-update")) { writer in
                    if let syncToken { writer.element(.dav("sync-token"), syncToken) }
                }
            }
            if properties { writer.element(.push("property-update")) }
        }
        return writer.text
    }
}

extension PushMessage {
    init(_ delivery: ClaimedDelivery, tokenKey: ChangeToken.Key) {
        // A process of the version before tells programs of summaries, too.
        let update = delivery.notice.calendar
        self.init(
            topic: PushTopic.text(of: delivery.list, for: delivery.target.account, key: tokenKey),
            content: update?.content ?? true, properties: update?.properties ?? false,
            syncToken: update.map { update in
                CalendarProperties.syncToken(
                    of: delivery.list, at: delivery.notice.through, UUIDBits(high: update.epoch, low: 0), tokenKey)
            })
    }
}
