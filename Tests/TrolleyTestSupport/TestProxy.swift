import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A real reverse proxy with a file of deploy/. Only the ports, the host name and the certificate are replaced.
package enum TestProxy: String, CaseIterable, Sendable {
    case nginx, caddy

    /// The installed proxies.
    package static var installed: [TestProxy] { allCases.filter { $0.program != nil } }

    private var program: String? {
        ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(rawValue)" }.first(
            where: FileManager.default.isExecutableFile(atPath:))
    }

    /// Runs the proxy while `body` runs.
    /// - Parameters:
    ///   - service: the port that the service listens on.
    ///   - certificate: of localhost, in PEM; `key` is its key.
    ///   - body: receives the proxy's TLS port.
    package func with<Value>(
        service: Int, certificate: String, key: String, _ body: (Int) async throws -> Value
    ) async throws -> Value {
        guard let program else {
            throw ProgramFailure(description: "\(rawValue) is not installed; see script/bootstrap")
        }
        let directory = "\(NSTemporaryDirectory())/trolley-proxy-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let port = try FreePort.find()
        try configuration(port: port, service: service, certificate: certificate, key: key, in: directory)
            .write(toFile: "\(directory)/configuration", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments =
            switch self {
            case .nginx: ["-p", directory, "-c", "\(directory)/configuration", "-e", "\(directory)/log"]
            case .caddy: ["run", "--adapter", "caddyfile", "--config", "\(directory)/configuration"]
            }
        process.environment = ["HOME": directory, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        try Data().write(to: URL(filePath: "\(directory)/log"))
        let log = FileHandle(forWritingAtPath: "\(directory)/log")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
        defer {
            // Not SIGTERM: it inherits the signals that this thread has blocked.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try await eventually("\(rawValue) listens") {
            if Self.isOpen(port) { return true }
            if process.isRunning { return false }
            let said = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
            throw ProgramFailure(description: "\(rawValue) ended: \(said)")
        }
        return try await body(port)
    }

    private func configuration(
        port: Int, service: Int, certificate: String, key: String, in directory: String
    ) throws -> String {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let file = root.appending(path: self == .nginx ? "deploy/nginx.conf" : "deploy/Caddyfile")
        var text = try String(contentsOf: file, encoding: .utf8)
        let live = "/etc/letsencrypt/live/trolley.example.com"
        let changes =
            switch self {
            case .nginx:
                [
                    ("listen 443 ", "listen 127.0.0.1:\(port) "), ("\(live)/fullchain.pem", certificate),
                    ("\(live)/privkey.pem", key), ("trolley.example.com", "localhost"),
                ]
            case .caddy: [("trolley.example.com {", "https://localhost:\(port) {\n\ttls \(certificate) \(key)")]
            }
        for (shipped, here) in changes + [("127.0.0.1:8080", "127.0.0.1:\(service)")] {
            guard text.contains(shipped) else { throw ProgramFailure(description: "\(file.path) has no '\(shipped)'") }
            text = text.replacingOccurrences(of: shipped, with: here)
        }
        switch self {
        case .nginx:
            // One process, so that no worker stays behind when it ends.
            let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(directory)/\($0);"
            }
            return """
                daemon off;
                master_process off;
                pid \(directory)/pid;
                events {}
                http {
                access_log off;
                \(paths.joined(separator: "\n"))
                \(text)
                }
                """
        case .caddy: return "{\n\tadmin off\n\tauto_https disable_redirects\n}\n\(text)"
        }
    }

    private static func isOpen(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
