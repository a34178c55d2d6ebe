#if !hasFeature(Embedded)
    internal import Crypto
#endif

/// A short hash of an entry as a device or the service has it: equal exactly if what decides the fold is equal. It tells
/// nothing of what the person wrote, since nobody can guess the random ids that it is made of too.
///
/// Text form: 16 hexadecimal digits.
public struct EntryHash: Hashable, Sendable {
    private let bits: UInt64
}

extension ConfirmedEntry {
    public var hash: EntryHash {
        var bytes = entry.hashedBytes
        bytes.append("\(sequence.rawValue) \(author) \(device) \(madeAt)")
        return EntryHash(of: bytes)
    }
}

extension JournalEntry {
    /// Of an entry that has no place in the stream yet.
    public var hash: EntryHash { EntryHash(of: hashedBytes) }

    fileprivate var hashedBytes: DigestBytes {
        var bytes = DigestBytes(kind: "trolley-entry-1\n")
        bytes.append("\(id) \(operation) \(cause) \(deviceSequence)")
        bytes.append(item?.description)
        bytes.append(after?.description)
        bytes.append(batch?.description)
        bytes.append(reverts?.description)
        bytes.append(fields)
        return bytes
    }
}

extension EntryHash {
    fileprivate init(of bytes: DigestBytes) {
        bits = SHA256.hash(data: bytes.bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension EntryHash: LosslessStringConvertible {
    public init?(_ description: String) {
        guard description.utf8.count == 16, let bits = UInt64(description, radix: 16) else { return nil }
        self.bits = bits
    }

    public var description: String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
