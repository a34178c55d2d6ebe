import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A device that the service drives: its calls, and nothing else. docs/protocol.md, 'A hosted device'.
public struct HostedDevice: Sendable {
    /// The service's address and the device's path.
    let url: String
    let token: String

    /// Makes a hosted device with the lists of an account. The device's token opens nothing else of the account, so a bot stores
    /// that and no password.
    /// - Parameter server: the service's address.
    public static func make(
        server: String, email: String, password: String, name: String
    ) async throws -> HostedDevice {
        struct Session: Decodable { var token: String }
        struct Made: Decodable {
            var id: String
            var token: String
        }
        let session: Session = try await decode(
            call("POST", server + "/v1/sessions", ["email": email, "password": password]))
        let made: Made = try await decode(
            call("POST", server + "/v1/hosted", token: session.token, ["name": name]))
        _ = try await call("DELETE", server + "/v1/session", token: session.token)
        return HostedDevice(url: "\(server)/v1/hosted/\(made.id)", token: made.token)
    }

    /// Entries of others that the device has not acknowledged, in order.
    public func arrivals() async throws -> [Arrival] {
        struct Arrivals: Decodable { var entries: [Arrival] }
        let arrivals: Arrivals = try await Self.decode(Self.call("GET", url + "/to-apply", token: token))
        return arrivals.entries
    }

    /// An entry of another device.
    public struct Arrival: Decodable, Sendable {
        var list: String
        var entry: Entry

        struct Entry: Decodable, Sendable {
            var id: String
            var operation: String
            var item: String?
            var fields: Fields?
        }

        struct Fields: Decodable, Sendable { var text: String? }
    }

    /// Makes a change. With the same key, it is made once.
    func change(_ operation: String, _ body: [String: String], key: String) async throws {
        _ = try await Self.call("POST", "\(url)/\(operation)", token: token, key: key, body)
    }

    /// Takes an entry from the queue.
    func acknowledge(_ arrival: Arrival) async throws {
        _ = try await Self.call("POST", url + "/acknowledge", token: token, ["entries": [arrival.entry.id]])
    }

    // MARK: One call

    private static func call(
        _ method: String, _ url: String, token: String? = nil, key: String? = nil, _ body: (any Encodable)? = nil
    ) async throws -> Data {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let key { request.headers.add(name: "Idempotency-Key", value: key) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(try JSONEncoder().encode(body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let bytes = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        guard (200..<300).contains(response.status.code) else {
            throw Refusal(status: Int(response.status.code), body: String(decoding: bytes, as: UTF8.self))
        }
        return bytes
    }

    private static func decode<Answer: Decodable>(_ answer: Data) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: answer)
    }

    /// The service refused a call. `body` is an RFC 9457 problem with a `code`.
    public struct Refusal: Error {
        public var status: Int
        public var body: String
    }
}
