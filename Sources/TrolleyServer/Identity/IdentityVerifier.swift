import AsyncHTTPClient
import FoundationEssentials
import JWTKit
import Logging
import NIOCore
import Synchronization
import TrolleyWire

/// Verifies identity tokens by the provider's signature.
///
/// Fetches the provider's keys when a token names an unknown key, but at most once in 30 seconds and for one request at a time,
/// and keeps them.
final class IdentityVerifier: Sendable {
    /// Only public-key signatures: with `none` or a shared secret anybody could make a token.
    static let algorithms: Set = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
    ]
    private static let pause = Duration.seconds(30)

    /// The pause after a failure while no keys are known: a provider that is down is not asked for each sign-in.
    private static let pauseAfterFailure = Duration.seconds(2)

    private struct Keys: Sendable {
        let keys: JWTKeyCollection
        let names: Set<String>
    }

    private struct State {
        var known: Keys?
        /// When the provider has last answered or failed.
        var asked: ContinuousClock.Instant?
        var failure: (any Error)?
        /// The request that is under way.
        var fetching: Task<Keys, any Error>?

        func isRecent(at now: ContinuousClock.Instant, _ pause: Duration) -> Bool {
            asked.map { now - $0 < pause } ?? false
        }
    }

    let provider: IdentityProvider
    private let logger: Logger
    private let state = Mutex(State())

    init(_ provider: IdentityProvider, logger: Logger) {
        self.provider = provider
        self.logger = logger
    }

    /// - Parameter nonce: the one that the token must have; nil: any or none.
    /// - Returns: nil when the token is not valid.
    /// - Throws: when the provider's keys are not available.
    func identity(from token: String, nonce: String? = nil, at now: Date = .now) async throws -> Identity? {
        guard token.utf8.count <= 16 << 10, let header = Header(of: token), Self.algorithms.contains(header.alg) else {
            return refuse("it is not a token, or its algorithm is not accepted")
        }
        let known = try await keys(for: header.kid)
        if let kid = header.kid, !known.names.contains(kid) { return refuse("its key is not among the provider's") }
        do {
            let claims = try await known.keys.verify(token, as: IdentityClaims.self, iteratingKeys: header.kid == nil)
            return claims.identity(for: provider, nonce: nonce, at: now.timeIntervalSince1970)
                ?? refuse("its issuer, audience, nonce or time is wrong")
        } catch {
            return refuse("its signature or its form is invalid")
        }
    }

    private func refuse(_ reason: String) -> Identity? {
        logger.debug("an identity token was refused", metadata: ["reason": "\(reason)"])
        return nil
    }

    private func keys(for kid: String?) async throws -> Keys {
        let now = ContinuousClock.now
        let fetching = try state.withLock { state -> Task<Keys, any Error>? in
            if let known = state.known {
                let isKnown = kid.map(known.names.contains) ?? true
                // While the keys are being fetched, other requests use the old ones.
                if isKnown || state.fetching != nil || state.isRecent(at: now, Self.pause) { return nil }
            } else if let fetching = state.fetching {
                return fetching
            } else if let failure = state.failure, state.isRecent(at: now, Self.pauseAfterFailure) {
                throw failure
            }
            let fetching = Task { try await fetch() }
            state.fetching = fetching
            return fetching
        }
        if let fetching { return try await fetching.value }
        guard let known = state.withLock({ $0.known }) else { throw KeysUnreadable() }
        return known
    }

    /// Fetches the keys, for all requests that wait for them.
    private func fetch() async throws -> Keys {
        do {
            let (keys, names, unusable) = try await Self.read(provider)
            let known = Keys(keys: keys, names: names)
            state.withLock { $0 = State(known: known, asked: .now) }
            logger.info(
                "read the identity provider's keys", metadata: ["keys": "\(names.count)", "unusable": "\(unusable)"])
            return known
        } catch {
            logger.warning("the identity provider's keys can't be read", metadata: ["error": "\(error)"])
            let old = state.withLock { state in
                state = State(known: state.known, asked: .now, failure: error)
                return state.known
            }
            guard let old else { throw error }
            return old
        }
    }

    /// - Returns: the keys, their ids, and the number of keys that can't be used here.
    private static func read(
        _ provider: IdentityProvider
    ) async throws -> (keys: JWTKeyCollection, names: Set<String>, unusable: Int) {
        let bytes: Data
        if provider.keysAreRemote {
            // These keys decide who is signed in, so no redirect is followed.
            bytes = try await IdentityAnswer.body(of: HTTPClientRequest(url: provider.keys), upTo: 1 << 20)
        } else {
            bytes = try Data(contentsOf: URL(filePath: provider.keys))
        }
        // Decodes each key separately: a provider may publish kinds of keys that are unknown here.
        let set = try JSONDecoder().decode(KeySet.self, from: bytes)
        let keys = JWTKeyCollection()
        var names: Set<String> = []
        var unusable = 0
        for (index, element) in set.keys.enumerated() {
            if element.use == "enc" { continue }
            guard var key = element.key else {
                unusable += 1
                continue
            }
            if key.keyIdentifier == nil { key.keyIdentifier = JWKIdentifier(string: "unnamed \(index)") }
            do { try await keys.add(jwk: key) } catch {
                unusable += 1
                continue
            }
            if let name = key.keyIdentifier?.string { names.insert(name) }
        }
        guard !names.isEmpty else { throw KeysUnreadable() }
        return (keys, names, unusable)
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String?

        init?(of token: String) {
            guard let part = token.split(separator: ".").first, let bytes = Base64URL.decode(String(part)),
                let header = try? JSONDecoder().decode(Self.self, from: Data(bytes))
            else { return nil }
            self = header
        }
    }

    private struct KeySet: Decodable {
        struct Element: Decodable {
            let key: JWK?
            let use: String?

            private enum CodingKeys: CodingKey { case use }

            init(from decoder: any Decoder) throws {
                key = try? JWK(from: decoder)
                use = try? decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .use)
            }
        }
        let keys: [Element]
    }
}

/// The provider's JWKS contains no usable key.
struct KeysUnreadable: Error {}
