import Crypto
import TrolleyJournal
import TrolleyWire

/// Stands for 'all changes of this list up to here'. Opaque to devices, which send it back.
///
/// 49 bytes in base64url: a version, the epoch's first eight bytes, the sequence, the mark and the floor (below), and
/// 16 bytes of HMAC-SHA256 over these and the list. So a token can't be forged, or used for another list or epoch. It
/// grants no access. Without a mark and a floor it has 33 bytes, as all tokens of version 1 have.
struct ChangeToken: Hashable, Sendable {
    /// Set up once, because the key setup takes longer than a token.
    typealias Key = HMAC<SHA256>

    let list: ListID
    /// The first eight bytes of the epoch's id. The epoch changes when a backup is restored or a standby promoted
    /// (docs/recovery.md).
    let epoch: UInt64
    let sequence: SequenceNumber
    /// When the change at `sequence` was received; nil when unknown. After an older copy of the database is restored,
    /// another change at that place has another time.
    let mark: Timestamp?
    /// Up to this sequence a dropped trail does no harm, because the device began with a snapshot that was made without
    /// it.
    let floor: SequenceNumber

    private static let versions: (plain: UInt8, marked: UInt8) = (1, 2)

    init(
        list: ListID, epoch: UUIDBits, sequence: SequenceNumber, mark: Timestamp? = nil, floor: SequenceNumber = .start
    ) {
        self.list = list
        self.epoch = epoch.high
        self.sequence = sequence
        self.mark = mark
        self.floor = floor > sequence ? floor : sequence
    }

    /// - Returns: nil when this service did not make the token for this list.
    init?(_ text: String, list: ListID, key: Key) {
        guard let bytes = Self.bytes(of: text) else { return nil }
        let isMarked = bytes[0] == Self.versions.marked
        guard isMarked || bytes[0] == Self.versions.plain else { return nil }
        func word(_ index: Int) -> UInt64 {
            bytes.withUnsafeBytes { bytes in
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 1 + index * 8, as: UInt64.self))
            }
        }
        self.list = list
        epoch = word(0)
        sequence = SequenceNumber(rawValue: Int64(bitPattern: word(1)))
        // A mark of 0 means no mark: nothing was received in 1970.
        mark = isMarked && word(2) != 0 ? Timestamp(milliseconds: Int64(bitPattern: word(2))) : nil
        floor = isMarked ? SequenceNumber(rawValue: Int64(bitPattern: word(3))) : sequence
        let isGenuine = Self.withCode(of: bytes.dropLast(16), list: list, key) { code in
            // Compares all bytes, so that the time doesn't depend on where they differ.
            zip(code, bytes.suffix(16)).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
        guard isGenuine else { return nil }
    }

    /// Whether a text has the form of a token. A text without this form was never a token, so the client is faulty. A
    /// token of another epoch, list or version of the service has the form.
    static func isWellFormed(_ text: String) -> Bool { bytes(of: text) != nil }

    /// The bytes of a text that has the form of a token.
    private static func bytes(of text: String) -> [UInt8]? {
        // Each token has exactly one text, but the last character may have spare bits.
        guard text.utf8.count <= 1024, let bytes = Base64URL.decode(text), Base64URL.encode(bytes) == text,
            let version = bytes.first
        else { return nil }
        let hasForm =
            switch version {
            case versions.plain: bytes.count == 33
            case versions.marked: bytes.count == 49
            default: bytes.count >= 33
            }
        return hasForm ? bytes : nil
    }

    func text(key: Key) -> String {
        var bytes = payload
        Self.withCode(of: bytes[...], list: list, key) { bytes.append(contentsOf: $0) }
        return Base64URL.encode(bytes)
    }

    private var payload: [UInt8] {
        let isMarked = mark != nil || floor > sequence
        var words = [epoch, UInt64(bitPattern: sequence.rawValue)]
        if isMarked {
            words += [UInt64(bitPattern: mark?.milliseconds ?? 0), UInt64(bitPattern: floor.rawValue)]
        }
        var bytes = [isMarked ? Self.versions.marked : Self.versions.plain]
        bytes.reserveCapacity(49)
        for word in words { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
        return bytes
    }

    /// Calls `body` with the 16-byte authentication code of a token's bytes.
    private static func withCode<Value>(
        of payload: ArraySlice<UInt8>, list: ListID, _ key: Key,
        _ body: (Slice<UnsafeRawBufferPointer>) -> Value
    ) -> Value {
        var code = key
        code.update(data: payload)
        code.update(data: list.bits.bytes)
        return code.finalize().withUnsafeBytes { body($0.prefix(16)) }
    }
}
