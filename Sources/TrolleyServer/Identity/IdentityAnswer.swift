import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix

/// What an identity provider answers.
///
/// It may answer slowly, at length, or lead elsewhere: the whole answer has ten seconds and a limit, and no redirect is followed.
enum IdentityAnswer {
    struct Unusable: Error, CustomStringConvertible {
        let reason: String
        /// What the provider calls it, if it says so (RFC 6749 §5.2).
        var code: String?

        var description: String { reason }
    }

    private struct Refusal: Decodable { let error: String }

    private static let timeout = Duration.seconds(10)

    /// - Parameter maximum: bytes.
    /// - Throws: ``Unusable``, when the status isn't 200 or the time is over; the client's errors.
    static func body(of request: HTTPClientRequest, upTo maximum: Int) async throws -> Data {
        // Also of an answer that comes in drops.
        try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask { try await fetch(request, upTo: maximum) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw Unusable(reason: "it took too long")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Data()
        }
    }

    private static func fetch(_ request: HTTPClientRequest, upTo maximum: Int) async throws -> Data {
        let client = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
        do {
            let response = try await client.execute(request, timeout: .nanoseconds(timeout.nanoseconds))
            let isGood = response.status == .ok
            let body = Data(try await response.body.collect(upTo: maximum).readableBytesView)
            guard isGood else {
                throw Unusable(
                    reason: "it answered \(response.status.code)",
                    code: response.status == .badRequest
                        ? try? JSONDecoder().decode(Refusal.self, from: body).error : nil)
            }
            try await client.shutdown()
            return body
        } catch {
            try? await client.shutdown()
            throw error
        }
    }
}
