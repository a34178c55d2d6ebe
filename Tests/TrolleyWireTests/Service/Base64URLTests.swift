import Testing

@testable import TrolleyWire

@Suite("Base64URL", .timeLimit(.minutes(20)))
struct Base64URLTests {
    @Test(
        "the test vectors of RFC 4648 §10, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(_ plain: String, _ encoded: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test("all 64 digits stand for their values")
    func digits() throws {
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let bytes = try #require(Base64URL.decode(digits))
        #expect(Base64URL.encode(bytes) == digits)
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        let values = stride(from: 0, to: bits.count, by: 6).map { bits[$0..<$0 + 6].reduce(0) { $0 << 1 | $1 } }
        #expect(values == Array(0..<64))
    }

    @Test("all other bytes, and impossible lengths, are refused")
    func refused() {
        let digits = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".unicodeScalars)
        for scalar in (0..<128).map({ Unicode.Scalar(UInt8($0)) }) {
            #expect((Base64URL.decode("AA\(scalar)A") == nil) == !digits.contains(scalar), "\(scalar.value)")
        }
        #expect(Base64URL.decode("A") == nil && Base64URL.decode("AAAAA") == nil && Base64URL.decode("é") == nil)
    }
}
