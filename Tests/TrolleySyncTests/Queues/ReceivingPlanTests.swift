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
        isPublished: Bool = true, isOwn: Bool = false
    ) -> ReceivingList {
        ReceivingList(
            token: token, isStaging: isStaging, through: SequenceNumber(rawValue: through), isLocal: isLocal,
            isPublished: isPublished,
            owner: ListOwner(owner: nil, proof: isOwn ? .text("proof") : .none, account: Samples.id()))
    }

    private func steps(_ page: ChangesPage, in list: ReceivingList) -> [ReceivingStep] {
        ReceivingPlan(storing: page, in: list).steps
    }

    private func entry(_ sequence: Int64) -> Change {
        let sequence = SequenceNumber(rawValue: sequence)
        let now = Samples.time().wall
        return Change(
            sequence: sequence,
            body: .entry(
                ConfirmedEntry(
                    entry: Samples.add("milk"), sequence: sequence, author: Samples.id(), device: Samples.id(),
                    madeAt: now, receivedAt: now)))
    }

    @Test func `changes are taken, then the token is stored`() {
        #expect(steps(page([change]), in: list()) == [.take, .pass, .keep])
        #expect(steps(page([change], more: true), in: list(through: 9)) == [.take, .pass, .keep])
        #expect(steps(page([]), in: list()) == [.keep])
        #expect(!ReceivingPlan(storing: page([change], more: true), in: list()).isStaging)
    }

    @Test func `a snapshot is staged, and its last page replaces the list`() {
        let first = page([change], more: true, snapshot: true)
        #expect(steps(first, in: list()) == [.unstage, .stage, .keep])
        #expect(steps(first, in: list(token: nil)) == [.unstage, .stage, .keep])
        #expect(steps(first, in: list(token: nil, isStaging: true)) == [.unstage, .stage, .keep], "it begins again")
        #expect(ReceivingPlan(storing: first, in: list()).isStaging)
        #expect(steps(page([change], more: true), in: list(isStaging: true)) == [.stage, .keep])
        let replacement: [ReceivingStep] = [.clear, .takeStaged, .unstage, .reoffer, .pass]
        let last = ReceivingPlan(storing: page([change]), in: list(isStaging: true))
        #expect(last.steps == [.stage] + replacement + [.keep])
        #expect(!last.isStaging)
        let rest = ReceivingPlan(replacingWithStaged: list(isStaging: true))
        #expect(rest.steps == replacement)
        #expect(!rest.isStaging)
    }

    @Test func `a digest is compared last, and only when no more changes follow`() {
        var page = page([change], more: true)
        page.digest = ListState().digest
        #expect(!steps(page, in: list()).contains(.compare))
        page.moreComing = false
        #expect(steps(page, in: list()).last == .compare)
    }

    @Test func `the device's own entries are applied at once, others wait and are news`() {
        var plan = ReceivingPlan(storing: page([change]), in: list())
        let applied = [plan.take(entry(6), isOwn: true), plan.take(entry(8), isOwn: false)]
        #expect(applied == [true, false])
        #expect(plan.news == 1)
        plan.take(entry(5), isOwn: false)
        #expect(plan.news == 1, "an entry that the store has is no news")
        plan.take(change, isOwn: false)
        plan.take(Change(sequence: change.sequence, body: .discard(ids: [Samples.id()], anchors: [:])), isOwn: false)
        #expect(plan.news == 2, "a change of the share is news, a discard is not")
        #expect(plan.through == SequenceNumber(rawValue: 8))
    }

    @Test func `changes that come again never take the list back`() {
        var plan = ReceivingPlan(storing: page([change]), in: list(through: 9))
        plan.take(change, isOwn: false)
        #expect(plan.through == SequenceNumber(rawValue: 9))
        #expect(plan.news == 0)
    }

    @Test func `in a snapshot, entries that were not applied before are news`() {
        var plan = ReceivingPlan(storing: page([change], snapshot: true), in: list(through: 9))
        let applied = [
            plan.take(entry(1), isOwn: true), plan.take(entry(2), isOwn: false, wasApplied: true),
            plan.take(change, isOwn: false),
        ]
        #expect(applied == [true, true, false])
        #expect(plan.news == 0)
        plan.take(entry(8), isOwn: false)
        #expect(plan.news == 1)
        #expect(plan.through == SequenceNumber(rawValue: 8), "a service that was restored may have fewer changes")
    }

    @Test func `a list whose token is refused is fetched afresh, or kept where the service lost somebody else's`() {
        let (known, unknown) = (ReceivedEnd.tokenRefused(isUnknown: false), ReceivedEnd.tokenRefused(isUnknown: true))
        for isOwn in [true, false] {
            #expect(known.step(for: list(isOwn: isOwn)) == .fetchAfresh)
            #expect(known.step(for: list(isLocal: true, isOwn: isOwn)) == nil)
            #expect(known.step(for: list(token: nil, isPublished: false, isOwn: isOwn)) == nil)
        }
        #expect(known.step(for: list(token: nil, isOwn: true)) == .fetchAfresh)
        #expect(known.step(for: list(token: nil)) == nil)
        #expect(unknown.step(for: list(isOwn: true)) == .offerAgain)
        #expect(unknown.step(for: list(token: nil, isPublished: false, isOwn: true)) == nil, "it is offered already")
        #expect(unknown.step(for: list()) == .keepHere)
    }

    @Test func `a list that is gone leaves, unless the service has lost it`() {
        for isOwn in [true, false] {
            let gone = ReceivedEnd.gone(reason, isUnknown: false)
            #expect(gone.step(for: list(isOwn: isOwn)) == .leave(reason))
            #expect(gone.step(for: list(isLocal: true, isOwn: isOwn)) == nil)
        }
        #expect(ReceivedEnd.gone(reason, isUnknown: true).step(for: list(isOwn: true)) == .makeAnew)
        #expect(ReceivedEnd.gone(reason, isUnknown: true).step(for: list()) == .keepHere)
    }

    @Test func `an account that succeeds a lost one creates its own lists again, and keeps other people's here`() {
        let lost = ReceivedEnd.accountLost
        for isPublished in [true, false] {
            #expect(lost.step(for: list(isPublished: isPublished, isOwn: true)) == .offerAgain)
            #expect(lost.step(for: list(isPublished: isPublished)) == .keepHere)
            #expect(lost.step(for: list(isLocal: true, isPublished: isPublished, isOwn: true)) == nil)
        }
    }

    @Test func `a step says what is stored of a list that stays`() {
        for isOwn in [true, false] {
            let afresh = list(isStaging: true, isOwn: isOwn).after(.fetchAfresh)
            #expect(afresh.token == nil && !afresh.isStaging && !afresh.isLocal && afresh.isPublished == !isOwn)
        }
        let again = list(isOwn: true).after(.offerAgain)
        #expect(again.token == nil && !again.isPublished && !again.isLocal && again.isOwn)
        var unproven = list()
        unproven.owner?.proof = .unknown
        let kept = unproven.after(.keepHere)
        #expect(kept.token == nil && !kept.isPublished && kept.isLocal && !kept.isOwn)
    }

    @Test func `a fetch is reported by what came of it`() {
        var fetchOutcome = FetchOutcome()
        let unchanged = page([])
        fetchOutcome.note(
            unchanged, stored: ReceivingPlan(storing: unchanged, in: list(token: "new")), isNew: false)
        #expect(fetchOutcome == FetchOutcome(), "the same token and no changes are no progress")
        let ids: [EntryID] = [Samples.id(), Samples.id()]
        let changed = page([Change(sequence: change.sequence, body: .discard(ids: ids, anchors: [:]))])
        var plan = ReceivingPlan(storing: changed, in: list(token: "new"))
        plan.take(entry(6), isOwn: false)
        plan.take(entry(7), isOwn: false)
        plan.differs = true
        fetchOutcome.note(changed, stored: plan, isNew: true)
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
