import Crypto
import TrolleyJournal

/// Proves that an account owned a list since a time, to the service that said so or to one that was restored from its backup.
///
/// 41 bytes in base64url: a version, the account, the time, and 16 bytes of HMAC-SHA256 over these and the list, under the
/// key that authenticates change tokens. A backup has that key; an emptied service has another one, to which the proof says
/// nothing.
struct OwnershipProof: Hashable, Sendable {
    let list: ListID
    let account: AccountID
    /// Since when the account owned the list.
    let since: Timestamp

    private static let version: UInt8 = 1
    /// Keeps a proof from ever being the code of something else.
    private static let purpose = Array("trolley ownership".utf8)

    init(list: ListID, account: AccountID, since: Timestamp) {
        self.list = list
        self.account = account
        self.since = since
    }

    /// - Returns: nil when this service did not make the proof for this list.
    init?(_ text: String, list: ListID, key: ChangeToken.Key) {
        guard let bytes = Base64URL.decode(text), Base64URL.encode(bytes) == text, bytes.count == 41,
            bytes[0] == Self.version, let account = UUIDBits(bytes: bytes[1..<17])
        else { return nil }
        let milliseconds = bytes[17..<25].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(
            list: list, account: AccountID(account), since: Timestamp(milliseconds: Int64(bitPattern: milliseconds)))
        // Each byte is looked at, whichever differs.
        guard zip(code(key), bytes[25...]).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
    }

    func text(key: ChangeToken.Key) -> String { Base64URL.encode(payload + code(key)) }

    private var payload: [UInt8] {
        [Self.version] + account.bits.bytes
            + withUnsafeBytes(of: UInt64(bitPattern: since.milliseconds).bigEndian) { Array($0) }
    }

    private func code(_ key: ChangeToken.Key) -> [UInt8] {
        var code = key
        code.update(data: Self.purpose + payload + list.bits.bytes)
        return Array(code.finalize().prefix(16))
    }
}
