import TrolleyJournal
import TrolleyStore

/// A declarative push message, which Safari shows without a service worker; the web app's worker shows it elsewhere. It
/// is always visible.
struct PushNotification: Encodable {
    struct Notification: Encodable {
        let title: String
        let lang = "en"
        /// A newer notification of the list takes this one's place.
        let tag: String
        /// Where a tap leads: the list in the web app.
        let navigate: String
    }

    let web_push = 8030
    let notification: Notification

    init(_ delivery: ClaimedDelivery, app: String) {
        let people = delivery.notice.people
        notification = Notification(
            title: delivery.target.withContent ? NoticeText.content(people) : NoticeText.withoutContent,
            tag: delivery.list.description, navigate: "\(app)/#/list/\(delivery.list)")
    }
}
