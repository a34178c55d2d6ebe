import TrolleyJournal
import TrolleySync
public import TrolleyWire

/// What tells the account of others' changes while no device of it is in use: summaries, push subscriptions and webhooks
/// (``Device/notifications``). The service makes and keeps them, so all of these calls need it.
public struct DeviceNotifications: Sendable {
    let device: Device

    /// What others did on the account's lists in sessions that have ended, as far as the person has not read past it,
    /// newest first. Ask on each of ``Device/triggers(every:)``: the event stream announces a new summary.
    ///
    /// All devices of the account get the same summaries; `SessionSummary.list` and `SessionSummary.through`
    /// identify one. A summary is gone when the read mark has passed it (``ShoppingList/markRead(offline:)``), or after two weeks.
    ///
    /// ```swift
    /// for summary in try await device.notifications.summaries() { print(summary.list, summary.people.count) }
    /// ```
    public func summaries() async throws(DeviceError) -> [SessionSummary] {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.summaries()
        }
    }

    /// The account's webhooks, oldest first, without their secrets.
    ///
    /// ```swift
    /// for webhook in try await device.notifications.webhooks() { print(webhook.url, webhook.failing) }
    /// ```
    public func webhooks() async throws(DeviceError) -> [WebhookResponse] {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.webhooks()
        }
    }

    /// Makes a webhook: from now on the service posts the account's summaries to an address, and for lists whose level is
    /// `NotificationLevel.all` messages and added items at once. Each message is signed as Standard Webhooks says.
    ///
    /// ```swift
    /// let webhook = try await device.notifications.createWebhook(url: "https://home.example.com/trolley")
    /// print(webhook.secret ?? "")
    /// ```
    /// - Parameters:
    ///   - url: an `https` address with a public host's name in lower case. Services whose operator allows it also accept
    ///     `http` and private addresses.
    ///   - content: whether messages say who did what, as counts. Otherwise they only say that a list has changed.
    /// - Returns: the webhook with `WebhookResponse.secret`, which nothing returns again: keep it where the messages
    ///   are verified.
    /// - Throws: ``DeviceError/transport(_:)``: `invalidArguments` for an address that the service doesn't accept,
    ///   `quotaExceeded` for an eleventh webhook.
    public func createWebhook(url: String, content: Bool = false) async throws(DeviceError) -> WebhookResponse {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.createWebhook(WebhookRequest(url: url, content: content))
        }
    }

    /// Deletes a webhook with the messages that wait for it.
    ///
    /// ```swift
    /// for webhook in try await device.notifications.webhooks() where webhook.failing {
    ///     try await device.notifications.deleteWebhook(webhook.id)
    /// }
    /// ```
    /// - Throws: ``DeviceError/transport(_:)``: `unknownItem` if the account has no such webhook.
    public func deleteWebhook(_ webhook: WebhookID) async throws(DeviceError) {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.deleteWebhook(webhook)
        }
    }

    /// The service's public key for Web Push (RFC 8292), for the push service's `applicationServerKey`: 65 bytes of P-256
    /// in base64url.
    ///
    /// ```swift
    /// print(try await device.notifications.pushKey())
    /// ```
    public func pushKey() async throws(DeviceError) -> String {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.pushKey()
        }
    }

    /// Subscribes this device to Web Push (RFC 8030), or replaces its subscription, for apps that have one: on Linux
    /// phones and Android by UnifiedPush, or in a web view. Messages are encrypted for the app's keys (RFC 8291).
    ///
    /// The subscription ends when this device signs out, when ``unsubscribe()`` is called, and when the push service
    /// answers 404 or 410, so an app subscribes again when it starts.
    ///
    /// ```swift
    /// try await device.notifications.subscribe(
    ///     to: PushSubscriptionRequest(
    ///         endpoint: "https://push.example.com/abc", keys: .init(p256dh: "B…", auth: "…"), content: true))
    /// ```
    /// - Parameter subscription: the endpoint and keys that the push service has given the app, whether notices say what has
    ///   happened, and their language.
    /// - Throws: ``DeviceError/transport(_:)``: `invalidArguments` for an endpoint or keys that the service doesn't accept.
    public func subscribe(to subscription: PushSubscriptionRequest) async throws(DeviceError) {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.subscribe(subscription)
        }
    }

    /// Ends this device's push subscription. Repeating the call changes nothing.
    ///
    /// ```swift
    /// try await device.notifications.unsubscribe()
    /// ```
    public func unsubscribe() async throws(DeviceError) {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.unsubscribe()
        }
    }
}

extension Device {
    /// Summaries of what others did, push subscriptions and webhooks.
    public var notifications: DeviceNotifications { DeviceNotifications(device: self) }
}
