import Crypto
import TrolleyJournal

@testable import TrolleyServer
@testable import TrolleyWire

extension Reader {
    /// Tokens that the service makes and gets back.
    static let tokens = [
        Reader(name: "change-token") { bytes in
            let text = bytes.text
            if ChangeToken.isWellFormed(text) { require(text.utf8.count <= 1024, "a long token") }
            require(ChangeToken(text, list: list, key: otherKey) == nil, "a forged token is taken: \(text)")

            let (numbers, spoilt) = genuine(bytes)
            let token = ChangeToken(
                list: list, epoch: UUIDBits(high: numbers[0], low: 0),
                sequence: SequenceNumber(rawValue: Int64(bitPattern: numbers[1])),
                mark: numbers[2] == 0 ? nil : Timestamp(milliseconds: Int64(bitPattern: numbers[2])),
                floor: SequenceNumber(rawValue: Int64(bitPattern: numbers[3])))
            let written = token.text(key: key)
            requireEqual(ChangeToken(written, list: list, key: key), token, "a token differs after it was written")
            if let other = spoilt(written) {
                require(ChangeToken(other, list: list, key: key) == nil, "a spoilt token is taken: \(other)")
            }
        },
        Reader(name: "ownership-proof") { bytes in
            let text = bytes.text
            require(OwnershipProof(text, list: list, key: otherKey) == nil, "a forged proof is taken: \(text)")

            let (numbers, spoilt) = genuine(bytes)
            let proof = OwnershipProof(
                list: list, account: AccountID(UUIDBits(high: numbers[0], low: numbers[1])),
                born: Timestamp(milliseconds: Int64(bitPattern: numbers[2])),
                since: Timestamp(milliseconds: Int64(bitPattern: numbers[3])))
            let written = proof.text(key: key)
            requireEqual(OwnershipProof(written, list: list, key: key), proof, "a proof differs after it was written")
            if let other = spoilt(written) {
                require(OwnershipProof(other, list: list, key: key) == nil, "a spoilt proof is taken: \(other)")
            }
        },
    ]

    private static let key = ChangeToken.Key(key: SymmetricKey(data: Array(repeating: UInt8(7), count: 32)))
    /// libFuzzer sees genuine tokens in comparisons, and copies them.
    private static let otherKey = ChangeToken.Key(key: SymmetricKey(data: Array(repeating: UInt8(8), count: 32)))
    private static let list = ListID(UUIDBits(high: 1, low: 2))

    /// Four numbers, and how to spoil a text with the bytes behind them: nil if it would stay the same.
    private static func genuine(_ bytes: [UInt8]) -> (numbers: [UInt64], spoilt: (String) -> String?) {
        let padded = bytes.prefix(32) + Array(repeating: 0, count: max(0, 32 - bytes.count))
        let numbers = (0..<4).map { index in
            padded[index * 8..<index * 8 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        let rest = bytes.dropFirst(32)
        return (
            numbers,
            { text in
                guard rest.count >= 2, let place = rest.first, let byte = rest.dropFirst().first else { return nil }
                var characters = Array(text.utf8)
                characters[Int(place) % characters.count] = byte
                // A part of a character would become another one.
                guard let other = characters.validText, other != text else { return nil }
                return other
            }
        )
    }
}
