import Crypto
import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

/// A person with a list, and their CalDAV client.
struct CalendarScene {
    let service: TestService
    let anna: Person
    let list: ListID
    /// The client's personal token.
    let token: String

    var path: String { "/dav/lists/\(list)/" }

    static func with(
        token json: String = #"{"name":"Ann's Thunderbird"}"#, limits: Limits = Limits(),
        _ body: (CalendarScene) async throws -> Void
    ) async throws {
        try await TestService.with(limits: limits) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let token = try #require(try await service.personalToken(of: anna, json).token)
            try await body(CalendarScene(service: service, anna: anna, list: list, token: token))
        }
    }

    static func basic(_ email: String, _ password: String) -> String {
        "Basic \(Data("\(email):\(password)".utf8).base64EncodedString())"
    }

    @discardableResult
    func call(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        var headers = headers
        headers["authorization"] = Self.basic(anna.email, token)
        if method == "PUT", headers["content-type"] == nil { headers["content-type"] = "text/calendar; charset=utf-8" }
        return try await service.call(method, path, body: body.map { Array($0.utf8) }, headers: headers)
    }

    /// Writes a task to the list.
    @discardableResult
    func put(
        _ name: String, _ lines: String..., uid: String = "task", headers: [String: String] = [:]
    ) async throws -> Answer {
        try await put(name, lines, uid: uid, headers: headers)
    }

    @discardableResult
    func put(_ name: String, _ lines: [String], uid: String, headers: [String: String]) async throws -> Answer {
        try await call("PUT", path + name, Self.task(uid, lines), headers: headers)
    }

    static func task(_ uid: String, _ lines: [String]) -> String {
        ([
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", "BEGIN:VTODO", "UID:\(uid)",
            "DTSTAMP:20260101T000000Z",
        ]
            + lines + ["END:VTODO", "END:VCALENDAR", ""]).joined(separator: "\r\n")
    }

    /// A task as the service gives it, and its etag.
    func get(_ name: String) async throws -> (text: String, etag: String) {
        let answer = try await call("GET", path + name)
        try #require(answer.status == 200)
        return (answer.text, try #require(answer.headers["etag"]))
    }

    /// Items as every device has them.
    func items() async throws -> [(text: String, fields: [String: String], isMarkedOff: Bool)] {
        let answer = try await service.call("GET", Path.state(list), token: anna.token)
        return try JSONDecoder().decode(ShownList.self, from: Data(answer.body)).items.map { item in
            (item.text, item.fields.compactMapValues(\.self), item.markedOff)
        }
    }

    private struct ShownList: Decodable {
        struct Item: Decodable {
            var text: String
            var markedOff: Bool
            var fields: [String: String?]
        }

        var items: [Item]
    }

    func propfind(_ path: String, depth: String, _ properties: String...) async throws -> Answer {
        try await call(
            "PROPFIND", path,
            #"<propfind xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:s="http://calendarserver.org/ns/" xmlns:a="http://apple.com/ns/ical/"><prop>\#(properties.map { "<\($0)/>" }.joined())</prop></propfind>"#,
            headers: ["depth": depth])
    }

    /// A sync-collection: its answer and the new token.
    func sync(_ token: String) async throws -> (text: String, token: String) {
        let answer = try await call(
            "REPORT", path,
            "<sync-collection xmlns='DAV:'><sync-token>\(token)</sync-token><sync-level>1</sync-level><prop><getetag/></prop></sync-collection>",
            headers: ["depth": "0"])
        try #require(answer.status == 207, "\(answer.text)")
        let found = try #require(answer.text.firstMatch(of: /<d:sync-token>([^<]*)<\/d:sync-token>/)?.output.1)
        return (answer.text, String(found))
    }
}
