import Crypto
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

/// Anna's list with Ben on it. Ben is told of what Anna does.
struct PushScene: Sendable {
    let service: TestService
    let anna: Person
    let ben: Person
    let list: ListID

    /// - Parameter settings: private addresses are allowed, because the receiver has one, and retries come at once.
    static func with(
        settings: @escaping @Sendable (inout PushSettings) -> Void = { _ in },
        _ body: @escaping @Sendable (PushScene) async throws -> Void
    ) async throws {
        try await TestService.with(connections: 4, configure: { configure(&$0, settings) }) { service in
            try await body(PushScene(service: service))
        }
    }

    static func configure(
        _ configuration: inout ServiceConfiguration, _ settings: (inout PushSettings) -> Void = { _ in }
    ) {
        configuration.push.allowsPrivateAddresses = true
        configuration.push.firstPause = .milliseconds(1)
        configuration.push.timeout = .seconds(60)
        settings(&configuration.push)
    }

    init(service: TestService) async throws {
        self.service = service
        (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
        list = try await service.list(of: anna)
        try await service.add(ben, to: list, of: anna)
    }

    /// A session of Anna's in which she adds two items.
    /// - Parameter number: the first entry's number on her device.
    func visit(from number: Int64 = 1) async throws {
        try await presence("{}")
        _ = try await service.upload([.add("milk", number), .add("eggs", number + 1)], to: list, by: anna)
        try await presence(#"{"present":false}"#)
    }

    private func presence(_ json: String) async throws {
        try await service.call("PUT", Path.presence(list), token: anna.token, json: json)
    }

    func subscribe(_ browser: TestBrowser, to endpoint: String, by person: Person, content: Bool = false) async throws
        -> Answer
    {
        try await service.call(
            "PUT", Path.pushSubscription, token: person.token,
            body: Array(
                #"{"endpoint":"\#(endpoint)","expirationTime":null,"keys":\#(browser.keys),"content":\#(content)}"#.utf8
            ),
            headers: ["origin": "https://lists.example.com"])
    }

    @discardableResult
    func webhook(_ url: String, of person: Person, content: Bool = false) async throws -> WebhookResponse {
        let answer = try await service.call(
            "POST", Path.webhooks, token: person.token, json: #"{"url":"\#(url)","content":\#(content)}"#)
        try #require(answer.status == 201)
        return try answer.decode()
    }

    func rows(_ table: String) async throws -> Int {
        let rows = try await service.pool.withConnection {
            try await $0.execute(Query(unescaped: "SELECT count(*) FROM \(table)"))
        }
        return Int(try rows[0].decode(Int64.self, at: 0))
    }

    /// Waits until there is a summary and nothing waits to be sent.
    func waitUntilSent(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // A summary and its deliveries are committed together.
        try await eventually("summaries", sourceLocation: sourceLocation) {
            try await rows("summary")
        } until: {
            $0 > 0
        }
        try await eventually("deliveries that wait", sourceLocation: sourceLocation) {
            try await rows("push_delivery WHERE dead_at IS NULL")
        } until: {
            $0 == 0
        }
    }

    /// Waits until some delivery was given up, and returns the dead letters as the person's diagnostics show them.
    func deadLetters(
        of person: Person, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let key = #""deadLetters":"#
        let text = try await eventually("diagnostics with dead letters", sourceLocation: sourceLocation) {
            try await service.call("GET", Path.diagnostics, token: person.token).text
        } until: {
            $0.contains(key)
        }
        return String(try #require(text.split(separator: key, maxSplits: 1).last))
    }
}

/// A browser's keys.
struct TestBrowser: Sendable {
    private let key = P256.KeyAgreement.PrivateKey()
    private let secret: [UInt8] = (0..<16).map { _ in .random(in: .min ... .max) }

    var p256dh: String { Base64URL.encode(Array(key.publicKey.x963Representation)) }
    var auth: String { Base64URL.encode(secret) }
    var keys: String { #"{"p256dh":"\#(p256dh)","auth":"\#(auth)"}"# }

    /// Decrypts a message as RFC 8291 §3.4 says. script/push-check does the same by another implementation.
    func decrypt(_ message: [UInt8]) throws -> String {
        let (salt, sender, sealed) = (message[..<16], Array(message[21..<86]), message[86...])
        let shared = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: sender))
        let receiver = Array(key.publicKey.x963Representation)
        let material = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret, sharedInfo: Array("WebPush: info\0".utf8) + receiver + sender,
            outputByteCount: 32)
        func derived(_ info: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, salt: salt, info: Array(info.utf8), outputByteCount: count)
        }
        let nonce = derived("Content-Encoding: nonce\0", 12).withUnsafeBytes { Array($0) }
        let plaintext = try AES.GCM.open(
            .init(nonce: .init(data: nonce), ciphertext: sealed.dropLast(16), tag: sealed.suffix(16)),
            using: derived("Content-Encoding: aes128gcm\0", 16))
        #expect(plaintext.last == 2)
        return String(decoding: plaintext.dropLast(), as: UTF8.self)
    }
}
