import FoundationEssentials
import Testing
import TrolleySync

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct ContentKeyTests {
    @Test func `content opens in its own place and in no other`() throws {
        let key = ContentKey(bytes: Array(repeating: 1, count: 32))
        let sealed = try key.seal(Data("milk".utf8), at: [1])
        #expect(try key.open(sealed, at: [1]) == Data("milk".utf8))
        #expect(throws: QueueStoreError.self) { try key.open(sealed, at: [2]) }
    }
}
