import Testing
import TrolleyJournal

@testable import TrolleyStore

@Suite("Hosted devices with work", .timeLimit(.minutes(20)))
struct HostedCandidateTests {
    private let list = ListID(UUIDBits(high: 1, low: 1))
    private let head = ListHead(sequence: SequenceNumber(rawValue: 7))

    @Test("with something to send, a list that has grown or is new, or one that is gone")
    func work() {
        #expect(!candidate([(7, true)]).hasWork(on: [list: head]), "it has all there is")
        #expect(candidate([(7, true)], isSending: true).hasWork(on: [list: head]))
        #expect(candidate([(6, true)]).hasWork(on: [list: head]), "grown")
        #expect(candidate([(nil, true)]).hasWork(on: [list: head]), "to be fetched afresh")
        #expect(candidate([]).hasWork(on: [list: head]), "new")
        #expect(candidate([(7, true)]).hasWork(on: [:]), "gone")
        #expect(!candidate([(nil, false)]).hasWork(on: [:]), "not made at the service yet, and nothing in it")
        #expect(!candidate([]).hasWork(on: [:]))
    }

    @Test("lists that wait by themselves are no work")
    func waiting() {
        let cases: [(candidate: HostedCandidate, heads: [ListID: ListHead])] = [
            (candidate([(6, true)]), [list: head]), (candidate([(nil, true)]), [list: head]),
            (candidate([]), [list: head]), (candidate([(7, true)]), [:]),
        ]
        for (candidate, heads) in cases {
            var waiting = candidate
            waiting.waiting = [list]
            #expect(candidate.hasWork(on: heads) && !waiting.hasWork(on: heads))
        }
    }

    private func candidate(_ lists: [(seen: Int64?, isPublished: Bool)], isSending: Bool = false) -> HostedCandidate {
        HostedCandidate(
            session: Session(
                account: AccountID(UUIDBits(high: 2, low: 2)), device: DeviceID(UUIDBits(high: 3, low: 3))),
            isSending: isSending,
            lists: lists.map { seen, isPublished in
                .init(id: list, seen: seen.map { SequenceNumber(rawValue: $0) }, isPublished: isPublished)
            })
    }
}
