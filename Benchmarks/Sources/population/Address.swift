import ArgumentParser
import NIOCore

/// Where a service under load listens. Only this machine may be loaded.
struct Address: ExpressibleByArgument {
    let port: Int

    init?(argument: String) {
        guard let port = Int(argument), (1...65_535).contains(port) else { return nil }
        self.port = port
    }

    var socket: SocketAddress {
        get throws { try SocketAddress(ipAddress: "127.0.0.1", port: port) }
    }

    /// One of 16 million source addresses of this machine, so that households don't all come from one address.
    static func source(_ number: Int) throws -> SocketAddress {
        let place = 0x01_0001 + number
        return try SocketAddress(
            ipAddress: "127.\(1 + place >> 16 & 0x7F).\(place >> 8 & 0xFF).\(place & 0xFF)", port: 0)
    }
}
