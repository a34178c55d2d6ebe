import Crypto
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Change tokens", .timeLimit(.minutes(20)))
struct ChangeTokenTests {
    let key = ChangeToken.Key(key: SymmetricKey(data: Array(repeating: 7, count: 32)))
    let list: ListID = .random()
    let epoch = UUIDBits(high: 0x1122_3344_5566_7788, low: 0)

    @Test("a decoded token has the values that it was made from", arguments: [0, 1, 255, 256, .max] as [Int64])
    func reading(sequence: Int64) throws {
        let token = ChangeToken(list: list, epoch: epoch, sequence: SequenceNumber(rawValue: sequence))
        #expect(try #require(ChangeToken(token.text(key: key), list: list, key: key)) == token)
        #expect(token.text(key: key).utf8.count == 44)
    }

    @Test("a token with a mark and a floor says these too, and is the longer for it")
    func marked() throws {
        let token = ChangeToken(
            list: list, epoch: epoch, sequence: SequenceNumber(rawValue: 5),
            mark: Timestamp(milliseconds: 1_800_000_000_123), floor: SequenceNumber(rawValue: 9))
        let read = try #require(ChangeToken(token.text(key: key), list: list, key: key))
        #expect(read == token && read.mark?.milliseconds == 1_800_000_000_123 && read.floor.rawValue == 9)
        let text = token.text(key: key)
        #expect(text.utf8.count == 66)
        for last in "BCDEFGHIJKLMNOPRSTUVWXYZabcdefhijklmnopqrstuvxyz0123456789-_" {
            #expect(ChangeToken(String(text.dropLast()) + String(last), list: list, key: key) == nil, "\(last)")
        }
    }

    @Test("a token with any bit changed is none", arguments: [nil, Timestamp(milliseconds: 1_800_000_000_123)])
    func forged(mark: Timestamp?) throws {
        let token = ChangeToken(list: list, epoch: epoch, sequence: SequenceNumber(rawValue: 5), mark: mark)
        let bytes = try #require(Base64URL.decode(token.text(key: key)))
        for bit in 0..<bytes.count * 8 {
            var forged = bytes
            forged[bit / 8] ^= 1 << (bit % 8)
            #expect(ChangeToken(Base64URL.encode(forged), list: list, key: key) == nil, "bit \(bit)")
        }
    }

    @Test("a token of another list or another service is none")
    func foreign() {
        let text = ChangeToken(list: list, epoch: epoch, sequence: .start).text(key: key)
        #expect(ChangeToken(text, list: .random(), key: key) == nil)
        #expect(ChangeToken(text, list: list, key: ChangeToken.Key(key: SymmetricKey(size: .bits256))) == nil)
    }

    @Test("text that is no token is none", arguments: ["", "A", "é", "====", String(repeating: "A", count: 44), "+/"])
    func garbage(text: String) {
        #expect(ChangeToken(text, list: list, key: key) == nil)
    }
}
