import AsyncHTTPClient
import FoundationEssentials
import HummingbirdHTTP2
import NIOCore
import NIOHTTP1
import NIOSSL
import ServiceLifecycle
import Subprocess
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("TLS and HTTP/2", .timeLimit(.minutes(20)))
struct SecureServiceTests {
    @Test("a whole sync over TLS, by HTTP/2 and by HTTP/1.1", arguments: [false, true])
    func sync(onlyHTTP1: Bool) async throws {
        try await Certificate.with { certificate in
            try await TestService.with(configure: { $0.tls = certificate.files }) { service in
                try await certificate.client(onlyHTTP1: onlyHTTP1) { client in
                    let secure = SecureClient(client: client, port: service.port)
                    let anna = try await secure.signUp("anna")
                    let list = ListID.random()
                    _ = try await secure.call(.POST, Path.lists, anna.token, Array(#"{"id":"\#(list)"}"#.utf8))
                    let upload = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)])
                    _ = try await secure.call(.POST, Path.entries(list), anna.token, upload.json)
                    let answer = try await secure.call(.GET, Path.changes(list), anna.token)
                    let config = try await client.execute(
                        secure.request(.GET, "/v1/config", nil, nil), timeout: .seconds(120))
                    #expect(config.headers["strict-transport-security"] == ["max-age=31536000"])
                    #expect(answer.version == (onlyHTTP1 ? .http1_1 : .http2))
                    #expect(try ChangesPage(json: answer.body).entries.count == 1)
                }
            }
        }
    }

    @Test("over TLS a browser's cookie is __Host-trolley with Secure, and opens calls", arguments: [false, true])
    func cookie(onlyHTTP1: Bool) async throws {
        try await Certificate.with { certificate in
            try await TestService.with(configure: { $0.tls = certificate.files }) { service in
                try await certificate.client(onlyHTTP1: onlyHTTP1) { client in
                    let secure = SecureClient(client: client, port: service.port)
                    let form = #"{"email":"a@example.com","name":"a","password":"12345678","cookie":true}"#
                    var signUp = secure.request(.POST, Path.accounts, nil, Array(form.utf8))
                    signUp.headers.add(name: "origin", value: "https://localhost:\(service.port)")
                    let line = try await client.execute(signUp, timeout: .seconds(120)).headers.first(
                        name: "set-cookie")
                    let cookie = try #require(line?.split(separator: ";").first)
                    #expect(line?.hasPrefix("__Host-trolley=") == true && line?.hasSuffix("; Secure") == true)
                    var lists = secure.request(.GET, Path.lists, nil, nil)
                    // Over HTTP/2, browsers send several cookies as one field each (RFC 9113 §8.2.3).
                    lists.headers.add(name: "cookie", value: "theme=dark")
                    lists.headers.add(name: "cookie", value: String(cookie))
                    #expect(try await client.execute(lists, timeout: .seconds(120)).status == .ok)
                }
            }
        }
    }

    @Test("HEAD has the length of GET and no content", arguments: [false, true])
    func head(onlyHTTP1: Bool) async throws {
        try await Certificate.with { certificate in
            try await TestService.with(configure: { $0.tls = certificate.files }) { service in
                try await certificate.client(onlyHTTP1: onlyHTTP1) { client in
                    let secure = SecureClient(client: client, port: service.port)
                    for path in ["/v1/config", "/v1/nothing", "/openapi.yaml"] {
                        let get = try await client.execute(secure.request(.GET, path, nil, nil), timeout: .seconds(120))
                        let content = try await get.body.collect(upTo: 1 << 20)
                        let head = try await client.execute(
                            secure.request(.HEAD, path, nil, nil), timeout: .seconds(120))
                        #expect(head.version == (onlyHTTP1 ? .http1_1 : .http2) && head.status == get.status)
                        #expect(head.headers["content-length"] == ["\(content.readableBytes)"], "\(path)")
                        #expect(try await head.body.collect(upTo: 1 << 20).readableBytes == 0, "\(path)")
                    }
                }
            }
        }
    }

    @Test("events come over HTTP/2, and a client that reconnects with the last id has missed nothing")
    func events() async throws {
        try await Certificate.with { certificate in
            try await TestService.with(
                connections: 4,
                configure: { configuration in
                    configuration.tls = certificate.files
                    // A stream is not a slow request.
                    configuration.timeouts.body = .seconds(3)
                }
            ) { service in
                try await certificate.client(onlyHTTP1: false) { client in
                    let secure = SecureClient(client: client, port: service.port)
                    let phone = try await secure.signUp("anna")
                    let tablet = try await secure.signIn(phone.account.email)
                    let list = ListID.random()
                    _ = try await secure.call(.POST, Path.lists, phone.token, Array(#"{"id":"\#(list)"}"#.utf8))
                    let first = try await secure.events(tablet.token) { heard in
                        if heard.contains("event: sync"), !heard.contains("event: changed") {
                            // Sleeps: longer than a body may take.
                            try await Task.sleep(for: .seconds(4))
                            let upload = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)])
                            _ = try await secure.call(.POST, Path.entries(list), phone.token, upload.json)
                        }
                        return heard.contains("event: changed")
                    }
                    let id = try #require(first.matches(of: /id: (\S+)/).last?.output.1)
                    let second = try await secure.events(tablet.token, last: String(id)) { heard in
                        if heard.isEmpty {
                            let upload = UploadRequest(entries: [UploadEntry(entry: .add("bread", 2), age: 0)])
                            _ = try await secure.call(.POST, Path.entries(list), phone.token, upload.json)
                        }
                        return heard.contains("event: ")
                    }
                    #expect(second.contains("event: changed") && !second.contains("event: sync"))
                }
            }
        }
    }

    @Test("a stream goes with its reader, and ends when its device is signed out", arguments: [false, true])
    func ending(onlyHTTP1: Bool) async throws {
        try await Certificate.with { certificate in
            try await TestService.with(connections: 4, configure: { $0.tls = certificate.files }) { service in
                try await certificate.client(onlyHTTP1: onlyHTTP1) { client in
                    let secure = SecureClient(client: client, port: service.port)
                    let anna = try await secure.signUp("anna")
                    let version: HTTPVersion = onlyHTTP1 ? .http1_1 : .http2
                    _ = try await secure.events(anna.token, version: version) { $0.contains("event: sync") }
                    try await service.expectStreams(0)
                    _ = try await secure.events(anna.token, version: version) { heard in
                        if heard.contains("event: sync") {
                            _ = try await secure.call(.DELETE, Path.session, anna.token)
                        }
                        // Wait until it ends by itself.
                        return false
                    }
                    try await service.expectStreams(0)
                }
            }
        }
    }

    @Test("streams over TLS end when the service stops", arguments: [false, true])
    func stopping(onlyHTTP1: Bool) async throws {
        try await Certificate.with { certificate in
            try await TestService.with(connections: 4, configure: { $0.tls = certificate.files }) { service in
                try await certificate.client(onlyHTTP1: onlyHTTP1) { client in
                    let secure = SecureClient(client: client, port: service.port)
                    let anna = try await secure.signUp("anna")
                    let version: HTTPVersion = onlyHTTP1 ? .http1_1 : .http2
                    _ = try await secure.events(anna.token, version: version) { heard in
                        if heard.contains("event: sync") { await service.group.triggerGracefulShutdown() }
                        return false
                    }
                    try await service.expectStreams(0)
                }
            }
        }
    }

    @Test("a connection that never finishes its handshake is ended")
    func handshake() async throws {
        try await Certificate.with { certificate in
            try await TestService.with(configure: { configuration in
                configuration.tls = certificate.files
                configuration.timeouts.head = .milliseconds(300)
            }) { service in
                let said = try await RawConnection.with(port: service.port) { reader, writer in
                    // A handshake record of 512 bytes, and only its head.
                    try await writer.write([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
                    return try await reader.readToEnd()
                }
                #expect(said == "")
            }
        }
    }

    @Test("the certificate is reloaded; an unreadable one leaves the old one in place")
    func reloading() async throws {
        try await Certificate.with { old in
            try await Certificate.with { new in
                let channels = SecureChannels(files: old.files, logger: .none)
                _ = try channels.begin { _, _, _ in }
                let first = channels.current
                try Data("no certificate".utf8).write(to: URL(filePath: old.files.certificate))
                await channels.reload()
                #expect(channels.current != nil && first != nil)
                for (from, to) in [(new.files.certificate, old.files.certificate), (new.files.key, old.files.key)] {
                    try Data(contentsOf: URL(filePath: from)).write(to: URL(filePath: to))
                }
                await channels.reload()
                #expect(try old.files.read().configuration().certificateChain.count == 1)
            }
        }
    }
}

@Suite("A certificate that can't be used", .timeLimit(.minutes(20)))
struct TLSFilesTests {
    @Test("is said in a sentence, with the file's name")
    func sentences() async throws {
        try await Certificate.with { certificate in
            try await Certificate.with { other in
                let empty = certificate.files.certificate + ".empty"
                try Data().write(to: URL(filePath: empty))
                func sentence(_ certificate: String, _ key: String) -> String {
                    do {
                        _ = try TLSFiles(certificate: certificate, key: key).read().configuration()
                        return "none"
                    } catch { return "\(error)" }
                }
                let (good, key) = (certificate.files.certificate, certificate.files.key)
                #expect(sentence(good, key) == "none")
                #expect(sentence("/nowhere/cert.pem", key) == "/nowhere/cert.pem can't be read: there is no such file")
                #expect(sentence(empty, key) == "\(empty) holds no certificate in PEM")
                #expect(sentence(key, key) == "\(key) holds no certificate in PEM")
                #expect(sentence(good, good) == "\(good) holds no private key in PEM, or one that a password protects")
                #expect(
                    sentence(good, other.files.key)
                        == "the key in \(other.files.key) doesn't belong to the certificate in \(good)")
            }
        }
    }
}

/// A certificate that only a client with the right setting trusts.
struct Certificate: Sendable {
    let files: TLSFiles

    static func with<Value>(_ body: (Certificate) async throws -> Value) async throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appending(path: "trolley-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let files = TLSFiles(
            certificate: directory.appending(path: "cert.pem").path, key: directory.appending(path: "key.pem").path)
        let made = try await Subprocess.run(
            .name("openssl"),
            arguments: [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", files.key, "-out", files.certificate,
            ], output: .discarded, error: .string(limit: 1 << 16))
        #expect(made.terminationStatus.isSuccess, "\(made.standardError)")
        do {
            let value = try await body(Certificate(files: files))
            try FileManager.default.removeItem(at: directory)
            return value
        } catch {
            try FileManager.default.removeItem(at: directory)
            throw error
        }
    }

    /// A client that trusts this certificate.
    /// - Parameter protocols: what it offers by ALPN.
    func trusting(offering protocols: [String] = []) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.file(files.certificate)]
        tls.applicationProtocols = protocols
        return tls
    }

    func client(onlyHTTP1: Bool, _ body: (HTTPClient) async throws -> Void) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = onlyHTTP1 ? .http1Only : .automatic
        configuration.tlsConfiguration = trusting()
        // Long even on a busy machine: by default ten seconds, with the handshake.
        configuration.timeout.connect = .seconds(120)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do { try await body(client) } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }
}

private struct SecureClient: Sendable {
    let client: HTTPClient
    let port: Int

    func request(_ method: HTTPMethod, _ path: String, _ token: String?, _ body: [UInt8]?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "https://localhost:\(port)\(path)")
        request.method = method
        if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
        if let body { request.body = .bytes(body) }
        return request
    }

    func call(
        _ method: HTTPMethod, _ path: String, _ token: String?, _ body: [UInt8]? = nil
    ) async throws -> (version: HTTPVersion, body: [UInt8]) {
        let response = try await client.execute(request(method, path, token, body), timeout: .seconds(120))
        #expect((200..<300).contains(response.status.code), "\(method) \(path)")
        return (response.version, Array(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    func signUp(_ name: String) async throws -> SessionResponse {
        let email = "\(name)@example.com"
        let body = #"{"email":"\#(email)","name":"\#(name)","password":"\#(TestService.password)"}"#
        _ = try await call(.POST, Path.accounts, nil, Array(body.utf8))
        return try await signIn(email)
    }

    func signIn(_ email: String) async throws -> SessionResponse {
        let body = #"{"email":"\#(email)","password":"\#(TestService.password)"}"#
        let answer = try await call(.POST, Path.sessions, nil, Array(body.utf8))
        return try JSONDecoder().decode(SessionResponse.self, from: Data(answer.body))
    }

    /// Reads until `isEnough` is true for everything read so far. It is called once before anything is read.
    func events(
        _ token: String, last: String? = nil, version: HTTPVersion = .http2, isEnough: (String) async throws -> Bool
    ) async throws -> String {
        var request = request(.GET, Path.events, token, nil)
        if let last { request.headers.add(name: "last-event-id", value: last) }
        let response = try await client.execute(request, timeout: .seconds(120))
        #expect(response.status == .ok && response.version == version)
        var heard = ""
        if try await isEnough(heard) { return heard }
        for try await piece in response.body {
            heard += String(buffer: piece)
            if try await isEnough(heard) { break }
        }
        return heard
    }
}
