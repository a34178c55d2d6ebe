import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleySync

@Suite(.timeLimit(.minutes(20))) struct SyncReportTests {
    @Test(arguments: ProblemCode.allCases)
    func `every refusal is a sentence that a person understands`(_ code: ProblemCode) {
        let sentence = SyncFailure.transport(.problem(Problem(code))).description
        #expect(sentence.hasSuffix(".") && sentence.contains(" ") && !sentence.contains(code.rawValue))
    }

    @Test func `an entry whose verdict may pass, or isn't understood, stays in the queue`() {
        let ids = (1...5).map { EntryID(UUIDBits(high: 0, low: $0)) }
        let request = UploadRequest(
            entries: ids.map {
                UploadEntry(entry: JournalEntry(id: $0, operation: .renameList, deviceSequence: 1), age: 0)
            })
        let sequence = SequenceNumber(rawValue: 1)
        let accepted = ConfirmedEntry(
            entry: request.entries[0].entry, sequence: sequence, author: AccountID(UUIDBits(high: 0, low: 1)),
            device: DeviceID(UUIDBits(high: 0, low: 1)), madeAt: Timestamp(milliseconds: 0),
            receivedAt: Timestamp(milliseconds: 0))
        let response = UploadResponse(
            results: [
                .accepted(accepted, .applied),
                .rejected(ids[1], .batchRequestFailed, "another one"), .rejected(ids[2], .internalError, "a fault"),
                .rejected(ids[3], .quotaExceeded, "no room"),
            ], token: "t")
        #expect(
            request.verdicts(in: response) == [
                UploadVerdict(entry: ids[0], outcome: .accepted(sequence)),
                UploadVerdict(entry: ids[3], outcome: .rejected(.quotaExceeded, "no room")),
            ], "and one of which nothing is said stays as well")
    }

    @Test func `what is offered again and can't be done any more is no refusal that a person sees`() {
        let ids = (1...3).map { EntryID(UUIDBits(high: 0, low: $0)) }
        // The message that the first two are about never came back. The third is not about a message.
        let response = UploadResponse(
            results: [
                .rejected(ids[0], .unknownItem, "no such message"), .rejected(ids[1], .unknownItem, "no such message"),
                .rejected(ids[2], .quotaExceeded, "no room"),
            ], token: "t")
        #expect(
            response.verdicts(on: ids, dispensable: [ids[0], ids[2]]) == [
                UploadVerdict(entry: ids[0], outcome: .known),
                UploadVerdict(entry: ids[1], outcome: .rejected(.unknownItem, "no such message")),
                UploadVerdict(entry: ids[2], outcome: .rejected(.quotaExceeded, "no room")),
            ])
    }

    @Test func `the deletion of a message that is gone is no refusal that a person sees`() {
        let deletion = JournalEntry(
            id: EntryID(UUIDBits(high: 0, low: 1)), operation: .deleteMessage,
            fields: ["message": .string("0199b2c4-0000-7000-8000-000000000001")], deviceSequence: 1)
        let made = DeviceTime(boot: "", uptime: 0, wall: Timestamp(milliseconds: 0))
        #expect(QueuedEntry(entry: deletion, made: made).isDispensable)
        var reaction = deletion
        reaction.operation = .react
        #expect(!QueuedEntry(entry: reaction, made: made).isDispensable, "a person's words")
        #expect(QueuedEntry(entry: reaction, made: made, isOffered: true).isDispensable)
    }

    @Test func `the progress that a person sees follows the run`() {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        let list = ListID(UUIDBits(high: 0, low: 1))
        var machine = SyncMachine()
        var retryState = RetryState()
        retryState.limits = Limits(entriesPerRequest: 2)
        func next(_ event: SyncMachine.Event) -> SyncProgress {
            _ = machine.next(after: event, at: now, random: 0.5)
            return machine.progress
        }
        func deviceStatus(_ waiting: Int) -> SyncMachine.Event {
            .deviceStatus(
                DeviceStatus(
                    lists: [.init(id: list, isPublished: true, token: "t", waiting: waiting)], retryState: retryState))
        }
        #expect(next(.begun(.ownChange)) == .idle)
        #expect(next(deviceStatus(3)) == .sending(done: 0, of: 3))
        #expect(machine.progress.description == "Sending 1 of 3.")
        #expect(next(.uploaded(sent: 2, rejected: 0, held: 0)) == .sending(done: 0, of: 3))
        #expect(next(deviceStatus(1)) == .sending(done: 2, of: 3))
        _ = next(.uploaded(sent: 1, rejected: 0, held: 0))
        #expect(next(deviceStatus(0)) == .fetching(received: 0))
        _ = next(.fetched(FetchOutcome(progressed: true), moreComing: false))
        #expect(next(deviceStatus(0)) == .idle)

        machine = SyncMachine()
        _ = next(.begun(.manual))
        _ = next(deviceStatus(3))
        let until = now.advanced(byMilliseconds: 60_000)
        let busy = TransportError.problem(Problem(.serviceUnavailable, retryAfter: 60))
        #expect(next(.uploadFailed(busy, entries: 2, bytes: 9)) == .waiting(until: until, queued: 3))
        machine = SyncMachine()
        _ = next(.begun(.manual))
        _ = next(deviceStatus(3))
        let ended = TransportError.problem(Problem(.notAuthenticated))
        #expect(
            next(.uploadFailed(ended, entries: 2, bytes: 9)) == .blocked(.transport(ended), queued: 3))
    }
}
