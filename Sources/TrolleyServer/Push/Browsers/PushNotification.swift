import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// A declarative push message, which Safari shows without a service worker; the web app's worker shows it elsewhere. It
/// is always visible.
struct PushNotification: Encodable {
    struct Notification: Encodable {
        let title: String
        let lang: String
        /// A newer notification of the list takes this one's place.
        let tag: String
        /// Where a tap leads: the list in the web app, or its messages.
        let navigate: String
    }

    let web_push = 8030
    let notification: Notification

    init(_ delivery: ClaimedDelivery, app: String) {
        let (people, words) = (delivery.notice.people, NoticeWords.of(delivery.target.language))
        let isConversation = !people.isEmpty && people.allSatisfy(\.onlyWrote)
        notification = Notification(
            title: delivery.target.withContent ? NoticeText(words).content(people) : words.withoutContent,
            lang: words.language, tag: delivery.list.description,
            navigate: "\(app)/#/list/\(delivery.list)\(isConversation ? "/messages" : "")")
    }
}

extension SummarizedPerson {
    /// Whether the person did nothing but write messages.
    fileprivate var onlyWrote: Bool {
        messages > 0 && added + edited + markedOff + unmarked + deleted + moved + listChanges == 0
    }
}
