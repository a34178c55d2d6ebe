import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct WatchSessionTests {
    @Test func `what is drawn names people without asking the service`() async throws {
        let service = StubService()
        let device = try await service.device()
        let list: ListID = StubService.id(5), bob: AccountID = StubService.id(6), now = Timestamp.now()
        let message = JournalEntry(
            id: StubService.id(8), operation: .message, fields: [Fields.text: "the blue one"], deviceSequence: 1)
        let people = ShareState(participants: [
            Participant(account: StubService.account, name: "Ann", role: .owner, status: .accepted),
            Participant(account: bob, name: "Bob", status: .accepted),
        ])
        service.bring([
            .init(
                id: list,
                page: ChangesPage(
                    changes: [
                        Change(sequence: SequenceNumber(rawValue: 1), body: .share(people)),
                        Change(
                            sequence: SequenceNumber(rawValue: 2),
                            body: .entry(
                                ConfirmedEntry(
                                    entry: message, sequence: SequenceNumber(rawValue: 2), author: bob,
                                    device: StubService.id(9), madeAt: now, receivedAt: now))),
                    ], token: "t", moreComing: false, snapshot: true))
        ])
        #expect(try await device.sync().failure == nil)
        let calls = service.calls
        let watch = WatchSession(device: device, list: list, interval: .seconds(30))
        #expect(try await watch.messageLines() == ["Bob: the blue one"])
        #expect(service.calls == calls)
        await device.close()
    }
}
