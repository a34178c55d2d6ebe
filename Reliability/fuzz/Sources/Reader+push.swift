import FoundationEssentials
import NIOCore
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

extension Reader {
    /// Subscriptions to messages, and the addresses in them.
    static let push = [
        Reader(name: "push-subscription") { bytes in
            if let wanted = try? ByteBuffer(bytes: bytes).decode(PushSubscriptionRequest.self) {
                _ = try? EndpointURL.checked(wanted.endpoint, called: "endpoint", PushSettings())
                if let keys = try? PushKeys(p256dh: wanted.keys.p256dh, auth: wanted.keys.auth) {
                    require(keys.publicKey.count == 65 && keys.secret.count == 16, "keys of another size")
                }
            }
            let now = Timestamp(milliseconds: 1_790_000_000_000)
            if let element = try? XMLReader.read(bytes),
                let register = try? PushRegister(element, PushSettings(), now: now)
            {
                require((1...CalendarPush.longest).contains(register.seconds), "registered for \(register.seconds) s")
            }
        },
        Reader(name: "endpoint") { bytes in
            let text = bytes.text
            guard let url = EndpointURL(text) else { return }
            require(url.text == text && text.hasPrefix(url.isSecure ? "https://" : "http://"), text)
            require(url.host == url.host.lowercased() && !url.host.isEmpty, "a host in another spelling: \(text)")
            require((1...65535).contains(url.port), "port \(url.port): \(text)")
            requireEqual(EndpointURL(url.origin)?.origin, url.origin, "an origin that is none: \(text)")
            if let checked = try? EndpointURL.checked(text, called: "endpoint", PushSettings()) {
                require(checked.isSecure, "an endpoint without TLS: \(text)")
            }
        },
    ]
}
