import Crypto
import CryptoExtras
import FoundationEssentials
import TrolleyWire

/// A stored password: scrypt (RFC 7914), in the PHC string format `$scrypt$ln=14,r=8,p=5$salt$hash`.
///
/// The text contains the cost, so that the cost can be raised and old hashes still work.
package struct PasswordHash: Hashable, Sendable {
    package struct Cost: Hashable, Sendable {
        /// log2 of scrypt's N.
        package var logRounds: Int
        package var blockSize: Int
        package var parallelism: Int

        package init(logRounds: Int, blockSize: Int, parallelism: Int) {
            self.logRounds = logRounds
            self.blockSize = blockSize
            self.parallelism = parallelism
        }

        /// 16 MiB and five passes: of the settings that OWASP's Password Storage Cheat Sheet rates as equal, one that leaves
        /// the service's memory to others (decision 2401).
        package static let recommended = Cost(logRounds: 14, blockSize: 8, parallelism: 5)

        /// Protects nothing: for tests.
        package static let weak = Cost(logRounds: 4, blockSize: 8, parallelism: 1)
    }

    /// The text in the database.
    package let text: String

    /// Reads a stored hash. A text that is not a hash matches no password.
    package init(stored text: String) { self.text = text }

    /// Hashes a password with a new salt. Takes tens of milliseconds of a core, by design.
    package init(_ password: String, cost: Cost) throws {
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        let hash = try Self.derive(password, salt: salt, cost: cost)
        self.init(cost: cost, salt: salt, hash: hash)
    }

    /// A hash that no password matches. Checking it takes as long as checking any other.
    static func unmatchable(cost: Cost) -> PasswordHash {
        PasswordHash(cost: cost, salt: Array(repeating: 0, count: 16), hash: Array(repeating: 0, count: 32))
    }

    private init(cost: Cost, salt: [UInt8], hash: [UInt8]) {
        let parameters = "ln=\(cost.logRounds),r=\(cost.blockSize),p=\(cost.parallelism)"
        text = "$scrypt$\(parameters)$\(Base64URL.encode(salt))$\(Base64URL.encode(hash))"
    }

    /// Whether this is the password's hash. Takes as long as hashing. A text that is not a hash matches no password.
    /// - Throws: when there is not enough memory.
    package func matches(_ password: String) throws -> Bool {
        guard let (cost, salt, hash) = parsed else { return false }
        let derived = try Self.derive(password, salt: salt, cost: cost)
        // Compares all bytes, so that the time doesn't depend on where they differ.
        return derived.count == hash.count && zip(derived, hash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private var parsed: (Cost, salt: [UInt8], hash: [UInt8])? {
        let parts = text.split(separator: "$", omittingEmptySubsequences: true)
        guard parts.count == 4, parts[0] == "scrypt" else { return nil }
        let numbers = parts[1].split(separator: ",").compactMap { pair in
            pair.split(separator: "=").last.flatMap { Int($0) }
        }
        guard numbers.count == 3, (1...24).contains(numbers[0]), numbers[1] > 0, numbers[2] > 0,
            let salt = Base64URL.decode(String(parts[2])), let hash = Base64URL.decode(String(parts[3]))
        else { return nil }
        return (Cost(logRounds: numbers[0], blockSize: numbers[1], parallelism: numbers[2]), salt, hash)
    }

    private static func derive(_ password: String, salt: [UInt8], cost: Cost) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: 1 << cost.logRounds,
            blockSize: cost.blockSize, parallelism: cost.parallelism)
        return key.withUnsafeBytes { Array($0) }
    }
}
