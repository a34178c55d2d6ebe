import Crypto
import FoundationEssentials
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension OutgoingMessage {
    /// The request of one attempt.
    /// - Parameter now: seconds since 1970.
    init(
        _ delivery: ClaimedDelivery, to url: EndpointURL, identity: PushIdentity, contact: String?, now: Int64
    ) async throws(DeliveryFailure) {
        switch delivery.target.kind {
        case .browser(let keys, let app):
            let authorization = try await identity.authorization(for: url.origin, contact: contact ?? app, now: now)
            self.init(
                headers: [
                    ("content-type", "application/octet-stream"), ("content-encoding", "aes128gcm"),
                    ("authorization", authorization), ("ttl", String(delivery.secondsToLive)),
                    ("topic", Self.topic(of: delivery)), ("urgency", "normal"),
                ],
                body: try PushEncryption().encrypt(Self.json(PushNotification(delivery, app: app)), for: keys))
        case .webhook(let secret):
            let id = "msg_\(delivery.id)"
            let body = try Self.json(WebhookMessage(delivery))
            self.init(
                headers: [
                    ("content-type", "application/json"), ("webhook-id", id), ("webhook-timestamp", String(now)),
                    (
                        "webhook-signature",
                        WebhookSignature(secret: secret).sign(id: id, timestamp: now, body: body)
                    ),
                ], body: body)
        }
    }

    /// A newer message with the same topic takes the place of one that waits at the push service (RFC 8030 §5.4). It
    /// doesn't show which list it is: different people's subscriptions have different topics for one list.
    private static func topic(of delivery: ClaimedDelivery) -> String {
        let hash = SHA256.hash(data: Array("\(delivery.target.id) \(delivery.list)".utf8))
        return Base64URL.encode(Array(hash.prefix(24)))
    }

    private static func json(_ value: some Encodable) throws(DeliveryFailure) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(value)) } catch { throw .invalidEndpoint }
    }
}

extension ClaimedDelivery {
    /// Seconds until the notice is no longer of interest; at least 1.
    fileprivate var secondsToLive: Int64 { max(1, (expiresAt.milliseconds - claimedAt.milliseconds) / 1000) }
}
