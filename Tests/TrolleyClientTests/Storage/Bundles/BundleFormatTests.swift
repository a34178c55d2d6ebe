import Testing
import TrolleyJournal
import TrolleySync

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct BundleFormatTests {
    @Test func `what was written is read again, whatever the entry`() throws {
        for operation in TrolleyJournal.Operation.allCases {
            let item: ItemID? = operation.concernsList ? nil : Self.id(2)
            for cause in Cause.allCases {
                let entry = JournalEntry(
                    id: Self.id(1), operation: operation, item: item, after: operation.places ? Self.id(3) : nil,
                    fields: ["text": "milk, 2 €", "": .null, "price": .json("[1]")],
                    batch: cause == .edit ? Self.id(4) : nil, cause: cause,
                    reverts: cause == .edit ? nil : Self.id(5), deviceSequence: Int64.max)
                try expectSame(entry)
            }
        }
        let name = try #require(OperationName("beam"))
        try expectSame(JournalEntry(id: Self.id(1), unknownOperation: name, item: Self.id(2), deviceSequence: 1))
        try expectSame(JournalEntry(id: Self.id(1), operation: .add, item: Self.id(2), deviceSequence: 1))
    }

    private func expectSame(_ entry: JournalEntry) throws {
        let time = Timestamp(milliseconds: -1)
        let pending = PendingEntry(entry: entry, madeAt: time)
        #expect(try Self.read(Self.bytes(pending)) == pending)
        for receipt in [nil, EntryReceipt("12345678")] {
            let confirmed = ConfirmedEntry(
                entry: entry, sequence: SequenceNumber(rawValue: 1 << 40), author: Self.id(6), device: Self.id(7),
                madeAt: time, receivedAt: Timestamp(milliseconds: .max), receipt: receipt)
            #expect(try Self.read(Self.bytes(confirmed)) == confirmed)
        }
    }

    @Test func `bytes that are damaged are an error`() {
        let bytes = Self.bytes(Self.sample)
        for count in bytes.indices {
            #expect(throws: QueueStoreError.self, "\(count) bytes") {
                _ = try Self.read(Array(bytes.prefix(count))) as ConfirmedEntry
            }
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] = 0xFF
            // Many are other entries then. None may end the program.
            _ = try? Self.read(damaged) as ConfirmedEntry
        }
    }

    /// If this fails because an entry has something new to store, or is stored in another way, raise `BundleWriter.format`.
    @Test func `a format has these bytes, and these parts of an entry`() {
        #expect(BundleWriter.format == 1)
        let digits = Array("0123456789abcdef")
        let hex = Self.bytes(Self.sample).map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
        #expect(
            hex == "010f01000000000000000001000000000000000000000000000000020000000000000000000000000000000300000000"
                + "000000000000000000000004000000000000000000000000000000050000000000000007000000000000000300000004"
                + "0000006e6f74650005000000707269636502010000003104000000746578740102000000c3a909000000000000000000"
                + "0000000000000a0000000000000000000000000000000b000000000000000c000000000000000d000000000000000108"
                + "0000007265636569707431")
        #expect(
            Self.parts(of: Self.sample) == ["entry", "sequence", "author", "device", "madeAt", "receivedAt", "receipt"])
        #expect(
            Self.parts(of: Self.sample.entry) == ["id", "deviceSequence", "fields", "operation", "optionals", "cause"])
        let optionals = Mirror(reflecting: Self.sample.entry).descendant("optionals")
        #expect(optionals.map { Self.parts(of: $0) } == ["item", "after", "batch", "reverts", "present"])
        #expect(
            Self.parts(of: PendingEntry(entry: Self.sample.entry, madeAt: Self.sample.madeAt)) == ["entry", "madeAt"])
        #expect(TrolleyJournal.Operation.allCases.map(\.bundleCode) == Array(1...14))
    }

    private static let sample = ConfirmedEntry(
        entry: JournalEntry(
            id: id(1), operation: .add, item: id(2), after: id(3),
            fields: ["text": "é", "price": .json("1"), "note": .null], batch: id(4), cause: .undo, reverts: id(5),
            deviceSequence: 7),
        sequence: SequenceNumber(rawValue: 9), author: id(10), device: id(11), madeAt: Timestamp(milliseconds: 12),
        receivedAt: Timestamp(milliseconds: 13), receipt: EntryReceipt("receipt1"))

    private static func id<ID: Identifier>(_ number: UInt64) -> ID { ID(UUIDBits(high: 0, low: number)) }

    private static func parts(of value: Any) -> [String] { Mirror(reflecting: value).children.map { $0.label ?? "" } }

    private static func bytes(_ entry: some BundledEntry) -> [UInt8] {
        var writer = BundleWriter()
        entry.write(to: &writer)
        return writer.bytes
    }

    private static func read<Entry: BundledEntry>(_ bytes: [UInt8]) throws -> Entry {
        try bytes.withUnsafeBytes { bytes in
            var reader = BundleReader(bytes)
            let entry = try Entry(from: &reader)
            guard reader.isAtEnd else { throw BundleReader.damaged }
            return entry
        }
    }
}
