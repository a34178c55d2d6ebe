#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ports of this machine's loopback address for programs that are started, or started again, a moment later.
package enum FreePort {
    /// A port on which nothing listens. The system gives none of these to other sockets that bind or connect meanwhile, as it
    /// does with a port that it has chosen itself.
    package static func find() throws -> Int {
        for _ in 0..<1000 {
            let port = Int.random(in: 10_000..<30_000)
            if isFree(port) { return port }
        }
        throw ProgramFailure(description: "there is no free port")
    }

    /// Whether nothing listens on a port, and no connection holds it.
    package static func isFree(_ port: Int) -> Bool {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
