import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import ServiceLifecycle
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

/// A socket under TLS begins as HTTP/1.1, beside HTTP/2 on the same port.
@Suite("Sockets over TLS", .timeLimit(.minutes(20)))
struct SecureSocketTests {
    /// Two services on one database: the first without TLS, the second with it.
    /// - Parameter isSecure: false: the second is without TLS, too.
    private func withSecureService(
        isSecure: Bool = true, _ body: (_ plain: TestService, _ secure: TestService, Certificate) async throws -> Void
    ) async throws {
        try await Certificate.with { certificate in
            try await TestService.withTwo(
                // The connection itself would wait for an hour: nobody may have to.
                configureSecond: {
                    if isSecure { $0.tls = certificate.files }
                    $0.timeouts.goodbye = .hours(1)
                }
            ) { plain, secure in
                try await body(plain, secure, certificate)
            }
        }
    }

    @Test(
        "a socket opens whether the client names HTTP/1.1 or no protocol, and hears the longest bodies of another",
        arguments: [[], ["http/1.1"]])
    func opened(offering protocols: [String]) async throws {
        try await withSecureService { plain, secure, certificate in
            let scene = try await RoomScene(plain)
            let tls = certificate.trusting(offering: protocols)
            try await within {
                try await scene.enter(as: scene.anna, at: secure, tls: tls) { anna in
                    try await scene.enter(as: scene.ben, at: secure, tls: tls) { ben in
                        // Each body is as long as one may be, so that a frame spans several records.
                        for number in 1...20 {
                            let body = "\(number)" + String(repeating: "A", count: 4094)
                            try await ben.send(.say(scene.room.address, body: body))
                            #expect(try await anna.event { $0.saidBody != nil }?.saidBody == body)
                            try await anna.send(.say(scene.room.address, body: body))
                            #expect(try await ben.event { $0.saidBody != nil }?.saidBody == body)
                        }
                        try await ben.send(raw: TestSocket.frame(0x9, [1, 2, 3]))
                        let pong = try await ben.next()
                        #expect(pong == .pong([1, 2, 3]))
                        try await ben.send(raw: TestSocket.frame(0x8, [0x03, 0xE8]))
                        let left = try await anna.event { if case .left = $0 { true } else { false } }
                        #expect(left == .left(scene.room.address, scene.ben.device))
                        let closeCode = try await ben.closeCode()
                        #expect(closeCode == 1000)
                    }
                }
                try await secure.expectSockets(0)
            }
        }
    }

    @Test("devices at a service without TLS and at one with it hear each other", arguments: [10, 4096], [true, false])
    func mixed(length: Int, isSecure: Bool) async throws {
        try await withSecureService(isSecure: isSecure) { plain, secure, certificate in
            let scene = try await RoomScene(plain)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await scene.enter(
                        as: scene.ben, at: secure, tls: isSecure ? certificate.trusting() : nil
                    ) { ben in
                        // Each process knows of the other's device.
                        try #require(try await anna.event { $0.isEntered } != nil)
                        try #require(try await ben.event { $0.isEntered } != nil)
                        for number in 1...20 {
                            let body = "\(number)" + String(repeating: "A", count: length - 2)
                            try await ben.send(.say(scene.room.address, body: body))
                            #expect(try await anna.event { $0.saidBody != nil }?.saidBody == body)
                            try await anna.send(.say(scene.room.address, body: body))
                            #expect(try await ben.event { $0.saidBody != nil }?.saidBody == body)
                        }
                    }
                }
            }
        }
    }

    @Test("a refused handshake and a broken frame have the same codes as without TLS")
    func refused() async throws {
        try await withSecureService { plain, secure, certificate in
            let scene = try await RoomScene(plain)
            let tls = certificate.trusting()
            try await within {
                let forged = scene.path(scene.ben) { $0.signature = Base64URL.encode([UInt8](repeating: 7, count: 32)) }
                let status = try await TestSocket.with(
                    port: secure.port, forged, token: scene.ben.token, tls: tls
                ) { $0.status }
                #expect(status == 403)
                try await scene.enter(as: scene.ben, at: secure, tls: tls) { ben in
                    try await ben.send(raw: TestSocket.frame(0x1, Array("{}".utf8), isMasked: false))
                    let closeCode = try await ben.closeCode()
                    #expect(closeCode == 1002)
                }
                try await secure.expectSockets(0)
            }
        }
    }

    @Test("a client that closes only its own side, in the middle of a frame, is gone for the others at once")
    func halfClosed() async throws {
        try await withSecureService { plain, secure, certificate in
            let scene = try await RoomScene(plain)
            let tls = certificate.trusting()
            try await within {
                try await scene.enter(as: scene.anna, at: secure, tls: tls) { anna in
                    try await scene.enter(as: scene.ben, at: secure, tls: tls) { ben in
                        try await ben.send(raw: [0x81, 0xFE, 0x10])
                        ben.finish()
                        let left = try await anna.event { if case .left = $0 { true } else { false } }
                        #expect(left == .left(scene.room.address, scene.ben.device))
                    }
                }
                try await secure.expectSockets(0)
            }
        }
    }

    @Test("HTTP/2 goes on beside a socket of the same device, and is told that sockets need HTTP/1.1")
    func besideHTTP2() async throws {
        try await withSecureService { plain, secure, certificate in
            let anna = try await plain.person("anna")
            try await within {
                try await TestSocket.with(
                    port: secure.port, Path.socket, token: anna.token, tls: certificate.trusting()
                ) { socket in
                    #expect(socket.status == 101)
                    try await certificate.client(onlyHTTP1: false) { client in
                        func get(_ path: String) async throws -> HTTPClientResponse {
                            var request = HTTPClientRequest(url: "https://localhost:\(secure.port)\(path)")
                            request.headers.add(name: "authorization", value: "Bearer \(anna.token)")
                            return try await client.execute(request, timeout: .seconds(120))
                        }
                        let refused = try await get(Path.socket)
                        #expect(refused.status == .upgradeRequired && refused.version == .http2)
                        #expect(refused.headers.first(name: "sec-websocket-version") == "13")
                        #expect(refused.headers["upgrade"].isEmpty)
                        #expect(try await get(Path.lists).status == .ok)
                    }
                    try await socket.send(raw: TestSocket.frame(0x9, [7]))
                    let pong = try await socket.next()
                    #expect(pong == .pong([7]))
                }
            }
        }
    }

    @Test("under TLS the cookie is __Host-trolley, and only https pages of the service open a socket with it")
    func cookie() async throws {
        try await withSecureService { plain, secure, certificate in
            let token = try await plain.signUpInBrowser().cookieToken
            let outcomes: [([String], Int)] = [
                (["Cookie: __Host-trolley=\(token)", "Origin: https://lists.example.com"], 101),
                (["Cookie: __Host-trolley=\(token)", "Origin: http://lists.example.com"], 403),
                (["Cookie: __Host-trolley=\(token)", "Origin: https://evil.example"], 403),
                (["Cookie: __Host-trolley=\(token)"], 403),
                (["Cookie: trolley=\(token)", "Origin: https://lists.example.com"], 401),
            ]
            for (headers, expected) in outcomes {
                try await within {
                    let status = try await TestSocket.with(
                        port: secure.port, Path.socket, token: nil, headers: headers, tls: certificate.trusting()
                    ) { $0.status }
                    #expect(status == expected, "\(headers.dropFirst())")
                }
            }
        }
    }

    @Test("a socket under TLS is closed with 'going away' when the service stops, and when its device is signed out")
    func ending() async throws {
        try await withSecureService { plain, secure, certificate in
            let anna = try await plain.person("anna")
            let ben = try await plain.person("ben")
            let tls = certificate.trusting()
            try await within {
                try await TestSocket.with(port: secure.port, Path.socket, token: anna.token, tls: tls) { socket in
                    try await TestSocket.with(port: secure.port, Path.socket, token: ben.token, tls: tls) { other in
                        // At the other service.
                        try await plain.call("DELETE", Path.session, token: ben.token)
                        let closeCode = try await other.closeCode()
                        #expect(closeCode == SocketCloseCode.signedOut)
                    }
                    await secure.group.triggerGracefulShutdown()
                    let closeCode = try await socket.closeCode()
                    #expect(closeCode == 1001)
                }
            }
        }
    }
}
