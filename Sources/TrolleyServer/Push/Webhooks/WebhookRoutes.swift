import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Webhooks of an account.
struct WebhookRoutes: Sendable {
    let store: Store
    let settings: PushSettings
    let limits: Limits

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/webhooks") { _, context -> Response in
            try .json(WebhooksResponse(webhooks: try await store.webhooks(of: context.session.account)))
        }
        router.post("v1/webhooks") { request, context -> Response in
            let wanted = try await request.decode(WebhookRequest.self, limits: limits)
            let url = try EndpointURL.checked(wanted.url, called: "url", settings)
            let signature = WebhookSignature(secret: (0..<32).map { _ in .random(in: .min ... .max) })
            var webhook = try await store.createWebhook(
                of: context.session.account, url: url.text, secret: signature.secret,
                withContent: wanted.content ?? false)
            webhook.secret = signature.text
            return try .json(webhook, status: .created)
        }
        router.delete("v1/webhooks/:webhook") { _, context -> Response in
            let webhook: WebhookID = try context.identifier("webhook", otherwise: .unknownItem)
            try await store.deleteWebhook(webhook, of: context.session.account)
            return .noContent
        }
    }
}
