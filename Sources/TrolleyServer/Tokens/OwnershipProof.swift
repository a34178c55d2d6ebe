import Crypto
import TrolleyJournal
import TrolleyWire

/// Proves that an account has owned a list since a time. Valid for the service that made it, and for one that was
/// restored from its backup.
///
/// 49 bytes in base64url: a version, the account, both times, and 16 bytes of HMAC-SHA256 over these and the list,
/// under the key that authenticates change tokens. A backup contains that key. An emptied service has another key, for
/// which the proof is invalid. Version 1, of 41 bytes, lacks the time when the list was made.
struct OwnershipProof: Hashable, Sendable {
    let list: ListID
    let account: AccountID
    /// When the list was made.
    let born: Timestamp
    /// The time since which the account has owned the list.
    let since: Timestamp
    private let version: UInt8

    /// Separates proofs from other codes under the same key.
    private static let purpose = Array("trolley ownership".utf8)

    init(list: ListID, account: AccountID, born: Timestamp, since: Timestamp) {
        self.init(version: 2, list: list, account: account, born: born, since: since)
    }

    private init(version: UInt8, list: ListID, account: AccountID, born: Timestamp, since: Timestamp) {
        self.version = version
        self.list = list
        self.account = account
        self.born = born
        self.since = since
    }

    /// - Returns: nil when this service did not make the proof for this list.
    init?(_ text: String, list: ListID, key: ChangeToken.Key) {
        guard let bytes = Base64URL.decode(text), Base64URL.encode(bytes) == text, let version = bytes.first,
            [1: 41, 2: 49][version] == bytes.count, let account = UUIDBits(bytes: bytes[1..<17])
        else { return nil }
        func time(at place: Int) -> Timestamp {
            let milliseconds = bytes[place..<place + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Timestamp(milliseconds: Int64(bitPattern: milliseconds))
        }
        // Version 1 contains only `since`. For the account that made the list, both times are the same.
        self.init(
            version: version, list: list, account: AccountID(account), born: time(at: version == 1 ? 17 : 25),
            since: time(at: 17))
        // Compares all bytes, so that the time doesn't depend on where they differ.
        guard zip(code(key), bytes.suffix(16)).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
    }

    func text(key: ChangeToken.Key) -> String { Base64URL.encode(payload + code(key)) }

    private var payload: [UInt8] {
        let times = version == 1 ? [since] : [since, born]
        return [version] + account.bits.bytes
            + times.flatMap { time in
                withUnsafeBytes(of: UInt64(bitPattern: time.milliseconds).bigEndian) { Array($0) }
            }
    }

    private func code(_ key: ChangeToken.Key) -> [UInt8] {
        var code = key
        code.update(data: Self.purpose + payload + list.bits.bytes)
        return Array(code.finalize().prefix(16))
    }
}
