import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct RoomUpdateQueueTests {
    @Test func `a slow reader skips earlier views, and of more than 64 double buys the oldest`() async {
        let queue = RoomUpdateQueue()
        let ben: AccountID = Samples.id()
        let doubleBuys = (0..<70).map { _ in RoomUpdate.doubleBuy(Samples.id(), by: ben) }
        for update in doubleBuys {
            queue.add(.view(RoomView()))
            queue.add(update)
        }
        for _ in 0..<2 { queue.add(.fetch) }
        queue.finish()
        var read: [RoomUpdate] = []
        for await update in queue.updates() { read.append(update) }
        #expect(read == Array(doubleBuys.suffix(64)) + [RoomUpdate.fetch, .view(RoomView())])
    }
}
