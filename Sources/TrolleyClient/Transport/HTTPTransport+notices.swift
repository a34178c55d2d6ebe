import NIOHTTP1
import TrolleySync
import TrolleyWire

// Calls about push subscriptions and webhooks. They are never retried automatically.

extension HTTPTransport {
    func webhooks() async throws(TransportError) -> [WebhookResponse] {
        let response: WebhooksResponse = try await call(.GET, Path.webhooks)
        return response.webhooks
    }

    func createWebhook(_ request: WebhookRequest) async throws(TransportError) -> WebhookResponse {
        try await call(.POST, Path.webhooks, request)
    }

    func deleteWebhook(_ webhook: WebhookID) async throws(TransportError) {
        try await send(.DELETE, Path.webhook(webhook), nil)
    }

    func pushKey() async throws(TransportError) -> String {
        let response: PushKeyResponse = try await call(.GET, Path.pushKey)
        return response.publicKey
    }

    func subscribe(_ request: PushSubscriptionRequest) async throws(TransportError) {
        try await send(.PUT, Path.pushSubscription, encode(request))
    }

    func unsubscribe() async throws(TransportError) { try await send(.DELETE, Path.pushSubscription, nil) }
}
