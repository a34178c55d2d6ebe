import Dispatch
import Glibc
import Testing

/// A service that can't answer: a port that accepts connections and never answers, or a proxy that answers with an
/// error.
struct UnavailableService {
    private let socket: CInt

    /// - Parameter status: the rest of the status line, such as `502 Bad Gateway`, and more header lines; nil: no
    ///   answer.
    init(port: String, status: String?) throws {
        let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.socket = socket
        var yes: CInt = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = try #require(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // The kernel accepts connections even if the service doesn't.
        try #require(bound == 0 && listen(socket, 512) == 0)
        guard let status else { return }
        DispatchQueue.global().async { Self.answer(socket, with: status) }
    }

    /// Gives each request the same answer until the socket is closed.
    private static func answer(_ socket: CInt, with status: String) {
        let answer = Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { return }
            if recv(connection, &buffer, buffer.count, 0) > 0 {
                send(connection, answer, answer.count, CInt(MSG_NOSIGNAL))
                shutdown(connection, CInt(SHUT_WR))
                while recv(connection, &buffer, buffer.count, 0) > 0 {}
            }
            Glibc.close(connection)
        }
    }

    func close() {
        shutdown(socket, CInt(SHUT_RDWR))
        Glibc.close(socket)
    }
}
