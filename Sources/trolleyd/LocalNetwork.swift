#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The network that this machine is in.
enum LocalNetwork {
    /// This machine's IPv4 address on the way to the rest of the world, which others in its network reach; nil without a
    /// network. Sends nothing: the kernel chooses the address when a datagram's socket gets a destination.
    static func address() -> String? {
        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(9).bigEndian
        // For documentation (RFC 5737): nobody has it.
        address.sin_addr.s_addr = inet_addr("192.0.2.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let found = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { other in
                connect(descriptor, other, size) == 0 && getsockname(descriptor, other, &size) == 0
            }
        }
        guard found, let text = inet_ntoa(address.sin_addr) else { return nil }
        return String(cString: text)
    }
}
