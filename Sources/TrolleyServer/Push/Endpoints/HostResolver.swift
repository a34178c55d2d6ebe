import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Resolves hosts with the system's resolver, which blocks a thread.
struct HostResolver: Sendable {
    /// Returns all addresses of a host; none if it can't be resolved. It may block.
    typealias Resolve = @Sendable (String) -> [IPAddress]

    private let resolve: Resolve
    private let threads: NIOThreadPool
    private let loop: any EventLoop

    /// - Parameter threads: names that are resolved at the same time.
    init(threads count: Int, _ resolve: @escaping Resolve = Self.system) {
        self.resolve = resolve
        threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
        loop = MultiThreadedEventLoopGroup.singleton.any()
    }

    /// Doesn't wait for names that are still being resolved.
    func shutDown() { threads.shutdownGracefully { _ in } }

    /// All addresses of a host, in the system's order.
    /// - Throws: `DeliveryFailure` (`unresolvable`). A thread goes on with a name that takes longer than `limit`.
    func addresses(of host: String, within limit: Duration) async throws(DeliveryFailure) -> [IPAddress] {
        let found = loop.makePromise(of: [IPAddress].self)
        let timer = loop.scheduleTask(in: TimeAmount(limit)) { found.fail(DeliveryFailure.unresolvable) }
        let asked = threads.runIfActive(eventLoop: loop) { resolve(host) }
        asked.cascade(to: found)
        defer { timer.cancel() }
        do {
            let addresses = try await found.futureResult.get()
            if !addresses.isEmpty { return addresses }
        } catch {
            // Too late, or shutting down: no address is known.
        }
        throw .unresolvable
    }

    /// The system's resolver.
    @Sendable static func system(_ host: String) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var found: [IPAddress] = []
        var next = first
        while let info = next {
            let bytes = UnsafeRawBufferPointer(start: info.pointee.ai_addr, count: Int(info.pointee.ai_addrlen))
            if let address = IPAddress(family: info.pointee.ai_family, bytes) { found.append(address) }
            next = info.pointee.ai_next
        }
        return found
    }
}

extension IPAddress {
    /// - Parameter bytes: a `sockaddr_in` or `sockaddr_in6`, whose addresses have the same offset on every system.
    fileprivate init?(family: Int32, _ bytes: UnsafeRawBufferPointer) {
        func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
            Number(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
        switch family {
        case AF_INET where bytes.count >= 8: self.init(high: 0, low: 0xFFFF << 32 | UInt64(number(at: 4) as UInt32))
        case AF_INET6 where bytes.count >= 24: self.init(high: number(at: 8), low: number(at: 16))
        default: return nil
        }
    }
}
