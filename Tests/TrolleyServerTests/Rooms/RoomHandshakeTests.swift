import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// Handshakes that must not let anybody in.
@Suite("Handshakes that are refused", .timeLimit(.minutes(20)))
struct RoomHandshakeTests {
    /// What the service answers: the status and the problem's code.
    private func outcome(
        _ path: String, _ person: Person?, at service: TestService, headers: [String] = []
    ) async throws -> String {
        try await within {
            try await TestSocket.with(port: service.port, path, token: person?.token, headers: headers) { socket in
                let code = socket.body.firstMatch(of: /"code":"(\w+)"/).map { " \($0.output.1)" } ?? ""
                return "\(socket.status)\(code)"
            }
        }
    }

    @Test("a forged signature, one of another room's secret, and one of other text")
    func forged() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let other = TestRoom(list: scene.list)
            #expect(try await service.hail([], to: other, by: scene.anna).status == 200)
            let forgeries: [(inout RoomHandshake) -> Void] = [
                { $0.signature = Base64URL.encode([UInt8](repeating: 7, count: 32)) },
                { $0.signature = other.sign($0.signedText) },
                { handshake in
                    handshake.signature = scene.room.sign(handshake.signedText)
                    handshake.nonce = TestRoom.nonce()
                },
                { handshake in
                    // Signed for another room with this room's key.
                    var elsewhere = handshake
                    elsewhere.room = other.id
                    handshake.signature = scene.room.sign(elsewhere.signedText)
                },
            ]
            for forgery in forgeries {
                #expect(
                    try await outcome(scene.path(scene.ben, nil, forgery), scene.ben, at: service)
                        == "403 permissionFailure")
            }
            // A handshake for one room doesn't open another.
            let crossed = scene.room.handshake(of: scene.ben)
            let path = "\(Path.roomSocket(other.id))?\(crossed.query)"
            #expect(try await outcome(path, scene.ben, at: service) == "403 permissionFailure")
            #expect(try await outcome(scene.path(scene.ben), scene.ben, at: service) == "101")
        }
    }

    @Test("a handshake of another account or another device, though its signature is right")
    func crossAccount() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let tablet = try await service.signIn(scene.ben.email)
            #expect(try await outcome(scene.path(scene.anna), scene.ben, at: service) == "403 permissionFailure")
            #expect(try await outcome(scene.path(tablet), scene.ben, at: service) == "403 permissionFailure")
            #expect(try await outcome(scene.path(scene.ben), nil, at: service) == "401 notAuthenticated")
            // Somebody who is not on the list, with a secret that leaked.
            let cleo = try await service.person("cleo")
            #expect(try await outcome(scene.path(cleo), cleo, at: service) == "404 unknownItem")
            // The same answer as for a room that doesn't exist.
            #expect(
                try await outcome(scene.path(cleo, TestRoom(list: scene.list)), cleo, at: service) == "404 unknownItem")
            #expect(
                try await outcome(scene.path(scene.ben, TestRoom(list: scene.list)), scene.ben, at: service)
                    == "404 unknownItem")
        }
    }

    @Test("a timestamp outside the clock window, before or after")
    func expired() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            for offset: Int64 in [-40_000, 40_000] {
                let path = scene.path(scene.ben) { $0.timestamp += offset }
                #expect(try await outcome(path, scene.ben, at: service) == "403 permissionFailure")
            }
            for timestamp: Int64 in [.min, .max] {
                let path = scene.path(scene.ben) { $0.timestamp = timestamp }
                #expect(try await outcome(path, scene.ben, at: service) == "403 permissionFailure")
            }
            for offset: Int64 in [-20_000, 20_000] {
                let path = scene.path(scene.ben) { $0.timestamp += offset }
                #expect(try await outcome(path, scene.ben, at: service) == "101")
            }
        }
    }

    @Test("a replayed handshake, at the same process and at another one")
    func replayed() async throws {
        try await TestService.withTwo { one, other in
            let scene = try await RoomScene(one)
            let path = scene.path(scene.ben)
            #expect(try await outcome(path, scene.ben, at: one) == "101")
            #expect(try await outcome(path, scene.ben, at: one) == "403 permissionFailure")
            #expect(try await outcome(path, scene.ben, at: other) == "403 permissionFailure")
        }
    }

    @Test("a handshake that lacks something, or has something of another form")
    func malformed() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let good = scene.path(scene.ben)
            for name in ["list", "author", "device", "timestamp", "nonce", "signature"] {
                let path = good.replacing("\(name)=", with: "other=")
                #expect(try await outcome(path, scene.ben, at: service) == "400 invalidArguments")
            }
            for (nonce, signature) in [("short", nil), (nil, "short"), ("!!", nil)] as [(String?, String?)] {
                let path = scene.path(scene.ben) { handshake in
                    handshake.nonce = nonce ?? handshake.nonce
                    handshake.signature = signature ?? ""
                }
                #expect(try await outcome(path, scene.ben, at: service) == "400 invalidArguments")
            }
            // The connection was no socket before, and is none now.
            #expect(try await outcome("/rooms/no-uuid/socket", scene.ben, at: service) == "404 unknownItem")
        }
    }

    @Test("a request that is no WebSocket's, of another version, or of a page elsewhere")
    func notAnUpgrade() async throws {
        let allowed = try #require(AllowedOrigins("https://app.example.org"))
        try await TestService.with(configure: { $0.origins = allowed }) { service in
            let anna = try await service.person("anna")
            let plain = try await service.call("GET", Path.socket, token: anna.token)
            #expect(try plain.outcome == "426 incompatibleVersion")
            #expect(plain.headers["sec-websocket-version"] == "13")
            let refusals = [
                "Sec-WebSocket-Version: 8": "426 incompatibleVersion", "Upgrade: h2c": "426 incompatibleVersion",
                "Connection: close": "426 incompatibleVersion", "Sec-WebSocket-Key: abc": "400 invalidArguments",
                "Origin: https://evil.example": "403 crossOriginRequest", "Origin: null": "403 crossOriginRequest",
                "Origin: https://lists.example.com.evil.example": "403 crossOriginRequest",
            ]
            for (before, after, expected) in [
                ("HTTP/1.1", "HTTP/1.0", "426 incompatibleVersion"),
                ("Host: lists.example.com\r\n", "", "400 invalidArguments"),
            ] {
                let request = TestSocket.request(Path.socket, token: anna.token).replacing(before, with: after)
                let said = try await within {
                    try await RawConnection.with(port: service.port) { reader, writer in
                        try await writer.write(request)
                        return try await reader.read(until: "}")
                    }
                }
                #expect(said.contains(expected.prefix(3)) && said.contains(expected.dropFirst(4)), "\(said)")
            }
            for (header, expected) in refusals {
                #expect(try await outcome(Path.socket, anna, at: service, headers: [header]) == expected, "\(header)")
            }
            for origin in ["https://lists.example.com", "https://app.example.org"] {
                #expect(try await outcome(Path.socket, anna, at: service, headers: ["Origin: \(origin)"]) == "101")
            }
        }
    }

    @Test("a browser's bearer token comes as a subprotocol and is not repeated")
    func subprotocol() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let offered = "Sec-WebSocket-Protocol: trolley.v1, trolley.bearer.\(anna.token)"
            try await within {
                try await TestSocket.with(port: service.port, Path.socket, token: nil, headers: [offered]) { socket in
                    #expect(socket.status == 101 && socket.headers["sec-websocket-protocol"] == "trolley.v1")
                }
            }
            let wrong = "Sec-WebSocket-Protocol: trolley.v1, trolley.bearer.nobody"
            #expect(try await outcome(Path.socket, nil, at: service, headers: [wrong]) == "401 notAuthenticated")
        }
    }

    @Test("a browser's cookie opens a socket from the service's own pages only, and never without an Origin")
    func cookie() async throws {
        let allowed = try #require(AllowedOrigins("https://app.example.org"))
        try await TestService.with(configure: { $0.origins = allowed }) { service in
            let cookie = "Cookie: \(try await service.signUpInBrowser().cookie)"
            let own = "Origin: http://lists.example.com"
            let outcomes: [([String], String)] = [
                ([own], "101"), ([own, "Sec-Fetch-Site: same-origin"], "101"),
                ([], "403 crossOriginRequest"), (["Sec-Fetch-Site: same-origin"], "403 crossOriginRequest"),
                ([own, "Sec-Fetch-Site: same-site"], "403 crossOriginRequest"),
                ([own, "Sec-Fetch-Site: cross-site"], "403 crossOriginRequest"),
                (["Origin: https://lists.example.com"], "403 crossOriginRequest"),
                (["Origin: https://evil.example"], "403 crossOriginRequest"),
                (["Origin: https://evil.example", "Sec-Fetch-Site: same-origin"], "403 crossOriginRequest"),
                // Pages that the operator allows have tokens, and never the cookie.
                (["Origin: https://app.example.org"], "403 crossOriginRequest"),
                (["Origin: https://app.example.org", "Sec-Fetch-Site: same-origin"], "403 crossOriginRequest"),
            ]
            for (headers, expected) in outcomes {
                let said = try await outcome(Path.socket, nil, at: service, headers: [cookie] + headers)
                #expect(said == expected, "\(headers)")
            }
            #expect(
                try await outcome(Path.socket, nil, at: service, headers: [own, "Cookie: trolley=x"])
                    == "401 notAuthenticated")
        }
    }

    @Test("a hail for somebody who was removed, of somebody who was removed, and from outside")
    func removedPeople() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            try await service.open(scene.list, by: scene.ben)
            try await service.open(scene.list, by: scene.anna)
            #expect(try await service.hail([scene.ben.device], to: scene.room, by: scene.anna).status == 200)
            #expect(try await service.hail([scene.anna.device], to: scene.room, by: scene.ben).status == 200)
            #expect(try await service.hails(on: scene.list, to: scene.anna).map(\.author) == [scene.ben.account])
            let path = Path.participant(scene.ben.account, of: scene.list)
            try await service.call("DELETE", path, token: scene.anna.token)
            #expect(try await service.hails(on: scene.list, to: scene.anna).isEmpty, "he has left one")
            let reading = try await service.call("GET", Path.hails(scene.list), token: scene.ben.token)
            #expect(try reading.outcome == "410 listDeleted")
            // A lease of before doesn't make the removed device reachable.
            let again = try await service.hail([scene.ben.device], to: TestRoom(list: scene.list), by: scene.anna)
            #expect(try again.decode(HailsResponse.self).hailed.isEmpty)
            #expect(try await service.hail([], to: scene.room, by: scene.ben).outcome == "410 listDeleted")
            let cleo = try await service.person("cleo")
            #expect(try await service.hail([], to: scene.room, by: cleo).outcome == "404 listNotFound")
            let reader = try await service.call("GET", Path.hails(scene.list), token: cleo.token)
            #expect(try reader.outcome == "404 listNotFound")
        }
    }

    @Test("hails with another key, of a wrong form, too many and too long")
    func badHails() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            func send(_ body: String) async throws -> String {
                try await service.call("POST", Path.hails(scene.list), token: scene.anna.token, json: body).outcome
            }
            let (room, key) = (scene.room.id, scene.room.keyText)
            let other = TestRoom(list: scene.list).keyText
            #expect(try await send(#"{"room":"\#(room)","key":"\#(other)","hails":[]}"#) == "409 serverRecordChanged")
            #expect(try await send(#"{"room":"\#(room)","key":"abc","hails":[]}"#) == "400 invalidArguments")
            let device = DeviceID.random()
            func hails(_ sealed: String, count: Int = 1, sameDevice: Bool = false) -> String {
                let all = (0..<count).map { _ in
                    #"{"to":"\#(sameDevice ? device : DeviceID.random())","sealed":"\#(sealed)"}"#
                }
                return #"{"room":"\#(room)","key":"\#(key)","hails":[\#(all.joined(separator: ","))]}"#
            }
            #expect(try await send(hails("!")) == "400 invalidArguments")
            #expect(try await send(hails("")) == "400 invalidArguments")
            #expect(try await send(hails(String(repeating: "A", count: 1025))) == "413 limitExceeded")
            #expect(try await send(hails("AAAA", count: 101)) == "413 limitExceeded")
            #expect(try await send(hails("AAAA", count: 2, sameDevice: true)) == "400 invalidArguments")
            #expect(try await send(hails("AAAA", count: 100)) == "200")
        }
    }

    @Test("people who come and go find a room each time: the list's oldest makes way, and a hail makes it known again")
    func manyRooms() async throws {
        try await TestService.with(configure: { $0.rooms.roomsPerList = 2 }) { service in
            let scene = try await RoomScene(service)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    let others = [TestRoom(list: scene.list), TestRoom(list: scene.list)]
                    for room in others { #expect(try await service.hail([], to: room, by: scene.anna).status == 200) }
                    func enters(_ room: TestRoom) async throws -> Int {
                        try await TestSocket.with(
                            port: service.port, scene.path(scene.ben, room), token: scene.ben.token
                        ) { $0.status }
                    }
                    #expect(try await enters(scene.room) == 404)
                    for room in others { #expect(try await enters(room) == 101) }
                    // Who is in it has noticed nothing.
                    #expect(try await service.hail([], to: scene.room, by: scene.anna).status == 200)
                    #expect(try await enters(scene.room) == 101)
                    _ = try await anna.event { $0.isEntered }
                    // Hailing again to a room that is known forgets none.
                    #expect(try await service.hail([], to: others[1], by: scene.ben).status == 200)
                    #expect(try await enters(scene.room) == 101)
                }
            }
        }
    }

    @Test("a person who only reads makes rooms without end, and displaces their own only")
    func othersRooms() async throws {
        try await TestService.with(configure: { $0.rooms.roomsPerList = 2 }) { service in
            let scene = try await RoomScene(service)
            let cleo = try await service.person("cleo")
            try await service.add(cleo, to: scene.list, of: scene.anna, .readOnly)
            var rooms: [TestRoom] = []
            for _ in 0..<30 {
                let room = TestRoom(list: scene.list)
                #expect(try await service.hail([], to: room, by: cleo).status == 200)
                rooms.append(room)
            }
            #expect(try await scene.status(scene.path(scene.ben), as: scene.ben) == 101)
            let (newest, oldest) = (try #require(rooms.last), try #require(rooms.first))
            #expect(try await scene.status(scene.path(scene.ben, newest), as: scene.ben) == 101)
            #expect(try await scene.status(scene.path(scene.ben, oldest), as: scene.ben) == 404)
            let kept = try await service.pool.withConnection { connection in
                try await connection.execute("SELECT count(*) FROM room")[0].decode(Int.self, at: 0)
            }
            #expect(kept == 18, "two that are known, and sixteen that made way")
        }
    }

    @Test("hails beyond an account's rate are refused")
    func hailRate() async throws {
        try await TestService.with(configure: { configuration in
            configuration.rooms.hailsPerMinuteByAccount = 4
            configuration.stopRateClock()
        }) { service in
            // Making the room has taken one.
            let scene = try await RoomScene(service)
            let devices = [DeviceID.random(), .random()]
            #expect(try await service.hail(devices, to: scene.room, by: scene.anna).status == 200)
            let refused = try await service.hail(devices, to: scene.room, by: scene.anna)
            #expect(try refused.outcome == "429 requestRateLimited")
            #expect(refused.headers["retry-after"] != nil)
            #expect(try await service.hail(devices, to: scene.room, by: scene.ben).status == 200)
        }
    }

    @Test("of an account's hails on a list the latest wait, and nobody hides the others' behind their own")
    func waitingHails() async throws {
        try await TestService.with(configure: { $0.rooms.hailsPerList = 2 }) { service in
            let scene = try await RoomScene(service)
            try await service.open(scene.list, by: scene.ben)
            let rooms = (0..<4).map { _ in TestRoom(list: scene.list) }
            for room in rooms {
                #expect(try await service.hail([scene.ben.device], to: room, by: scene.anna).status == 200)
            }
            #expect(try await service.hails(on: scene.list, to: scene.ben).map(\.room) == rooms.suffix(2).map(\.id))
            // As many hails of one sender as are read at a time, and more.
            _ = try await service.pool.withConnection { connection in
                try await connection.execute(
                    """
                    INSERT INTO hail (
                        list_id, id, room_id, account_id, device_id, to_device, sealed, created_at, expires_at)
                    SELECT
                        list_id, gen_random_uuid(), gen_random_uuid(), \(scene.ben.account), device_id, to_device, sealed,
                        created_at - interval '1 minute', expires_at
                    FROM hail, generate_series(1, 60)
                    """)
            }
            let read = try await service.hails(on: scene.list, to: scene.ben)
            #expect(read.count == 100 && Set(rooms.suffix(2).map(\.id)).isSubset(of: read.map(\.room)))
        }
    }

    @Test("sockets beyond the limits of a room, a device, an account and an address, and rooms beyond a socket's")
    func limits() async throws {
        try await TestService.with(configure: { configuration in
            configuration.rooms.socketsPerRoom = 2
            configuration.rooms.socketsPerAccount = 2
            configuration.rooms.socketsPerAddress = 3
            configuration.rooms.socketsPerDevice = 1
            configuration.rooms.roomsPerSocket = 1
        }) { service in
            let scene = try await RoomScene(service)
            let tablet = try await service.signIn(scene.ben.email)
            let tooMany = "429 requestRateLimited"
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await scene.enter(as: scene.ben) { _ in
                        // The room is full.
                        #expect(try await outcome(scene.path(tablet), tablet, at: service) == tooMany)
                        // The device's newer socket takes the place of the older one.
                        try await TestSocket.with(port: service.port, Path.socket, token: scene.anna.token) { newer in
                            #expect(newer.status == 101)
                            let closeCode = try await anna.closeCode()
                            #expect(closeCode == SocketCloseCode.replaced)
                        }
                    }
                }
                try await service.expectSockets(0)
            }
            let (pad, watch) = (try await service.signIn(scene.anna.email), try await service.signIn(scene.anna.email))
            let cleo = try await service.person("cleo")
            let second = TestRoom(list: scene.list)
            #expect(try await service.hail([], to: second, by: scene.anna).status == 200)
            try await within {
                try await scene.enter(as: scene.anna) { anna in
                    try await anna.send(.join(second.handshake(of: scene.anna)))
                    let refused = try await anna.event { _ in true }
                    guard case .refused(second.address, .requestRateLimited, _) = refused else {
                        Issue.record("\(String(describing: refused))")
                        return
                    }
                    try await TestSocket.with(port: service.port, Path.socket, token: pad.token) { _ in
                        // The account has two.
                        let refused = try await outcome(Path.socket, watch, at: service)
                        #expect(refused == tooMany)
                        try await TestSocket.with(port: service.port, Path.socket, token: scene.ben.token) { ben in
                            #expect(ben.status == 101)
                            // The address has three.
                            let refused = try await outcome(Path.socket, cleo, at: service)
                            #expect(refused == tooMany)
                        }
                    }
                }
                try await service.expectSockets(0)
                #expect(try await outcome(Path.socket, cleo, at: service) == "101")
            }
        }
    }
}
