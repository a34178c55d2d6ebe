import Crypto
import TrolleyJournal
import TrolleyWire

/// The heads that a device knows, and one event id for all of them. A device that reconnects with the current id has
/// missed nothing. Updating the id costs the same for a thousand lists as for one, because every hint contains it.
struct KnownHeads: Sendable {
    private var heads: [ListID: SequenceNumber] = [:]
    /// The sum of a hash for each list and its head, so that each can be subtracted again.
    private var sum: (UInt64, UInt64) = (0, 0)

    var lists: Dictionary<ListID, SequenceNumber>.Keys { heads.keys }

    subscript(_ list: ListID) -> SequenceNumber? {
        get { heads[list] }
        set {
            let old = heads[list]
            guard old != newValue else { return }
            if let old { add(Self.hash(of: list, at: old), by: &-) }
            if let newValue { add(Self.hash(of: list, at: newValue), by: &+) }
            heads[list] = newValue
        }
    }

    /// 128 bits in base64url.
    var eventID: String {
        Base64URL.encode(
            [sum.0, sum.1].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } })
    }

    private mutating func add(_ hash: (UInt64, UInt64), by operation: (UInt64, UInt64) -> UInt64) {
        sum = (operation(sum.0, hash.0), operation(sum.1, hash.1))
    }

    private static func hash(of list: ListID, at head: SequenceNumber) -> (UInt64, UInt64) {
        var hash = SHA256()
        for word in [list.bits.high, list.bits.low, UInt64(bitPattern: head.rawValue)] {
            withUnsafeBytes(of: word.bigEndian) { hash.update(bufferPointer: $0) }
        }
        return hash.finalize().withUnsafeBytes { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
