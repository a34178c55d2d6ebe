import NIOCore

/// An IP address. An IPv4 address is stored as its mapped IPv6 address (RFC 4291 §2.5.5.2), so that all addresses
/// compare.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    private static let mapped: UInt64 = 0xFFFF << 32
    var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }
    /// 127.0.0.0/8 or ::1.
    var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// nil for a Unix socket.
    init?(_ address: SocketAddress?) {
        guard let address else { return nil }
        // The offset of the address in a sockaddr_in and a sockaddr_in6 is the same on every system.
        let (high, low): (UInt64, UInt64) = address.withSockAddr { pointer, size in
            let bytes = UnsafeRawBufferPointer(start: pointer, count: size)
            func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
                Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
            }
            return switch address {
            case .v4: (0, Self.mapped | UInt64(number(at: 4) as UInt32))
            case .v6: (number(at: 8), number(at: 16))
            case .unixDomainSocket: (0, 0)
            }
        }
        if case .unixDomainSocket = address { return nil }
        self.init(high: high, low: low)
    }

    /// Parses `192.0.2.1` and `2001:db8::1`, and the forms that proxies write: `192.0.2.1:4711`, `[2001:db8::1]` and
    /// `[2001:db8::1]:4711`.
    init?(_ text: some StringProtocol) {
        var text = Substring(text)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            text = text[text.index(after: text.startIndex)..<end]
        } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            text = text[..<colon]
        }
        guard let address = try? SocketAddress(ipAddress: String(text), port: 0) else { return nil }
        self.init(address)
    }

    /// `192.0.2.1`, `2001:db8:0:0:0:0:0:1`.
    package var description: String {
        if isIPv4 { return [24, 16, 8, 0].map { String(low >> $0 & 0xFF) }.joined(separator: ".") }
        let groups = [high, low].flatMap { half in [48, 32, 16, 0].map { half >> $0 & 0xFFFF } }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The address that limits count by: the IPv4 address, or the /64 network of an IPv6 subscriber.
    var counted: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }
}

/// A network of addresses: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
package struct IPNetwork: Hashable, Sendable, LosslessStringConvertible {
    private let base: IPAddress
    private let prefix: Int
    package let description: String

    package init?(_ description: String) {
        let parts = description.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let base = IPAddress(parts[0]) else { return nil }
        let bits = base.isIPv4 ? 32 : 128
        guard let length = parts.count == 2 ? Int(parts[1]) : bits, (0...bits).contains(length) else { return nil }
        self.base = base
        prefix = 128 - bits + length
        self.description = description
    }

    /// The addresses of this machine.
    package static let loopback = ["127.0.0.0/8", "::1"].compactMap(IPNetwork.init)

    /// Addresses of this machine, and addresses that are not routed publicly (RFC 1918, 3927, 4193, 4291, 6598).
    static let `private` =
        loopback
        + ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "fc00::/7", "fe80::/10"]
        .compactMap(IPNetwork.init)

    func contains(_ address: IPAddress) -> Bool {
        func agree(_ left: UInt64, _ right: UInt64, bits: Int) -> Bool {
            bits <= 0 || (left ^ right) >> UInt64(64 - min(bits, 64)) == 0
        }
        return agree(base.high, address.high, bits: prefix) && agree(base.low, address.low, bits: prefix - 64)
    }
}
