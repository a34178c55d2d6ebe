import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A socket before a PostgreSQL server's own. It passes everything on, except the end of the stream: a client gets the
/// server's last message, and its connection stays open, as while a server process is slow to exit.
final class LingeringSocket: Sendable {
    /// The URL of the database, through this socket.
    let url: String
    private let directory: String
    private let listener: Int32
    private let ended = Atomic(false)

    /// - Parameter url: of a database whose server listens on a Unix socket.
    init(before url: String) throws {
        let parts = url.split(separator: "?host=")
        try #require(parts.count == 2, "the server has no Unix socket: \(url)")
        let server = try #require(String(parts[1]).removingPercentEncoding) + "/.s.PGSQL.5432"
        directory = NSTemporaryDirectory() + "/linger-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        self.url = "\(parts[0])?host=\(directory.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        listener = try #require(Self.open(directory + "/.s.PGSQL.5432", bind))
        try #require(listen(listener, 16) == 0)
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let upstream = Self.open(server, connect) else { return }
                Self.pass(from: client, to: upstream) {}
                Self.pass(from: upstream, to: client) { self.ended.store(true, ordering: .releasing) }
            }
        }
    }

    /// Whether a server process has closed its connection. All that it sent has been passed on.
    var isEnded: Bool { ended.load(ordering: .acquiring) }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func pass(from source: Int32, to target: Int32, atEnd end: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 65536)
            while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
                send(target, buffer, count, Int32(MSG_NOSIGNAL))
            }
            end()
        }
    }

    private static func open(
        _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let outcome = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return outcome == 0 ? descriptor : nil
    }
}
