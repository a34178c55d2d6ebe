import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Stored entries", .timeLimit(.minutes(20)))
struct StoredEntryTests {
    @Test(
        "an entry is passed on byte for byte as it would be written after reading it",
        arguments: 0..<40 as Range<UInt64>)
    func sameBytes(seed: UInt64) {
        var random = RandomMessages(seed: seed)
        for _ in 0..<50 {
            let entry = random.confirmedEntry()
            var read = JSONWriter()
            Change(sequence: entry.sequence, body: .entry(entry)).write(to: &read)
            #expect(Self.passedOn(entry) == read.bytes, "seed \(seed)")
        }
    }

    @Test("times far away and numbers of any size are written as before")
    func extremes() {
        for time in [
            Int64.min, -62_167_219_200_001, -62_167_219_200_000, -1, 253_402_300_799_999, 253_402_300_800_000, .max,
        ] {
            var entry = ConfirmedEntry(
                entry: JournalEntry(
                    id: EntryID(UUIDBits(high: .max, low: 0)), operation: .renameList, deviceSequence: .max),
                sequence: SequenceNumber(rawValue: .min), author: AccountID(UUIDBits(high: 0, low: .max)),
                device: DeviceID(UUIDBits(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)),
                madeAt: Timestamp(milliseconds: time), receivedAt: Timestamp(milliseconds: time))
            entry.entry.fields["text"] = "\u{1}\u{1F}\"\\\n\r\t€"
            let text = String(decoding: Self.passedOn(entry), as: UTF8.self)
            #expect(text.contains(#""madeAt":"\#(entry.madeAt.description)""#))
            #expect(text.contains(#""deviceSequence":9223372036854775807,"sequence":-9223372036854775808"#))
            #expect(text.contains("01234567-89ab-cdef-fedc-ba9876543210"))
            #expect(text.contains("ffffffff-ffff-ffff-0000-000000000000"))
            #expect(text.contains(#"{"text":"\u0001\u001f\"\\\n\r\t€"}"#))
        }
    }

    /// An entry as JSON, from its columns in a database.
    private static func passedOn(_ entry: ConfirmedEntry) -> [UInt8] {
        var fields = JSONWriter()
        entry.entry.fields.write(to: &fields)
        let (operation, cause) = (Array(entry.entry.operation.rawValue.utf8), Array(entry.entry.cause.rawValue.utf8))
        var writer = JSONWriter(capacity: 0)
        fields.bytes.withUnsafeBytes { fields in
            operation.withUnsafeBytes { operation in
                cause.withUnsafeBytes { cause in
                    let stored = StoredEntry(
                        sequence: entry.sequence.rawValue, id: entry.entry.id.bits, operation: operation,
                        item: entry.entry.item?.bits, after: entry.entry.after?.bits,
                        fields: entry.entry.fields.isEmpty ? nil : fields, batch: entry.entry.batch?.bits, cause: cause,
                        reverts: entry.entry.reverts?.bits, deviceSequence: entry.entry.deviceSequence,
                        author: entry.author.bits, device: entry.device.bits, madeAt: entry.madeAt,
                        receivedAt: entry.receivedAt)
                    if let receipt = entry.receipt.map({ Array($0.text.utf8) }) {
                        receipt.withUnsafeBytes { stored.writeChange(to: &writer, receipt: $0) }
                    } else {
                        stored.writeChange(to: &writer)
                    }
                }
            }
        }
        return writer.bytes
    }
}
