package import Crypto
package import TrolleyJournal
package import TrolleyWire

/// Makes and checks the receipts of a list's entries (`EntryReceipt`).
///
/// The first 6 bytes of SHA-256 over a key, and all of an entry but its place: neither its sequence, nor its anchor, nor
/// when it was received, which compression and a restore may change. The key is derived for the list from the one that
/// authenticates change tokens. Nothing can be appended to what was hashed, because most of the hash isn't told. A guess
/// costs a request, and 2⁴⁸ are more than any rate allows. HMAC takes more than twice as long, for every entry that a
/// device fetches.
package struct EntryReceipts: Sendable {
    /// Separates receipts from other codes under the same key.
    private static let purpose = Array("trolley receipt".utf8)

    /// Has the key, as one block.
    private let code: SHA256

    package init(of list: ListID, key: HMAC<SHA256>) {
        var key = key
        key.update(data: Self.purpose + list.bits.bytes)
        var code = SHA256()
        code.update(
            data: Array(key.finalize()) + [UInt8](repeating: 0, count: SHA256.blockByteCount - SHA256.byteCount))
        self.code = code
    }

    /// Calls `body` with the receipt's characters.
    func withReceipt<R>(of entry: borrowing StoredEntry, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        var code = code
        entry.withContent { code.update(bufferPointer: $0) }
        if let fields = entry.fields { code.update(bufferPointer: fields) }
        return code.finalize().withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(byteCount: EntryReceipt.count, alignment: 1) { text in
                for group in 0..<2 {
                    let bits = (0..<3).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[3 * group + $1]) }
                    for place in 0..<4 {
                        text[4 * group + place] = Base64URL.digit(UInt8(bits >> UInt32(18 - 6 * place) & 63))
                    }
                }
                return body(UnsafeRawBufferPointer(text))
            }
        }
    }

    /// Whether the service has accepted the entry with this origin.
    func isValid(_ origin: EntryOrigin, of entry: JournalEntry) -> Bool {
        guard let receipt = origin.receipt else { return false }
        // Compares all bytes, so that the time doesn't depend on where they differ.
        return StoredEntry.with(entry, from: origin) { stored in
            withReceipt(of: stored) { zip($0, receipt.text.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 }
        }
    }
}

extension UploadBody {
    /// The upload without origins that this service did not confirm. Such entries count as their sender's. Words that the
    /// sender brings in somebody else's name say whose they are.
    package func keepingOrigins(
        confirmedIn list: ListID, from sender: AccountID, key: HMAC<SHA256>
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
    /// Calls `body` with all of the entry that a receipt is about, besides its fields.
    fileprivate func withContent(_ body: (UnsafeRawBufferPointer) -> Void) {
        // Each optional value has a byte that says whether it is there, each text its length, so that no two entries have the
        // same bytes.
        let most = 6 * 17 + 2 * 8 + 2 + operation.count + cause.count
        withUnsafeTemporaryAllocation(byteCount: most, alignment: 8) { buffer in
            var count = 0
            func append(_ value: UInt64) {
                buffer.storeBytes(of: value.bigEndian, toByteOffset: count, as: UInt64.self)
                count += 8
            }
            func append(_ id: UUIDBits?) {
                buffer[count] = id == nil ? 0 : 1
                count += 1
                guard let id else { return }
                append(id.high)
                append(id.low)
            }
            func append(_ text: UnsafeRawBufferPointer) {
                buffer[count] = UInt8(truncatingIfNeeded: text.count)
                UnsafeMutableRawBufferPointer(rebasing: buffer[(count + 1)...]).copyMemory(from: text)
                count += 1 + text.count
            }
            for id in [self.id, author, device, item, batch, reverts] { append(id) }
            append(UInt64(bitPattern: deviceSequence))
            append(UInt64(bitPattern: madeAt.milliseconds))
            append(operation)
            append(cause)
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

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
