/// `GET /v1/webhooks`: the account's webhooks, oldest first, without their secrets.
public struct WebhooksResponse: Hashable, Sendable, Codable {
    public var webhooks: [WebhookResponse]

    public init(webhooks: [WebhookResponse]) { self.webhooks = webhooks }
}
