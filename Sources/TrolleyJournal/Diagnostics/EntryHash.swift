#if !hasFeature(Embedded)
    internal import Crypto
#endif

/// A short hash of an entry on a device or the service: equal exactly if everything that decides the fold is equal. It
/// reveals no text, because the random ids that it includes can't be guessed.
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
    /// The hash of an entry that has no sequence yet.
    public var hash: EntryHash { EntryHash(of: hashedBytes) }

    fileprivate var hashedBytes: DigestBytes {
        var bytes = DigestBytes(kind: "trolley-entry-1\n")
        bytes.append("\(id) \(operationName) \(cause) \(deviceSequence)")
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
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
