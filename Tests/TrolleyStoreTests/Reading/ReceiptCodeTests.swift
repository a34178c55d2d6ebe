import Crypto
import Testing
import TrolleyJournal

@testable import TrolleyStore

@Suite("Codes of receipts", .timeLimit(.minutes(20)))
struct ReceiptCodeTests {
    /// From the authors' own table, for texts 00 01 02 … that end with a word.
    @Test(
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (8, 0x93f5_f579_9a93_2462), (16, 0x3f2a_cc7f_57c2_9bdb),
            (24, 0xb8ad_50c6_f649_af94), (56, 0xb78d_bfaf_3a8d_83bd),
        ] as [(Int, UInt64)])
    func `SipHash is the published one`(count: Int, code: UInt64) {
        var hash = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        for start in stride(from: 0, to: count, by: 8) {
            hash.append((0..<8).reversed().reduce(0) { $0 << 8 | UInt64(start + $1) })
        }
        #expect(hash.code == code)
    }

    @Test("a text of any length is its bytes in words, the last of them filled up with zeros", arguments: 0...25)
    func texts(count: Int) {
        let bytes = (0..<count).map { UInt8($0 + 200) }
        var words = SipHash(key: (1, 2))
        for start in stride(from: 0, to: count, by: 8) {
            var word: UInt64 = 0
            for place in start..<min(start + 8, count) { word |= UInt64(bytes[place]) << UInt64(8 * (place - start)) }
            words.append(word)
        }
        // Of one text without ids, the shape is its length.
        words.append(UInt64(count))
        var code = SipReceiptCode(SipHash(key: (1, 2)))
        bytes.withUnsafeBytes { code.append(word: $0) }
        #expect(code.code == words.code & (1 << 48 - 1))
    }

    /// Another program has computed the receipts of this entry.
    @Test(
        "a receipt is believed in the form that is given now and in the one before",
        arguments: ["2rGfDIqP", "0bzOwgII"])
    func forms(receipt: String) throws {
        func bits(_ last: UInt64) -> UUIDBits {
            UUIDBits(high: 0x0192_0000_0000_7000, low: 0x8000_0000_0000_0000 | last)
        }
        let entry = JournalEntry(
            id: EntryID(bits(2)), operation: .add, item: ItemID(bits(5)), fields: ["text": "milk é"], deviceSequence: 7)
        var origin = EntryOrigin(
            author: AccountID(bits(3)), device: DeviceID(bits(4)), madeAt: Timestamp(milliseconds: 1_700_000_000_123),
            receipt: EntryReceipt(receipt))
        let key = ReceiptKey(HMAC<SHA256>(key: SymmetricKey(data: Array(0..<32))))
        #expect(EntryReceipts(of: ListID(bits(1)), key: key).isValid(origin, of: entry))
        #expect(!EntryReceipts(of: ListID(bits(9)), key: key).isValid(origin, of: entry))
        origin.madeAt = Timestamp(milliseconds: 1_700_000_000_124)
        #expect(!EntryReceipts(of: ListID(bits(1)), key: key).isValid(origin, of: entry))
    }

    @Test func `what is there and how long a text is are part of a code`() {
        func code(_ word: String, _ fields: String?, _ ids: [UUIDBits?]) -> UInt64 {
            var code = SipReceiptCode(SipHash(key: (1, 2)))
            for id in ids { code.append(id) }
            Array(word.utf8).withUnsafeBytes { code.append(word: $0) }
            if let fields {
                Array(fields.utf8).withUnsafeBytes { code.append(fields: $0) }
            } else {
                code.append(fields: nil)
            }
            return code.code
        }
        let id = UUIDBits(high: 3, low: 4)
        let codes = [
            code("add", "{}", [id, nil]), code("add", "{}", [nil, id]), code("add{}", nil, [id, nil]),
            code("add", "{}\0", [id, nil]), code("add\0", "{}", [id, nil]), code("add", nil, [id, nil]),
        ]
        #expect(Set(codes).count == codes.count && codes.allSatisfy { $0 < 1 << 48 })
    }
}
