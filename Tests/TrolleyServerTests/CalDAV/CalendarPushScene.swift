import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// Anna's list, her CalDAV client, and the push service of that client.
struct CalendarPushScene: Sendable {
    let calendar: CalendarScene
    let receiver: TestReceiver
    let browser = TestBrowser()

    var service: TestService { calendar.service }
    var anna: Person { calendar.anna }
    var list: ListID { calendar.list }
    var endpoint: String { receiver.url("/phone") }

    /// - Parameter settings: messages come at once.
    static func with(
        token json: String = #"{"name":"Ann's phone"}"#,
        settings: @escaping @Sendable (inout PushSettings) -> Void = { _ in },
        answering answer: @escaping @Sendable (ReceivedRequest, Int) async throws -> (Int, [String: String]) = { _, _ in
            (201, [:])
        }, _ body: @escaping @Sendable (CalendarPushScene) async throws -> Void
    ) async throws {
        try await TestReceiver.with(answering: answer) { receiver in
            try await TestService.with(connections: 4, configure: { configure(&$0, settings) }) { service in
                try await body(CalendarPushScene(service: service, token: json, receiver: receiver))
            }
        }
    }

    static func configure(
        _ configuration: inout ServiceConfiguration, _ settings: (inout PushSettings) -> Void = { _ in }
    ) {
        PushScene.configure(&configuration) { push in
            (push.combining, push.spacing) = (.zero, .zero)
            settings(&push)
        }
    }

    init(service: TestService, token json: String, receiver: TestReceiver) async throws {
        let anna = try await service.person("anna")
        let list = try await service.list(of: anna)
        let token = try #require(try await service.personalToken(of: anna, json).token)
        calendar = CalendarScene(service: service, anna: anna, list: list, token: token)
        self.receiver = receiver
    }

    // MARK: Registering

    static let bothTriggers = """
        <trigger><content-update><D:depth>infinity</D:depth></content-update>\
        <property-update><D:depth>1</D:depth><D:prop><D:displayname/></D:prop></property-update></trigger>
        """

    func subscription(to endpoint: String? = nil, of browser: TestBrowser? = nil) -> String {
        let browser = browser ?? self.browser
        return """
            <subscription><web-push-subscription><push-resource>\(endpoint ?? self.endpoint)</push-resource>\
            <content-encoding>aes128gcm</content-encoding>\
            <subscription-public-key type="p256dh">\(browser.p256dh)</subscription-public-key>\
            <auth-secret>\(browser.auth)</auth-secret></web-push-subscription></subscription>
            """
    }

    static func document(_ content: String) -> String {
        #"<push-register xmlns="https://bitfire.at/webdav-push" xmlns:D="DAV:">\#(content)</push-register>"#
    }

    /// Registers a client, such as Anna's.
    /// - Parameter content: of the document, after the subscription.
    @discardableResult
    func register(
        _ client: CalendarScene? = nil, to endpoint: String? = nil, of browser: TestBrowser? = nil,
        _ content: String = CalendarPushScene.bothTriggers
    ) async throws -> Answer {
        try await post(Self.document(subscription(to: endpoint, of: browser) + content), by: client)
    }

    func post(
        _ body: String, type: String = "application/xml", by client: CalendarScene? = nil
    ) async throws -> Answer {
        let client = client ?? calendar
        return try await client.call("POST", client.path, body, headers: ["content-type": type])
    }

    /// The path of the registration that an answer names.
    func path(in answer: Answer) throws -> String {
        let location = try #require(answer.headers["location"])
        try #require(location.hasPrefix(service.url + "/dav/push/"))
        return String(location.dropFirst(service.url.count))
    }

    /// Another program of a person on the list.
    func client(of person: Person) async throws -> CalendarScene {
        let token = try #require(try await service.personalToken(of: person).token)
        return CalendarScene(service: service, anna: person, list: list, token: token)
    }

    // MARK: What lists say

    func properties(
        _ path: String? = nil, depth: String = "0", by client: CalendarScene? = nil
    ) async throws -> Answer {
        let client = client ?? calendar
        return try await client.call(
            "PROPFIND", path ?? client.path,
            """
            <propfind xmlns="DAV:" xmlns:p="https://bitfire.at/webdav-push"><prop><p:transports/><p:topic/>\
            <p:supported-triggers/><sync-token/></prop></propfind>
            """, headers: ["depth": depth])
    }

    func topic(by client: CalendarScene? = nil) async throws -> String {
        let answer = try await properties(by: client)
        return String(try #require(answer.text.firstMatch(of: /<p:topic>([^<]*)<\/p:topic>/)?.output.1))
    }

    func syncToken() async throws -> String {
        let answer = try await properties()
        return String(try #require(answer.text.firstMatch(of: /<d:sync-token>([^<]*)<\/d:sync-token>/)?.output.1))
    }

    // MARK: Changes and messages

    /// Anna adds an item on another device.
    func add(_ text: String, _ deviceSequence: Int64 = 1) async throws {
        _ = try await service.upload([.add(text, deviceSequence)], to: list, by: anna)
    }

    /// The messages that have come, in order.
    func messages(at path: String = "/phone", for browser: TestBrowser? = nil) throws -> [String] {
        let browser = browser ?? self.browser
        return try receiver.log.at(path).map { try browser.decrypt($0.body) }
    }

    /// Waits for as many messages, and returns them.
    func messages(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        try await eventually("messages", sourceLocation: sourceLocation) {
            try messages()
        } until: {
            $0.count >= count
        }
    }

    /// The text of a message.
    func message(_ topic: String, content: String? = nil, properties: Bool = false) -> String {
        PushMessage(topic: topic, content: content != nil, properties: properties, syncToken: content).text
    }

    func rows(_ table: String) async throws -> Int64 {
        let rows = try await service.pool.withConnection {
            try await $0.execute(Query(unescaped: "SELECT count(*) FROM \(table)"))
        }
        return try rows[0].decode(at: 0)
    }

    /// Waits until all registrations need no longer be told of what has happened. Messages for them are in the outbox by then, or
    /// were sent.
    func waitUntilKnown(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let heads = try await service.pool.withConnection {
            try await $0.execute("SELECT head FROM list WHERE id = \(list)")
        }
        let head = try heads[0].decode(Int64.self, at: 0)
        try await eventually("registrations that are behind", sourceLocation: sourceLocation) {
            try await rows("push_registration WHERE told_through < \(head)")
        } until: {
            $0 == 0
        }
    }
}
