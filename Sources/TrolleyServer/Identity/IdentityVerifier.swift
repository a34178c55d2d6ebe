import AsyncHTTPClient
import FoundationEssentials
import JWTKit
import Logging
import NIOCore
import Synchronization
import TrolleyWire

/// Verifies identity tokens by the provider's signature.
///
/// Fetches the provider's keys when a token names an unknown key, but at most once in 30 seconds, and keeps them.
final class IdentityVerifier: Sendable {
    /// Only public-key signatures: with `none` or a shared secret anybody could make a token.
    static let algorithms: Set = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
    ]
    private static let pause = Duration.seconds(30)

    private struct State {
        var keys: JWTKeyCollection?
        var names: Set<String> = []
        var fetched: ContinuousClock.Instant?
    }

    let provider: IdentityProvider
    private let logger: Logger
    private let state = Mutex(State())

    init(_ provider: IdentityProvider, logger: Logger) {
        self.provider = provider
        self.logger = logger
    }

    /// - Returns: nil when the token is not valid.
    /// - Throws: when the provider's keys are not available.
    func identity(from token: String, at now: Date = .now) async throws -> Identity? {
        guard token.utf8.count <= 16 << 10, let header = Header(of: token), Self.algorithms.contains(header.alg) else {
            return refuse("it is not a token, or its algorithm is not accepted")
        }
        let (keys, names) = try await keys(for: header.kid)
        if let kid = header.kid, !names.contains(kid) { return refuse("its key is not among the provider's") }
        do {
            let claims = try await keys.verify(token, as: IdentityClaims.self, iteratingKeys: header.kid == nil)
            return claims.identity(for: provider, at: now.timeIntervalSince1970)
                ?? refuse("its issuer, audience or time is wrong")
        } catch {
            return refuse("its signature or its form is invalid")
        }
    }

    private func refuse(_ reason: String) -> Identity? {
        logger.debug("an identity token was refused", metadata: ["reason": "\(reason)"])
        return nil
    }

    private func keys(for kid: String?) async throws -> (JWTKeyCollection, Set<String>) {
        let now = ContinuousClock.now
        // While the keys are being fetched, other requests use the old ones, if there are any.
        let known: (JWTKeyCollection, Set<String>)? = state.withLock { state in
            guard let keys = state.keys else { return nil }
            let isKnown = kid.map(state.names.contains) ?? true
            let isRecent = state.fetched.map { now - $0 < Self.pause } ?? false
            if isKnown || isRecent { return (keys, state.names) }
            state.fetched = now
            return nil
        }
        if let known { return known }
        do {
            let (keys, names, unusable) = try await Self.read(provider)
            state.withLock { $0 = State(keys: keys, names: names, fetched: now) }
            logger.info(
                "read the identity provider's keys", metadata: ["keys": "\(names.count)", "unusable": "\(unusable)"])
            return (keys, names)
        } catch {
            logger.warning("the identity provider's keys can't be read", metadata: ["error": "\(error)"])
            guard let old = state.withLock({ state in state.keys.map { ($0, state.names) } }) else { throw error }
            return old
        }
    }

    /// - Returns: the keys, their ids, and the number of keys that can't be used here.
    private static func read(
        _ provider: IdentityProvider
    ) async throws -> (keys: JWTKeyCollection, names: Set<String>, unusable: Int) {
        let bytes: Data
        if provider.keysAreRemote {
            let response = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: provider.keys), timeout: .seconds(10))
            bytes = Data((try await response.body.collect(upTo: 1 << 20)).readableBytesView)
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
