import Testing
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

#if canImport(Glibc)
    import Glibc
#endif

/// The event streams that a device hears.
@Suite(.timeLimit(.minutes(20))) struct EventStreamTests {
    /// A service whose event streams end after one event.
    private final class ShortStreams: ServiceConnection {
        /// What each stream was asked to begin after.
        var begun: AsyncStream<String?> { streams.stream }
        private let streams = AsyncStream.makeStream(of: String?.self)

        func answer(_ call: ServiceCall) async throws(TransportError) -> ServiceAnswer {
            throw .unreachable("the connection was refused")
        }

        func hear(_ call: ServiceCall, opened: () -> Void, _ take: ([UInt8]) -> Bool) async throws {
            streams.continuation.yield(call.lastEventID)
            opened()
            _ = take(Array("id: 7\nevent: changed\ndata: {}\n\n".utf8))
        }

        func close() async {}
    }

    private func signIn(_ device: Device, at server: String = "https://lists.example") async throws {
        try await device.store.signIn(
            AccountSession(
                server: server, token: "t", account: Samples.id(), email: "ann@example.com", name: "Ann",
                device: Samples.id()))
    }

    @Test func `a stream begins after the last event of the one before`() async throws {
        let service = ShortStreams()
        let device = try Device.inMemory(over: service)
        try await signIn(device)
        // The interval is also the longest pause between two streams.
        let events = device.events(every: .milliseconds(10))
        var begun: [String?] = []
        for await id in service.begun {
            begun.append(id)
            if begun.count == 2 { break }
        }
        #expect(begun == [nil, "7"])
        withExtendedLifetime(events) {}
        await device.close()
    }

    #if canImport(Glibc)
        @Test func `a silent stream ends after its own limit, however long a call may take`() async throws {
            let (socket, port) = try silentSocket()
            defer { Glibc.close(socket) }
            let directory = TemporaryDirectory()
            let device = try Device(
                directory: directory.path, connectTimeout: .seconds(60), requestTimeout: .seconds(3600),
                fallbackTimeout: .seconds(3600), silenceLimit: .milliseconds(100), authorities: nil,
                allowsPlainHTTP: false, clock: DeviceTime.now)
            try await signIn(device, at: "http://127.0.0.1:\(port)")
            await #expect(throws: (any Error).self) {
                try await device.transport().hear(after: nil, opened: {}, { _ in true })
            }
            await device.close()
        }

        /// A port at which the kernel accepts connections, and nobody answers.
        private func silentSocket() throws -> (socket: CInt, port: UInt16) {
            let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(socket, address, length) == 0 && listen(socket, 16) == 0
                        ? getsockname(socket, address, &length) : -1
                }
            }
            try #require(result == 0)
            return (socket, UInt16(bigEndian: address.sin_port))
        }
    #endif
}
