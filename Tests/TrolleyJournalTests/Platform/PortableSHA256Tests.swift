import Crypto
import Testing

@testable import TrolleyJournal

/// The hash for platforms without swift-crypto, compared with swift-crypto's.
@Suite("SHA-256 in plain Swift", .timeLimit(.minutes(20)))
struct PortableSHA256Tests {
    @Test func `every length up to three blocks hashes as swift-crypto's does, at once and in pieces`() {
        var generator = SeededGenerator(seed: 256)
        for count in Array(0...200) + [1000, 65_536] {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            let expected = Array(SHA256.hash(data: bytes))
            #expect(PortableSHA256.hash(data: bytes) == expected)
            var hash = PortableSHA256()
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + generator.below(90))
                hash.update(data: Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            #expect(hash.finalize() == expected, "\(count) bytes in pieces")
        }
    }

    @Test func `the standard's example comes out`() {
        let hash = PortableSHA256.hash(data: Array("abc".utf8)).map { String($0, radix: 16) }.joined()
        #expect(hash == "ba7816bf8f1cfea414140de5dae2223b0361a396177a9cb410ff61f2015ad")
    }
}
