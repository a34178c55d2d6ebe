import HTTPTypes
import TrolleyJournal

@testable import TrolleyServer
@testable import TrolleyWire

extension Reader {
    /// Headers and paths of requests and answers.
    static let headers = [
        Reader(name: "cookie") { bytes in
            guard let value = header(bytes) else { return }
            var fields = HTTPFields()
            fields[.cookie] = value
            for isSecure in [false, true] {
                guard let token = SessionCookie.token(in: fields, isSecure: isSecure) else { continue }
                require(!token.isEmpty && !token.contains(";"), "a token with more than its value: \(value)")
                require(value.contains(token), "a token that isn't in the cookie: \(value)")
                // A second cookie of the name makes it doubtful.
                let name = isSecure ? "__Host-trolley" : "trolley"
                fields[.cookie] = "\(value); \(name)=another"
                require(
                    SessionCookie.token(in: fields, isSecure: isSecure) == (token == "another" ? token : nil),
                    "one of several cookies is taken: \(value)")
                fields[.cookie] = value
            }
        },
        Reader(name: "proxy") { bytes in
            guard let value = header(bytes), let proxy = IPNetwork("10.0.0.0/8"), let peer = IPAddress("10.0.0.1")
            else { return }
            for header in ProxyTrust.Header.allCases {
                guard let name = HTTPField.Name(header.rawValue) else { continue }
                var fields = HTTPFields()
                fields[name] = value
                let trust = ProxyTrust(proxies: [proxy], header: header)
                let client = trust.client(peer: peer, headers: fields)
                require(client != nil, "no client at all: \(value)")
                _ = trust.isSecure(peer: peer, headers: fields)
                // What the nearest proxy adds counts, whatever a client has written before it.
                fields[name] = header == .forwarded ? "\(value), for=192.0.2.7" : "\(value), 192.0.2.7"
                requireEqual(
                    trust.client(peer: peer, headers: fields), IPAddress("192.0.2.7"),
                    "a client has chosen its address: \(value)")
            }
            if let address = IPAddress(value) {
                requireEqual(IPAddress(address.description), address, "an address differs after it was written")
            }
            if let network = IPNetwork(value) { _ = network.contains(peer) }
        },
        Reader(name: "retry-after") { bytes in
            let now = Timestamp(milliseconds: 1_790_000_000_000)
            let text = bytes.text
            if let seconds = RetryAfter.seconds(text, now: now) { require(seconds >= 0, "a negative pause: \(text)") }
            _ = RetryAfter.date(text, now: now)?.httpText
        },
        Reader(name: "calendar-path") { bytes in
            // Neither a request's path nor an href in XML can have it.
            if bytes.contains(0) { return }
            let text = bytes.text
            switch CalendarResource(text) {
            case .list(let part)?:
                requireEqual(CalendarResource(CalendarResource.path(ofList: part)), .list(part), text)
            case .item(let part, let name)?:
                let path = CalendarResource.path(ofItem: name, in: part)
                requireEqual(CalendarResource(path), .item(part, name), text)
            default: break
            }
        },
    ]

    /// The text, if it could be a header's value.
    private static func header(_ bytes: [UInt8]) -> String? {
        guard let text = bytes.validText, HTTPField.isValidValue(text) else { return nil }
        return text
    }
}
