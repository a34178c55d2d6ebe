import Crypto
import FoundationEssentials
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension OutgoingMessage {
    /// The request of one attempt.
    /// - Parameter now: seconds since 1970.
    init(
        _ delivery: ClaimedDelivery, to url: EndpointURL, identity: PushIdentity, contact: String?,
        tokenKey: ChangeToken.Key, now: Int64
    ) async throws(DeliveryFailure) {
        switch delivery.target.kind {
        case .browser(let keys, let app):
            self.init(
                headers: try await Self.headers(
                    of: delivery, to: url, identity, contact: contact ?? app, type: "application/octet-stream", now),
                body: try PushEncryption().encrypt(Self.json(PushNotification(delivery, app: app)), for: keys))
        case .calendar(let keys, let origin):
            let message = PushMessage(delivery, tokenKey: tokenKey).text
            self.init(
                headers: try await Self.headers(
                    of: delivery, to: url, identity, contact: contact ?? origin,
                    type: #"application/xml; charset="utf-8""#, now),
                body: try PushEncryption().encrypt(Array(message.utf8), for: keys))
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

    /// The headers for a push service (RFC 8030 §5, 8188, 8292).
    private static func headers(
        of delivery: ClaimedDelivery, to url: EndpointURL, _ identity: PushIdentity, contact: String, type: String,
        _ now: Int64
    ) async throws(DeliveryFailure) -> [(name: String, value: String)] {
        [
            ("content-type", type), ("content-encoding", "aes128gcm"),
            ("authorization", try await identity.authorization(for: url.origin, contact: contact, now: now)),
            ("ttl", String(delivery.secondsToLive)), ("topic", topic(of: delivery)), ("urgency", "normal"),
        ]
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
