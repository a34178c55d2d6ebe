import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct QueueCommandTests {
    @Test func `it is said until when the service asked to wait, and what to run then`() async throws {
        let device = try Device.inMemory()
        try await device.makeList(named: "Party")
        var queues = try await device.queues()
        let now = Timestamp.now()
        #expect(queues.nextTryWords(at: now) == nil, "nothing has failed")
        let later = now.advanced(byMilliseconds: 1_200_000)
        let end = Moment(time: later, now: now).since
        (queues.nextTry, queues.askedToWait) = (later, true)
        #expect(queues.nextTryWords(at: now) == "The service asked to wait until \(end). Then: trolley sync")
        let (german, germanEnd) = MessageLanguage.$current.withValue(.german) { [queues] in
            (queues.nextTryWords(at: now), Moment(time: later, now: now).since)
        }
        #expect(german == "Der Dienst bittet, bis \(germanEnd) zu warten. Danach: trolley sync")
        // Later, and after a failure without such a wait, a person may try at once. Nothing tries by itself.
        #expect(queues.nextTryWords(at: later) == "To try again: trolley sync")
        queues.askedToWait = false
        #expect(queues.nextTryWords(at: now) == "To try again: trolley sync")
        queues.lists = []
        #expect(queues.nextTryWords(at: now) == nil, "nothing waits")
        await device.close()
    }
}
