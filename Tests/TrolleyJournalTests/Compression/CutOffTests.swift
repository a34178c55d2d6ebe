import Testing
import TrolleyJournal

@Suite("Compression's cut-off", .timeLimit(.minutes(20)))
struct CutOffTests {
    @Test("an entry received at the cut-off stays, and one received a millisecond earlier is discarded")
    func boundary() {
        let entries: [ConfirmedEntry] = [.sample(1, .add, 101, ["text": "milk"]), .sample(2, .delete, 101)]
        func discarded(_ cutOff: Int64) -> Int {
            Compression(of: entries, olderThan: Timestamp(milliseconds: cutOff)).discarded.count
        }
        // The deletion was received at 2,000 ms: until then its item is not finished for long enough.
        #expect(discarded(2000) == 0)
        #expect(discarded(2001) == 2)
    }

    @Test("it is compared with when the service received an entry, not with when it was made")
    func receivedAt() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 101, ["text": "milk"], madeAt: 1, receivedAt: 100),
            .sample(2, .delete, 101, madeAt: 2, receivedAt: 101),
        ]
        #expect(Compression(of: entries, olderThan: .seconds(50)).isEmpty)
        #expect(Compression(of: entries, olderThan: .seconds(200)).discarded.count == 2)
    }
}
