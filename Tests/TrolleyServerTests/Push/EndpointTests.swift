import Synchronization
import Testing
import TrolleyWire

@testable import TrolleyServer

@Suite("Endpoints of push and webhooks", .timeLimit(.minutes(20)))
struct EndpointTests {
    @Test(
        "an address that is not a public host's is refused",
        arguments: [
            "127.0.0.1", "127.8.9.10", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
            "169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.7",
            "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1",
            "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
            "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1",
        ])
    func privateAddresses(text: String) throws {
        #expect(!(try #require(IPAddress(bracketing: text))).isPublic)
    }

    @Test(
        "a public address is accepted",
        arguments: ["1.1.1.1", "8.8.8.8", "100.63.255.255", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700:4700::1111"])
    func publicAddresses(text: String) throws {
        #expect((try #require(IPAddress(bracketing: text))).isPublic)
    }

    @Test("an endpoint has one spelling, so that everything sees the same host in it")
    func spelling() throws {
        let url = try #require(EndpointURL("https://push.example.net:8443/a/b?c=%20d"))
        #expect(url.host == "push.example.net")
        #expect(url.port == 8443)
        #expect(url.origin == "https://push.example.net:8443")
        #expect(EndpointURL("https://push.example.net:443/x")?.origin == "https://push.example.net")
        #expect(EndpointURL("https://push.example.net")?.port == 443)
        for wrong in [
            "", "push.example.net", "ftp://push.example.net/", "https://", "https:///x", "https://user@example.net/",
            "https://a:b@example.net/", "https://Example.net/", "https://example.net/#x", "https://example.net/a b",
            "https://example.net/ü", "https://exämple.net/", "https://[::1]/", "https://example.net:0/",
            "https://example.net:65536/", "https://example.net:/", #"https://example.net\@127.0.0.1/"#,
            "https://example.net?x@127.0.0.1", "https://%31%32%37.0.0.1/", "https://.example.net/",
            "https://example.net./", "https://example.net/" + String(repeating: "x", count: 2048),
        ] { #expect(EndpointURL(wrong) == nil, "\(wrong)") }
    }

    @Test(
        "what follows from an answer",
        arguments: [
            (201, true, DeliveryVerdict.delivered), (204, false, .delivered),
            (302, true, .giveUp(failure: "redirected")),
            (307, false, .giveUp(failure: "redirected")), (404, true, .endTarget), (410, true, .endTarget),
            (410, false, .endTarget), (404, false, .retry(failure: "status 404", after: nil)),
            (429, true, .retry(failure: "status 429", after: nil)),
            (500, false, .retry(failure: "status 500", after: nil)),
            (503, true, .retry(failure: "status 503", after: nil)), (400, true, .giveUp(failure: "status 400")),
            (413, true, .giveUp(failure: "status 413")), (400, false, .retry(failure: "status 400", after: nil)),
        ])
    func verdicts(status: Int, isPush: Bool, verdict: DeliveryVerdict) {
        #expect(DeliveryVerdict(EndpointAnswer(status: status, retryAfter: nil), isPush: isPush) == verdict)
    }

    @Test("the pause grows fourfold up to six hours, varies by half, and respects Retry-After up to an hour")
    func pauses() {
        func pause(_ attempt: Int, retryAfter: Int64? = nil, jitter: Double = 1) -> Int64 {
            RetryPause.after(attempt: attempt, first: 5000, retryAfter: retryAfter, jitter: jitter)
        }
        #expect((1...4).map { pause($0) } == [5000, 20_000, 80_000, 320_000])
        #expect(pause(1, jitter: 0) == 2500)
        #expect(pause(100) == RetryPause.maximum)
        #expect(pause(1, retryAfter: 60) == 60_000)
        #expect(pause(1, retryAfter: .max) == 3_600_000)
        #expect(pause(1, retryAfter: -1) == 5000)
    }

    @Test("a message is signed as Standard Webhooks says")
    func signature() throws {
        // The example of the specification's reference libraries.
        let secret = try #require(Base64URL.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = WebhookSignature(secret: secret).sign(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(
        "an address that a name resolves to is checked at each connection, in every form",
        arguments: [
            "127.0.0.1", "127.1.2.3", "::ffff:127.0.0.1", "::1", "::", "0.0.0.0", "169.254.169.254",
            "::ffff:169.254.169.254",
            "fe80::1", "fd00:ec2::254", "10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
        ])
    func resolved(text: String) async throws {
        let (bad, good) = (try #require(IPAddress(bracketing: text)), try #require(IPAddress("93.184.216.34")))
        let url = try #require(EndpointURL("https://push.example.net/x"))
        for addresses in [[bad], [good, bad], [bad, good]] {
            let client = EndpointClient(settings: PushSettings(), resolve: { _ in addresses })
            await #expect(throws: DeliveryFailure.privateAddress) {
                _ = try await client.post(OutgoingMessage(headers: [], body: []), to: url, failing: false)
            }
            client.shutDown()
        }
    }

    @Test("a name is resolved at each attempt, so one that leads to this machine the second time is refused then")
    func rebinding() async throws {
        let asked = Mutex(0)
        let client = EndpointClient(settings: PushSettings()) { _ in
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            return isFirst ? [] : [IPAddress("127.0.0.1")].compactMap(\.self)
        }
        let url = try #require(EndpointURL("https://push.example.net/x"))
        for failure in [DeliveryFailure.unresolvable, .privateAddress] {
            await #expect(throws: failure) {
                _ = try await client.post(OutgoingMessage(headers: [], body: []), to: url, failing: false)
            }
        }
        client.shutDown()
    }

    @Test(
        "spellings of this machine that only a resolver understands are refused at the connection",
        arguments: ["127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0", "localhost"])
    func spellings(host: String) async throws {
        let url = try #require(EndpointURL("https://\(host)/"))
        let client = EndpointClient(settings: PushSettings())
        // A resolver may know fewer spellings than others do.
        await #expect {
            _ = try await client.post(OutgoingMessage(headers: [], body: []), to: url, failing: false)
        } throws: {
            error in error as? DeliveryFailure == .privateAddress || error as? DeliveryFailure == .unresolvable
        }
        client.shutDown()
    }
}

extension IPAddress {
    /// Also parses IPv6 addresses with one colon pair, which ``init(_:)`` could take for a port.
    fileprivate init?(bracketing text: String) { self.init(text.contains(":") ? "[\(text)]" : text) }
}
