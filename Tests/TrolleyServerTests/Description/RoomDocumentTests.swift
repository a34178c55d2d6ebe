import FoundationEssentials
import Synchronization
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Rooms in docs/protocol.md", .timeLimit(.minutes(20)))
struct RoomDocumentTests {
    @Test("a conversation in the messages that it shows has each of them, and no member that it doesn't show")
    func conversation() async throws {
        let document = try RoomDocument()
        let heard = Heard(document)
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let (anna, ben) = (scene.anna, scene.ben)
            try await within {
                try await TestSocket.with(port: service.port, Path.socket, token: anna.token) { first in
                    try await TestSocket.with(port: service.port, Path.socket, token: ben.token) { second in
                        let room = ["room": "\"\(scene.room.id)\"", "list": "\"\(scene.list)\""]
                        func say(_ name: String, _ values: [String: String], on socket: TestSocket) async throws {
                            try await socket.send(text: try document.request(name, values))
                        }
                        try await say("join", scene.room.handshake(of: anna).members, on: first)
                        try await heard.read("joined", on: first)
                        try await say("join", scene.room.handshake(of: ben).members, on: second)
                        try await heard.read("joined", on: second)
                        try await heard.read("entered", on: first)
                        try await say("say", room.merging(["body": "\"AAAA\""]) { $1 }, on: second)
                        try await heard.read("said", on: first)
                        try await say("hints", ["lastEventID": "\"none\""], on: first)
                        try await heard.read("hint", on: first)
                        _ = try await service.upload([.add("milk", 1)], to: scene.list, by: ben)
                        try await heard.read("hint", on: first)
                        try await say("leave", room, on: second)
                        try await heard.read("closed", on: second)
                        try await heard.read("left", on: first)
                        try await say("leave", room, on: second)
                        try await heard.read("refused", on: second)
                        for socket in service.service.rooms.state.withLock({ $0.allSockets }) { socket.tellMissed() }
                        try await heard.read("missed", on: first)
                    }
                }
            }
        }
        #expect(heard.types == Set(document.events.keys), "every message of the service")
        #expect(Set(document.requests.keys) == ["say", "join", "leave", "hints"])
    }

    @Test("its frames are those that devices seal, with the same members")
    func frames() throws {
        let document = try RoomDocument()
        let (item, entry): (ItemID, EntryID) = (.random(), .random())
        let frames: [RoomFrame] = [
            .looking(item), .looking(nil), .typing(item), .typing(nil), .withdrawn(entry),
            .landed(SequenceNumber(rawValue: 7)),
            .tentative(TentativeChange(entry: entry, operation: .add, item: item, text: "milk")),
            .tentative(TentativeChange(entry: entry, operation: .markOff, item: item)),
        ]
        var seen: Set<String> = []
        for frame in frames {
            let (name, members) = try Shape.members(of: frame.json, "frame")
            let shape = try #require(document.frames[name], "\(name)")
            #expect(shape.fits(members), "\(name): \(members)")
            seen.insert(name)
        }
        #expect(seen == Set(document.frames.keys))
    }

    @Test("its close codes and reasons are the library's")
    func codes() throws {
        let text = try RoomDocument().text
        for code in [
            SocketCloseCode.replaced, SocketCloseCode.removed, SocketCloseCode.expired, SocketCloseCode.signedOut,
            SocketCloseCode.tooManyMessages,
        ] { #expect(text.contains("| \(code) |")) }
        for reason in RoomClosure.allCases { #expect(text.contains("`\(reason.rawValue)`")) }
    }
}

/// The messages that a conversation has, each compared with the document.
private final class Heard: Sendable {
    private let document: RoomDocument
    private let seen = Mutex<Set<String>>([])

    init(_ document: RoomDocument) { self.document = document }

    var types: Set<String> { seen.withLock(\.self) }

    /// Reads to a message of this type.
    func read(_ type: String, on socket: TestSocket) async throws {
        while true {
            guard case .text(let text) = try await socket.next() else {
                Issue.record("\(type) didn't come")
                throw CancellationError()
            }
            let (name, members) = try Shape.members(of: Array(text.utf8), "type")
            let shape = try #require(document.events[name], "\(name)")
            #expect(shape.fits(members), "\(text)")
            seen.withLock { _ = $0.insert(name) }
            if name == type { return }
        }
    }
}

/// The members of a message, as the document shows them: `{"type":"say","room","body"}`; a `?` follows an optional one.
private struct Shape {
    var required: Set<String>
    var optional: Set<String>

    func fits(_ members: Set<String>) -> Bool {
        required.isSubset(of: members) && members.isSubset(of: required.union(optional))
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// The message's kind, and its members besides the kind.
    static func members(of json: [UInt8], _ kind: String) throws -> (name: String, members: Set<String>) {
        let object = try JSONDecoder().decode([String: Anything].self, from: Data(json))
        let text = String(decoding: json, as: UTF8.self)
        let name = try #require(text.firstMatch(of: /^\{"(?:type|frame)":"(\w+)"/)?.output.1)
        return (String(name), Set(object.keys).subtracting([kind]))
    }
}

private struct RoomDocument: Sendable {
    /// The section about rooms.
    let text: String
    private(set) var requests: [String: Shape] = [:]
    private(set) var events: [String: Shape] = [:]
    private(set) var frames: [String: Shape] = [:]

    init() throws {
        let document = try String(contentsOf: ProtocolDocumentTests.document, encoding: .utf8)
        let section = try #require(document.firstRange(of: "\n### Rooms\n"))
        let rest = document[section.upperBound...]
        text = String(rest[..<(rest.firstRange(of: "\n### ")?.lowerBound ?? rest.endIndex)])
        let fromService = try #require(text.firstRange(of: "| from the service |")).lowerBound
        for match in text.matches(of: /`\{"(type|frame)":"(\w+)"([^`]*)\}`/) {
            let shape = Self.shape(match.output.3)
            let name = String(match.output.2)
            switch (match.output.1, match.range.lowerBound < fromService) {
            case ("frame", _): frames[name] = shape
            case (_, true): requests[name] = shape
            case (_, false): events[name] = shape
            }
        }
    }

    private static func shape(_ members: Substring) -> Shape {
        var shape = Shape(required: [], optional: [])
        // The members of an element are not the message's.
        for match in members.replacing(/:\[[^\]]*\]/, with: "").matches(of: /"(\w+)"(\??)/) {
            if match.output.2.isEmpty {
                shape.required.insert(String(match.output.1))
            } else {
                shape.optional.insert(String(match.output.1))
            }
        }
        return shape
    }

    /// A message with just the members that the document shows.
    /// - Parameter values: JSON.
    func request(_ name: String, _ values: [String: String]) throws -> [UInt8] {
        let shape = try #require(requests[name])
        let members = try shape.required.union(shape.optional).sorted().map { member in
            "\"\(member)\":\(try #require(values[member], "\(name) needs \(member)"))"
        }
        return Array("{\"type\":\"\(name)\",\(members.joined(separator: ","))}".utf8)
    }
}

extension RoomHandshake {
    /// JSON, by the names of the members.
    fileprivate var members: [String: String] {
        [
            "version": "\(version)", "room": "\"\(room)\"", "list": "\"\(list)\"", "author": "\"\(author)\"",
            "device": "\"\(device)\"",
            "timestamp": "\(timestamp)", "nonce": "\"\(nonce)\"", "signature": "\"\(signature)\"",
        ]
    }
}
