import TrolleyJournal
import TrolleySync

/// What is copied into bundles: many entries that were encrypted one by one, encrypted as one.
///
/// A long list is read from its bundles, which takes less time than decrypting each of its entries. The entries themselves stay
/// where they are, so a bundle may always be dropped. It is valid as long as it is there: triggers drop it with any change of
/// the rows that it covers, whichever program makes the change (``BundleSchema``).
protocol BundledEntry: Sendable {
    static var kind: BundleKind { get }
    init(from reader: inout BundleReader) throws(QueueStoreError)
    func write(to writer: inout BundleWriter)
}

/// The rows that a bundle covers.
enum BundleKind: Int, Sendable {
    /// Applied entries, by sequence.
    case confirmed = 0
    /// The device's own unconfirmed entries, by position.
    case pending = 1
}

/// A bundle: the entries of all rows from one place to another.
struct EntryBundle: Sendable {
    var first: Int64
    var last: Int64
    var bytes: [UInt8]

    /// The place for which a bundle is encrypted.
    static func place(of list: Int64, _ kind: BundleKind, first: Int64, last: Int64) -> [UInt8] {
        Array("bundle \(BundleWriter.format) \(list) \(kind.rawValue) \(first) \(last)".utf8)
    }
}

extension ConfirmedEntry: BundledEntry {
    static var kind: BundleKind { .confirmed }

    init(from reader: inout BundleReader) throws(QueueStoreError) {
        let entry = try reader.entry()
        let sequence = SequenceNumber(rawValue: try reader.number())
        let author: AccountID = try reader.identifier()
        let device: DeviceID = try reader.identifier()
        let madeAt = try reader.time()
        let receivedAt = try reader.time()
        var receipt: EntryReceipt?
        if try reader.byte() != 0 {
            receipt = EntryReceipt(try reader.text())
            guard receipt != nil else { throw BundleReader.damaged }
        }
        self.init(
            entry: entry, sequence: sequence, author: author, device: device, madeAt: madeAt, receivedAt: receivedAt,
            receipt: receipt)
    }

    func write(to writer: inout BundleWriter) {
        writer.append(entry)
        writer.append(number: sequence.rawValue)
        writer.append(author)
        writer.append(device)
        writer.append(madeAt)
        writer.append(receivedAt)
        writer.append(byte: receipt == nil ? 0 : 1)
        if let receipt { writer.append(receipt.text) }
    }
}

extension PendingEntry: BundledEntry {
    static var kind: BundleKind { .pending }

    init(from reader: inout BundleReader) throws(QueueStoreError) {
        let entry = try reader.entry()
        self.init(entry: entry, madeAt: try reader.time())
    }

    func write(to writer: inout BundleWriter) {
        writer.append(entry)
        writer.append(madeAt)
    }
}
