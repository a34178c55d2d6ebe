internal import Crypto
import TrolleyJournal
import TrolleyWire

/// A code over an entry, in the making. What is appended can be told apart: no two entries give the same input.
protocol ReceiptCode {
    mutating func append(_ id: UUIDBits?)
    mutating func append(_ number: UInt64)
    /// Appends a word of at most 255 bytes.
    mutating func append(word: UnsafeRawBufferPointer)
    mutating func append(fields: UnsafeRawBufferPointer?)
    /// 48 bits.
    var code: UInt64 { get }
}

extension ReceiptCode {
    /// Appends all of an entry but its place: neither its sequence, nor its anchor, nor when it was received, which
    /// compression and a restore may change.
    @inline(__always)
    mutating func append(_ entry: borrowing StoredEntry) {
        append(entry.id)
        append(entry.author)
        append(entry.device)
        append(entry.item)
        append(entry.batch)
        append(entry.reverts)
        append(UInt64(bitPattern: entry.deviceSequence))
        append(UInt64(bitPattern: entry.madeAt.milliseconds))
        append(word: entry.operation)
        append(word: entry.cause)
        append(fields: entry.fields)
    }
}

/// The code of the receipts that are given: SipHash over the ids that are there, numbers, and texts in whole words. The last
/// word says which ids are there and how long the texts are.
struct SipReceiptCode: ReceiptCode {
    private var hash: SipHash
    private var shape: UInt64 = 0

    /// - Parameter hash: has the key, and what else the code is about.
    init(_ hash: SipHash) { self.hash = hash }

    @inline(__always)
    mutating func append(_ id: UUIDBits?) {
        shape = shape << 1 | (id == nil ? 0 : 1)
        guard let id else { return }
        hash.append(id.high)
        hash.append(id.low)
    }

    @inline(__always)
    mutating func append(_ number: UInt64) { hash.append(number) }

    @inline(__always)
    mutating func append(word: UnsafeRawBufferPointer) {
        shape = shape << 8 | UInt64(truncatingIfNeeded: word.count)
        append(text: word)
    }

    @inline(__always)
    mutating func append(fields: UnsafeRawBufferPointer?) {
        shape = shape << 32 | UInt64(truncatingIfNeeded: fields?.count ?? 0)
        if let fields { append(text: fields) }
    }

    @inline(__always)
    private mutating func append(text: UnsafeRawBufferPointer) {
        var start = 0
        while text.count - start >= 8 {
            hash.append(Self.word(of: text, at: start))
            start += 8
        }
        let rest = text.count - start
        if rest == 0 { return }
        if start > 0 {
            // The last eight bytes, without those that went before.
            hash.append(Self.word(of: text, at: text.count - 8) &>> UInt64(64 - 8 * rest))
        } else {
            var word: UInt64 = 0
            for byte in text.reversed() { word = word << 8 | UInt64(byte) }
            hash.append(word)
        }
    }

    @inline(__always)
    private static func word(of text: UnsafeRawBufferPointer, at start: Int) -> UInt64 {
        UInt64(littleEndian: text.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }

    @inline(__always)
    var code: UInt64 {
        var hash = hash
        hash.append(shape)
        return hash.code & (1 << 48 - 1)
    }
}

/// The code of receipts that were given before 0.2.0, and that devices still show: the first 6 bytes of SHA-256 over a key,
/// and the entry with a byte before each optional id and each word.
struct EarlierReceiptCode: ReceiptCode {
    private var hash = SHA256()

    init(of list: ListID, key: HMAC<SHA256>) {
        var key = key
        key.update(data: Array("trolley receipt".utf8) + list.bits.bytes)
        hash.update(data: Array(key.finalize()))
        hash.update(data: [UInt8](repeating: 0, count: SHA256.blockByteCount - SHA256.byteCount))
    }

    mutating func append(_ id: UUIDBits?) {
        hash.update(data: [id == nil ? 0 : 1] + (id?.bytes ?? []))
    }

    mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { hash.update(bufferPointer: $0) }
    }

    mutating func append(word: UnsafeRawBufferPointer) {
        hash.update(data: [UInt8(truncatingIfNeeded: word.count)])
        hash.update(bufferPointer: word)
    }

    mutating func append(fields: UnsafeRawBufferPointer?) {
        if let fields { hash.update(bufferPointer: fields) }
    }

    var code: UInt64 { hash.finalize().prefix(6).reduce(0) { $0 << 8 | UInt64($1) } }
}
