package import Crypto
package import TrolleyJournal
package import TrolleyWire

/// The keys of a service's receipts, derived from the one that authenticates change tokens.
package struct ReceiptKey: Sendable {
    fileprivate let hash: SipHash.Key
    fileprivate let earlier: HMAC<SHA256>

    package init(_ key: HMAC<SHA256>) {
        var code = key
        // Separates receipts from other codes under the same key.
        code.update(data: Array("trolley receipt, SipHash".utf8))
        hash = code.finalize().withUnsafeBytes { bytes in
            func word(at offset: Int) -> UInt64 {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            return (word(at: 0), word(at: 8))
        }
        earlier = key
    }
}

/// Makes and checks the receipts of a list's entries (`EntryReceipt`): 48 bits of SipHash over the list and all of an entry but
/// its place. A guess costs a request, and 2⁴⁸ are more than any rate allows.
package struct EntryReceipts: Sendable {
    private let list: ListID
    private let key: ReceiptKey
    /// Has the key and the list.
    private let hash: SipHash

    package init(of list: ListID, key: ReceiptKey) {
        self.list = list
        self.key = key
        var hash = SipHash(key: key.hash)
        hash.append(list.bits.high)
        hash.append(list.bits.low)
        self.hash = hash
    }

    /// Calls `body` with the receipt's characters.
    func withReceipt<R>(of entry: borrowing StoredEntry, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        var code = SipReceiptCode(hash)
        code.append(entry)
        return Self.withText(of: code.code, body)
    }

    /// Whether the service has accepted the entry with this origin.
    func isValid(_ origin: EntryOrigin, of entry: JournalEntry) -> Bool {
        guard let receipt = origin.receipt else { return false }
        return StoredEntry.with(entry, from: origin) { stored in
            var code = SipReceiptCode(hash)
            code.append(stored)
            var earlier = EarlierReceiptCode(of: list, key: key.earlier)
            earlier.append(stored)
            return [code.code, earlier.code].contains { Self.withText(of: $0) { isEqual($0, receipt.text.utf8) } }
        }
    }

    /// Compares all bytes, so that the time doesn't depend on where they differ.
    private func isEqual(_ code: UnsafeRawBufferPointer, _ text: String.UTF8View) -> Bool {
        zip(code, text).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Calls `body` with 48 bits in base64url, the highest first.
    private static func withText<R>(of code: UInt64, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        // A table: eight calls of `Base64URL.digit` take more than half as long as the hash.
        let digits = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" as StaticString).utf8Start
        return withUnsafeTemporaryAllocation(byteCount: EntryReceipt.count, alignment: 1) { text in
            for place in 0..<EntryReceipt.count {
                text[place] = digits[Int(truncatingIfNeeded: code >> UInt64(42 - 6 * place) & 63)]
            }
            return body(UnsafeRawBufferPointer(text))
        }
    }
}

extension UploadBody {
    /// The upload without origins that this service did not confirm. Such entries count as their sender's. Words that the
    /// sender brings in somebody else's name say whose they are.
    package func keepingOrigins(
        confirmedIn list: ListID, from sender: AccountID, key: ReceiptKey
    ) -> UploadBody {
        guard items.contains(where: { $0.origin != nil }) else { return self }
        let receipts = EntryReceipts(of: list, key: key)
        var upload = self
        for case (let index, .valid(var entry)) in items.enumerated() {
            if let origin = entry.origin, !receipts.isValid(origin, of: entry.entry) {
                if let name = origin.authorName, origin.author != sender {
                    entry.entry = entry.entry.quoting(name, at: origin.madeAt)
                }
                entry.origin = nil
            }
            upload.items[index] = .valid(entry)
        }
        return upload
    }
}

extension UploadBody.Item {
    fileprivate var origin: EntryOrigin? { if case .valid(let entry) = self { entry.origin } else { nil } }
}

extension StoredEntry {
    /// Calls `body` with an entry as it would be stored, with this origin.
    fileprivate static func with<R>(
        _ entry: JournalEntry, from origin: EntryOrigin, _ body: (borrowing StoredEntry) -> R
    ) -> R {
        var writer = JSONWriter()
        if !entry.fields.isEmpty { entry.fields.write(to: &writer) }
        let (operation, cause) = (Array(entry.operation.rawValue.utf8), Array(entry.cause.rawValue.utf8))
        return writer.bytes.withUnsafeBytes { fields in
            operation.withUnsafeBytes { operation in
                cause.withUnsafeBytes { cause in
                    body(
                        StoredEntry(
                            sequence: 0, id: entry.id.bits, operation: operation, item: entry.item?.bits,
                            after: entry.after?.bits, fields: entry.fields.isEmpty ? nil : fields,
                            batch: entry.batch?.bits, cause: cause, reverts: entry.reverts?.bits,
                            deviceSequence: entry.deviceSequence, author: origin.author.bits,
                            device: origin.device.bits, madeAt: origin.madeAt, receivedAt: origin.madeAt))
                }
            }
        }
    }
}
