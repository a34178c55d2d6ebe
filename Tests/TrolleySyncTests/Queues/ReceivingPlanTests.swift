import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@Suite(.timeLimit(.minutes(20))) struct ReceivingPlanTests {
    private let reason = ListGoneReason.removed
    private let change = Change(sequence: SequenceNumber(rawValue: 7), body: .share(ShareState()))

    private func page(_ changes: [Change], more: Bool = false, snapshot: Bool = false) -> ChangesPage {
        ChangesPage(changes: changes, token: "new", moreComing: more, snapshot: snapshot)
    }

    private func list(
        token: String? = "old", isStaging: Bool = false, through: Int64 = 5, isLocal: Bool = false,
        isPublished: Bool = true
    ) -> ReceivingList {
        ReceivingList(
            token: token, isStaging: isStaging, through: SequenceNumber(rawValue: through), isLocal: isLocal,
            isPublished: isPublished)
    }

    @Test func `changes are taken in, and never take the list back`() {
        #expect(
            page([change]).steps(for: list()) == [
                .take([change]), .pass(change.sequence), .keep(token: "new", isStaging: false),
            ])
        #expect(
            page([change], more: true).steps(for: list(through: 9)) == [
                .take([change]), .pass(SequenceNumber(rawValue: 9)), .keep(token: "new", isStaging: false),
            ])
    }

    @Test func `a snapshot is staged, and replaces the list with its last page`() {
        let first = page([change], more: true, snapshot: true)
        let staged: [ReceivingStep] = [.stage([change]), .keep(token: "new", isStaging: true)]
        #expect(first.steps(for: list()) == [.unstage] + staged)
        #expect(first.steps(for: list(token: nil)) == [.unstage] + staged)
        #expect(first.steps(for: list(token: nil, isStaging: true)) == [.unstage] + staged, "it begins again")
        #expect(page([change], more: true).steps(for: list(isStaging: true)) == staged)
        #expect(
            page([change]).steps(for: list(isStaging: true)) == [
                .stage([change]), .replace, .keep(token: "new", isStaging: false),
            ])
    }

    @Test func `a list whose token is refused is fetched afresh, or kept where the service lost somebody else's`() {
        let (known, unknown) = (ReceivedEnd.tokenRefused(isUnknown: false), ReceivedEnd.tokenRefused(isUnknown: true))
        for isOwn in [true, false] {
            #expect(known.step(for: list(), isOwn: isOwn) == .fetchAfresh)
            #expect(known.step(for: list(isLocal: true), isOwn: isOwn) == nil)
            #expect(known.step(for: list(token: nil, isPublished: false), isOwn: isOwn) == nil)
        }
        #expect(known.step(for: list(token: nil), isOwn: true) == .fetchAfresh)
        #expect(known.step(for: list(token: nil), isOwn: false) == nil)
        #expect(unknown.step(for: list(), isOwn: true) == .fetchAfresh)
        #expect(unknown.step(for: list(), isOwn: false) == .keepHere)
    }

    @Test func `a list that is gone leaves, unless the service has lost it`() {
        for isOwn in [true, false] {
            #expect(ReceivedEnd.gone(reason, isUnknown: false).step(for: list(), isOwn: isOwn) == .leave(reason))
            #expect(ReceivedEnd.gone(reason, isUnknown: false).step(for: list(isLocal: true), isOwn: isOwn) == nil)
        }
        #expect(ReceivedEnd.gone(reason, isUnknown: true).step(for: list(), isOwn: true) == .makeAnew)
        #expect(ReceivedEnd.gone(reason, isUnknown: true).step(for: list(), isOwn: false) == .keepHere)
    }

    @Test func `a fetch is reported by what came of it`() {
        var fetchOutcome = FetchOutcome()
        fetchOutcome.note(page([]), after: "new", isNew: false, news: 0, differs: false)
        #expect(fetchOutcome == FetchOutcome(), "the same token and nothing new is no progress")
        let ids: [EntryID] = [Samples.id(), Samples.id()]
        let discard = Change(sequence: change.sequence, body: .discard(ids: ids, anchors: [:]))
        fetchOutcome.note(page([discard]), after: "new", isNew: true, news: 2, differs: true)
        #expect(fetchOutcome == FetchOutcome(news: 3, discarded: 2, differing: 1, progressed: true))
        fetchOutcome = FetchOutcome()
        fetchOutcome.note(.tokenRefused(isUnknown: true), .keepHere)
        fetchOutcome.note(.gone(reason, isUnknown: true), .makeAnew)
        fetchOutcome.note(.gone(reason, isUnknown: false), .leave(reason), keptAside: 4)
        #expect(fetchOutcome == FetchOutcome(news: 1, expired: 1, keptAside: 4, progressed: true))
    }

    @Test func `lists without a page come in a fixed order: refused tokens, then lists that are gone`() {
        let lists: [ListID] = [Samples.id(), Samples.id(), Samples.id()].sorted()
        var response = AllChangesResponse(lists: [])
        response.expired = [lists[2]]
        response.gone = [lists[1]: .removed, lists[0]: .removed]
        response.unknown = [lists[0]]
        #expect(response.ends.map(\.list) == [lists[2], lists[0], lists[1]])
        #expect(
            response.ends.map(\.end) == [
                .tokenRefused(isUnknown: false), .gone(.removed, isUnknown: true), .gone(.removed, isUnknown: false),
            ])
    }
}
