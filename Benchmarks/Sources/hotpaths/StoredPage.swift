import TrolleyJournal
import TrolleyWire
import Workload

/// A page of changes as the database sends it. The service passes it on without decoding it.
struct StoredPage {
    private let entries: [StoredEntry]

    init(of count: Int) {
        entries = Household.journal(of: count).map { confirmed in
            let entry = confirmed.entry
            var fields = JSONWriter()
            if !entry.fields.isEmpty { entry.fields.write(to: &fields) }
            return StoredEntry(
                sequence: confirmed.sequence.rawValue, id: entry.id.bits,
                operation: Self.lasting(entry.operation.rawValue.utf8), item: entry.item?.bits,
                after: entry.after?.bits,
                fields: entry.fields.isEmpty ? nil : Self.lasting(fields.bytes), batch: entry.batch?.bits,
                cause: Self.lasting(entry.cause.rawValue.utf8), reverts: entry.reverts?.bits,
                deviceSequence: entry.deviceSequence, author: confirmed.author.bits, device: confirmed.device.bits,
                madeAt: confirmed.madeAt, receivedAt: confirmed.receivedAt)
        }
    }

    /// - Parameter receipts: nil: the entries come without receipts.
    func json(with receipts: EntryReceipts?) -> [UInt8] {
        var writer = JSONWriter()
        for entry in entries {
            if let receipts {
                receipts.withReceipt(of: entry) { entry.writeChange(to: &writer, receipt: $0) }
            } else {
                entry.writeChange(to: &writer)
            }
        }
        return writer.bytes
    }

    /// Bytes that are never released, as the page.
    private static func lasting(_ bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyBytes(from: bytes)
        return UnsafeRawBufferPointer(copy)
    }
}
