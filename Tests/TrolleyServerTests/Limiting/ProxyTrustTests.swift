import HTTPTypes
import Testing

@testable import TrolleyServer

@Suite("Verified addresses", .timeLimit(.minutes(20)))
struct ProxyTrustTests {
    private static let inner = ["10.0.0.0/8", "127.0.0.1", "2001:db8::/32"].compactMap(IPNetwork.init)

    @Test(
        "the client is the rightmost address that is no proxy of ours",
        arguments: [
            ("10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
            ("10.0.0.1", ["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
            ("10.0.0.1", ["198.51.100.1, 203.0.113.7, 10.2.3.4"], "203.0.113.7"),
            ("10.0.0.1", ["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
            ("10.0.0.1", ["203.0.113.7:4711"], "203.0.113.7"),
            ("10.0.0.1", ["[2001:db9::1]:4711"], "2001:db9::1"),
            ("2001:db8::9", ["203.0.113.7"], "203.0.113.7"),
            ("10.0.0.1", [], "10.0.0.1"),
            ("10.0.0.1", ["unknown"], "10.0.0.1"),
            ("10.0.0.1", ["203.0.113.7, nonsense, 10.2.3.4"], "10.2.3.4"),
            ("10.0.0.1", [""], "10.0.0.1"),
            ("10.0.0.1", ["10.0.0.5"], "10.0.0.5"),
            // Not from a trusted proxy: anybody can write a header.
            ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
            ("::ffff:10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ] as [(String, [String], String)])
    func forwardedFor(peer: String, headers: [String], client: String) {
        var fields = HTTPFields()
        for value in headers { fields.append(HTTPField(name: HTTPField.Name("X-Forwarded-For")!, value: value)) }
        fields.append(HTTPField(name: HTTPField.Name("Forwarded")!, value: "for=192.0.2.99"))
        let trust = ProxyTrust(proxies: Self.inner)
        #expect(trust.client(peer: IPAddress(peer), headers: fields) == IPAddress(client))
        #expect(ProxyTrust().client(peer: IPAddress(peer), headers: fields) == IPAddress(peer), "nobody is trusted")
    }

    @Test(
        "so it is with Forwarded, where that is the header",
        arguments: [
            (#"for=198.51.100.1, for="[2001:db9::1]:4711";proto=https;by=10.0.0.1"#, "2001:db9::1"),
            ("proto=http;For=203.0.113.7", "203.0.113.7"),
            ("for=_hidden", "10.0.0.1"),
        ])
    func forwarded(header: String, client: String) {
        var fields = HTTPFields()
        fields.append(HTTPField(name: HTTPField.Name("Forwarded")!, value: header))
        fields.append(HTTPField(name: HTTPField.Name("X-Forwarded-For")!, value: "192.0.2.99"))
        let trust = ProxyTrust(proxies: Self.inner, header: .forwarded)
        #expect(trust.client(peer: IPAddress("10.0.0.1"), headers: fields) == IPAddress(client))
    }

    @Test("networks are parsed, and other texts are refused")
    func networks() {
        #expect(
            ["10.0.0.0/8", "::/0", "192.0.2.1", "2001:db8::1/128", "0.0.0.0/0"].allSatisfy { IPNetwork($0) != nil })
        #expect(
            ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "x", "::/129", "1.2.3.4/8/8"].allSatisfy {
                IPNetwork($0) == nil
            })
        #expect(IPNetwork("0.0.0.0/0")!.contains(IPAddress("203.0.113.7")!))
        #expect(!IPNetwork("0.0.0.0/0")!.contains(IPAddress("2001:db8::1")!))
    }

    @Test("one IPv6 network counts as one, one IPv4 address by itself")
    func counting() {
        #expect(IPAddress("2001:db8:1:2::1")?.counted == IPAddress("2001:db8:1:2:ffff::9")?.counted)
        #expect(IPAddress("2001:db8:1:2::1")?.counted != IPAddress("2001:db8:1:3::1")?.counted)
        #expect(IPAddress("192.0.2.1")?.counted != IPAddress("192.0.2.2")?.counted)
        #expect(IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
    }
}
