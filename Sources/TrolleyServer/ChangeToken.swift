import Crypto
import TrolleyJournal

/// Stands for 'all changes of this list up to here'. Devices hand it back unread.
///
/// 33 bytes in base64url: a version, the epoch's first eight bytes, the sequence, and 16 bytes of HMAC-SHA256 over these
/// and the list. So it can't be made up, moved to another list or carried into another epoch; and it opens nothing.
struct ChangeToken: Hashable, Sendable {
    let list: ListID
    /// See DESIGN §3: it changes when a backup was restored or a standby promoted.
    let epoch: UInt64
    let sequence: SequenceNumber

    private static let version: UInt8 = 1

    init(list: ListID, epoch: UUIDBits, sequence: SequenceNumber) {
        self.list = list
        self.epoch = epoch.high
        self.sequence = sequence
    }

    /// - Returns: nil when this service did not make the token for this list.
    init?(_ text: String, list: ListID, key: SymmetricKey) {
        guard let bytes = Base64URL.decode(text), bytes.count == 33, bytes[0] == Self.version else { return nil }
        func word(at offset: Int) -> UInt64 { bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        self.list = list
        epoch = word(at: 1)
        sequence = SequenceNumber(rawValue: Int64(bitPattern: word(at: 9)))
        let expected = code(with: key)
        guard zip(expected, bytes[17...]).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
    }

    func text(key: SymmetricKey) -> String { Base64URL.encode(payload + code(with: key)) }

    private var payload: [UInt8] {
        var bytes = [Self.version]
        for word in [epoch, UInt64(bitPattern: sequence.rawValue)] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
    }

    private func code(with key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: payload + list.bits.bytes, using: key).prefix(16))
    }
}
