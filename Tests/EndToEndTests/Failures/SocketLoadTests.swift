import FoundationEssentials
import Glibc
import Testing
import TrolleyTestSupport
import TrolleyWire

/// The memory of the real service, when clients do what they shouldn't.
@Suite("Sockets that ask too much", .timeLimit(.minutes(20)))
struct SocketLoadTests {
    @Test("ten thousand frames at once, ten times, and 1,000 half-open sockets leave the service's memory bounded")
    func memory() async throws {
        try await withTemporaryDirectory { directory in
            let arguments = ["--connections-by-address", "3000"]
            try await RunningService.run(dataDirectory: "\(directory)/data", arguments: arguments) { service in
                let ben = try await BareDevice(service.address, email: "ben@example.com", name: "Ben")
                let port = try #require(UInt16(service.port))
                let before = try service.mebibytes("VmRSS")
                // Each says something in a room that doesn't exist, which the service has to answer.
                let flood = RawSocket.frames(
                    10_000, of: #"{"type":"leave","room":"\#(UUID().uuidString.lowercased())"}"#)
                for _ in 0..<10 {
                    let socket = try RawSocket(port)
                    try #require(socket.send(RawSocket.upgrade(token: ben.token)))
                    try #require(socket.read().starts(with: Array("HTTP/1.1 101 ".utf8)))
                    socket.send(flood)
                    // The close code 4029, after the answers to the first hundred.
                    let heard = socket.readToEnd()
                    #expect(heard.firstRange(of: [0x88, 0x02, 0x0F, 0xBD]) != nil)
                }
                let halfOpen = try (0..<1000).map { _ in
                    let socket = try RawSocket(port)
                    socket.send(RawSocket.upgrade(token: ben.token).dropLast(2))
                    return socket
                }
                #expect(try await ben.summaries().isEmpty, "others are served meanwhile")
                let peak = try service.mebibytes("VmHWM")
                #expect(peak - before < 64, "from \(before) MiB to \(peak) MiB")
                withExtendedLifetime(halfOpen) {}
            }
        }
    }

    @Test("twice as many sockets as the service may have open files leave it running, and others are served afterwards")
    func openFiles() async throws {
        try await withTemporaryDirectory { directory in
            try await RunningService.run(dataDirectory: "\(directory)/data", openFiles: 300) { service in
                let ben = try await BareDevice(service.address, email: "ben@example.com", name: "Ben")
                let port = try #require(UInt16(service.port))
                var most = 0
                do {
                    var sockets: [RawSocket] = []
                    for _ in 0..<600 {
                        sockets.append(try RawSocket(port))
                        most = max(most, try service.openFiles)
                    }
                    // Whatever the service hasn't accepted by now, it has to accept or to close.
                    try await eventually("the service closes connections beyond its limit") {
                        most = max(most, try service.openFiles)
                        return sockets.contains { $0.isClosed }
                    }
                    withExtendedLifetime(sockets) {}
                }
                // At 300 it could open nothing any more, and libdispatch would end it.
                #expect(most < 290)
                try await eventually("others are served again") { (try? await ben.summaries()) != nil }
            }
        }
    }
}

extension RunningService {
    fileprivate var openFiles: Int {
        get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count }
    }

    /// A figure of the kernel's about the process.
    fileprivate func mebibytes(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
        return try #require(line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) })
            / 1024
    }
}

/// A connection that sends whatever a test wants.
private final class RawSocket {
    private let descriptor: Int32

    init(_ port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0, "errno \(errno)")
    }

    deinit { close(descriptor) }

    /// - Returns: false when the service has closed the connection.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// What has come; waits for something. Empty at the end.
    func read() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Whether the service has ended the connection. Doesn't wait.
    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }

    func readToEnd() -> [UInt8] {
        var heard: [UInt8] = []
        while true {
            let next = read()
            if next.isEmpty { return heard }
            heard += next
        }
    }

    static func upgrade(token: String) -> [UInt8] {
        Array(
            """
            GET \(Path.socket) HTTP/1.1\r
            Host: localhost\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            Authorization: Bearer \(token)\r
            \r

            """.utf8)
    }

    /// So many masked text frames of fewer than 126 bytes.
    static func frames(_ count: Int, of text: String) -> [UInt8] {
        // With a mask of zeros the text is sent as it is.
        let frame = [0x81, 0x80 | UInt8(text.utf8.count), 0, 0, 0, 0] + Array(text.utf8)
        return Array(repeatElement(frame, count: count).joined())
    }
}
