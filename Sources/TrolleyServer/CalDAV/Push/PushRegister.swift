import HTTPTypes
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// The body of a registration: the endpoint, the triggers and the end that a program asks for.
struct PushRegister {
    let endpoint: EndpointURL
    let keys: PushKeys
    let wantsContent: Bool
    let wantsProperties: Bool
    /// For how long, at most ``CalendarPush/longest``.
    let seconds: Int64

    /// - Parameter now: by the service's clock.
    /// - Throws: `CalendarError`, with the draft's conditions.
    init(_ document: XMLElement, _ settings: PushSettings, now: Timestamp) throws(CalendarError) {
        guard document.name == .push("push-register") else {
            throw CalendarError(.badRequest, nil, "the body isn't a push-register")
        }
        let subscriptions = document.all(.push("subscription"))
        guard subscriptions.count == 1, subscriptions[0].children.count == 1,
            let subscription = subscriptions[0].first(.push("web-push-subscription"))
        else { throw Self.invalid("the body has not exactly one subscription, of Web Push") }
        do throws(Problem) {
            endpoint = try EndpointURL.checked(
                Self.text(.push("push-resource"), of: subscription) ?? "", called: "push-resource", settings)
            let key = subscription.first(.push("subscription-public-key"))
            guard key?.attributes["type"] == "p256dh" else {
                throw Problem(.invalidArguments, "subscription-public-key must have the type p256dh")
            }
            keys = try PushKeys(
                p256dh: key?.text.trimmed ?? "", auth: Self.text(.push("auth-secret"), of: subscription) ?? "")
        } catch { throw Self.invalid(error.detail ?? error.title) }
        // DAVx⁵ doesn't name the encoding. There is only this one.
        guard Self.text(.push("content-encoding"), of: subscription) ?? "aes128gcm" == "aes128gcm" else {
            throw Self.invalid("content-encoding must be aes128gcm")
        }
        // DAVx⁵ names no triggers: it is told of everything.
        let trigger = document.first(.push("trigger"))
        wantsContent = trigger.map { $0.first(.push("content-update")) != nil } ?? true
        wantsProperties = trigger.map { $0.first(.push("property-update")) != nil } ?? true
        guard wantsContent || wantsProperties else {
            throw CalendarError(
                .forbidden, .push("no-supported-trigger"), "a list has content-update and property-update")
        }
        // A time in the past comes from a wrong clock, and is ignored.
        let until = Self.text(.push("expires"), of: document).flatMap { RetryAfter.date($0, now: now) }
        let wanted = until.map { ($0.milliseconds - now.milliseconds) / 1000 } ?? 0
        seconds = wanted > 0 ? min(wanted, CalendarPush.longest) : CalendarPush.longest
    }

    private static func text(_ name: XMLName, of element: XMLElement) -> String? {
        element.first(name)?.text.trimmed
    }

    private static func invalid(_ why: String) -> CalendarError {
        CalendarError(.forbidden, .push("invalid-subscription"), why)
    }
}
