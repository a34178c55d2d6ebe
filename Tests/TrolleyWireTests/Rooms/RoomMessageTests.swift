import Testing
import TrolleyJournal
import TrolleyWire

/// The frozen texts of sockets and rooms.
@Suite("Messages of rooms", .timeLimit(.minutes(20)))
struct RoomMessageTests {
    private static let room = RoomID("0199b2c4-0000-7000-8000-0000000000aa")
    private static let list = ListID("0199b2c4-0000-7000-8000-000000000151")
    private static let account = AccountID("0199b2c4-0000-7000-8000-00000000a11c")
    private static let device = DeviceID("0199b2c4-0000-7000-8000-0000000000d1")
    private static let item = ItemID("0199b2c4-0000-7000-8000-0000000000e1")
    private static let entry = EntryID("0199b2c4-0000-7000-8000-0000000000f1")

    @Test("requests have their frozen form")
    func requests() throws {
        let (room, list) = (try #require(Self.room), try #require(Self.list))
        let (account, device) = (try #require(Self.account), try #require(Self.device))
        let handshake = RoomHandshake(
            room: room, list: list, author: account, device: device, timestamp: 1_772_355_660_000, nonce: "bm9uY2U",
            signature: "c2lnbmF0dXJl")
        let address = RoomAddress(room, on: list)
        #expect(handshake.signedText == "trolley room 2|\(list)|\(room)|\(account)|\(device)|1772355660000|bm9uY2U")
        let frozen: [(SocketRequest, String)] = [
            (.say(address, body: "AbC-_9"), #"{"type":"say","room":"\#(room)","list":"\#(list)","body":"AbC-_9"}"#),
            (.leave(address), #"{"type":"leave","room":"\#(room)","list":"\#(list)"}"#),
            (.hints(lastEventID: nil), #"{"type":"hints"}"#),
            (.hints(lastEventID: "x"), #"{"type":"hints","lastEventID":"x"}"#),
            (
                .join(handshake),
                #"{"type":"join","version":2,"room":"\#(room)","list":"\#(list)","author":"\#(account)","device":"\#(device)","#
                    + #""timestamp":1772355660000,"nonce":"bm9uY2U","signature":"c2lnbmF0dXJl"}"#
            ),
        ]
        for (request, text) in frozen {
            #expect(String(decoding: request.json, as: UTF8.self) == text)
            #expect(try SocketRequest(json: text.utf8) == request)
        }
        // The version before named none.
        let (before, after) = (handshake.unnamed, SocketRequest.join(handshake).json)
        let unnamed = String(decoding: after, as: UTF8.self).replacing(#""version":2,"#, with: "")
        #expect(try SocketRequest(json: unnamed.utf8) == .join(before))
        #expect(try SocketRequest(json: #"{"type":"later","more":[1]}"#.utf8) == .unknown)
        for bad in [
            "{}", "[]", "", #"{"type":"say"}"#, #"{"type":"join","version":2,"room":"\#(room)"}"#,
            #"{"type":"leave","room":1}"#,
        ] {
            #expect(throws: WireError.self) { try SocketRequest(json: bad.utf8) }
        }
    }

    @Test("events have their frozen form")
    func events() throws {
        let (room, list) = (try #require(Self.room), try #require(Self.list))
        let member = RoomMember(account: try #require(Self.account), device: try #require(Self.device))
        let address = RoomAddress(room, on: list)
        let person = #""account":"\#(member.account)","device":"\#(member.device)""#
        let frozen: [(SocketEvent, String)] = [
            (
                .joined(address, remaining: 3_600_000, others: [member]),
                #"{"type":"joined","room":"\#(room)","list":"\#(list)","remaining":3600000,"others":[{\#(person)}]}"#
            ),
            (.entered(address, member), #"{"type":"entered","room":"\#(room)","list":"\#(list)",\#(person)}"#),
            (
                .left(address, member.device),
                #"{"type":"left","room":"\#(room)","list":"\#(list)","device":"\#(member.device)"}"#
            ),
            (
                .said(address, from: member, body: "AAAA"),
                #"{"type":"said","room":"\#(room)","list":"\#(list)",\#(person),"body":"AAAA"}"#
            ),
            (.closed(address, .removed), #"{"type":"closed","room":"\#(room)","list":"\#(list)","reason":"removed"}"#),
            (
                .refused(address, .unknownItem, detail: "no"),
                #"{"type":"refused","room":"\#(room)","list":"\#(list)","code":"unknownItem","detail":"no"}"#
            ),
            (.refused(nil, .invalidArguments, detail: nil), #"{"type":"refused","code":"invalidArguments"}"#),
            (
                .hint("changed", list: list, sequence: SequenceNumber(rawValue: 8), id: "i"),
                #"{"type":"hint","hint":"changed","list":"\#(list)","sequence":8,"id":"i"}"#
            ),
            (.missed, #"{"type":"missed"}"#),
            (.hint("sync", list: nil, sequence: nil, id: "i"), #"{"type":"hint","hint":"sync","id":"i"}"#),
        ]
        for (event, text) in frozen {
            #expect(String(decoding: event.json, as: UTF8.self) == text)
            #expect(try SocketEvent(json: text.utf8) == event)
        }
        #expect(try SocketEvent(json: #"{"type":"later"}"#.utf8) == .unknown)
        #expect(
            try SocketEvent(json: #"{"type":"closed","room":"\#(room)","list":"\#(list)","reason":"later"}"#.utf8)
                == .closed(address, .left))
        #expect(throws: WireError.self) {
            try SocketEvent(json: #"{"type":"said","room":"\#(room)","list":"\#(list)"}"#.utf8)
        }
    }

    @Test("frames have their frozen form, and frames of a later version are unknown")
    func frames() throws {
        let (item, entry) = (try #require(Self.item), try #require(Self.entry))
        let frozen: [(RoomFrame, String)] = [
            (.looking(item), #"{"frame":"looking","item":"\#(item)"}"#), (.looking(nil), #"{"frame":"looking"}"#),
            (.typing(item), #"{"frame":"typing","item":"\#(item)"}"#),
            (
                .tentative(TentativeChange(entry: entry, operation: .add, item: item, text: "milk")),
                #"{"frame":"tentative","entry":"\#(entry)","operation":"add","item":"\#(item)","text":"milk"}"#
            ),
            (
                .tentative(TentativeChange(entry: entry, operation: .markOff, item: item)),
                #"{"frame":"tentative","entry":"\#(entry)","operation":"markOff","item":"\#(item)"}"#
            ),
            (.withdrawn(entry), #"{"frame":"withdrawn","entry":"\#(entry)"}"#),
            (.landed(SequenceNumber(rawValue: 9)), #"{"frame":"landed","sequence":9}"#),
        ]
        for (frame, text) in frozen {
            #expect(String(decoding: frame.json, as: UTF8.self) == text)
            #expect(try RoomFrame(json: text.utf8) == frame)
        }
        #expect(try RoomFrame(json: #"{"frame":"dancing"}"#.utf8) == .unknown)
        // Not an operation that can be tentative.
        for operation in ["later", "renameList", "move"] {
            let text = #"{"frame":"tentative","entry":"\#(entry)","operation":"\#(operation)","item":"\#(item)"}"#
            #expect(try RoomFrame(json: text.utf8) == .unknown)
        }
        #expect(throws: WireError.self) { try RoomFrame(json: #"{"frame":"tentative"}"#.utf8) }
    }

    @Test("a long text is cut between scalars, and the longest frame stays far below the limit of a body")
    func longText() throws {
        let text = String(repeating: "é\u{1F600}", count: 500)
        let change = TentativeChange(
            entry: try #require(Self.entry), operation: .add, item: try #require(Self.item), text: text)
        let cut = try #require(change.text)
        #expect(cut.utf8.count <= TentativeChange.maximumText && text.hasPrefix(cut) && cut.utf8.count > 390)
        let controls = TentativeChange(
            entry: change.entry, operation: .add, item: change.item,
            text: String(repeating: "\u{1}", count: 5000))
        // Sealed: 28 bytes more, and a third more as base64url.
        #expect((RoomFrame.tentative(controls).json.count + 28) * 4 / 3 + 4 <= RoomLimits().charactersPerBody)
    }

    @Test("what a hail seals has its frozen form; another version and a short secret are refused")
    func credentials() throws {
        let room = try #require(Self.room)
        let created = Timestamp(milliseconds: 1_772_355_600_000)
        let credentials = RoomCredentials(
            room: room, secret: [UInt8](repeating: 1, count: 32), createdAt: created,
            expiresAt: created.advanced(byMilliseconds: 3_600_000))
        let secret = Base64URL.encode([UInt8](repeating: 1, count: 32))
        let text =
            #"{"ver":1,"roomID":"\#(room)","secret":"\#(secret)","createdAt":"2026-03-01T09:00:00.000Z","#
            + #""expiresAt":"2026-03-01T10:00:00.000Z"}"#
        #expect(String(decoding: credentials.json, as: UTF8.self) == text)
        #expect(try RoomCredentials(json: text.utf8) == credentials)
        #expect(throws: WireError.self) {
            try RoomCredentials(json: text.replacing(#""ver":1"#, with: #""ver":9"#).utf8)
        }
        #expect(throws: WireError.self) { try RoomCredentials(json: text.replacing(secret, with: "AQ").utf8) }
    }
}

extension RoomHandshake {
    /// The same, as a device of the version before names it.
    fileprivate var unnamed: RoomHandshake {
        var handshake = self
        handshake.version = RoomHandshake.unnamedVersion
        return handshake
    }
}
