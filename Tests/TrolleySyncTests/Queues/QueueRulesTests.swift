import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

/// The rules by which every store changes its queues.
@Suite(.timeLimit(.minutes(20))) struct QueueRulesTests {
    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_772_000_000_000 + milliseconds) }
    private func sequence(_ value: Int64) -> SequenceNumber { SequenceNumber(rawValue: value) }

    @Test func `what was taken waits for its fetch, unless a fetch has passed it`() {
        let (early, late, known, refused): (EntryID, EntryID, EntryID, EntryID) = (
            Samples.id(), Samples.id(), Samples.id(), Samples.id()
        )
        let settlement = Settlement(
            [
                UploadVerdict(entry: late, outcome: .accepted(sequence(6))),
                UploadVerdict(entry: early, outcome: .accepted(sequence(5))),
                UploadVerdict(entry: known, outcome: .known),
                UploadVerdict(entry: refused, outcome: .rejected(.quotaExceeded, "full")),
            ], through: sequence(5))
        #expect(settlement.taken.map(\.entry) == [late] && settlement.taken.map(\.sequence) == [sequence(6)])
        #expect(settlement.retired == [early, known])
        #expect(settlement.refused == [Settlement.Refused(entry: refused, code: .quotaExceeded, detail: "full")])
    }

    @Test func `what was made while an upload was under way becomes as old as what was sent`() throws {
        let now = DeviceTime(boot: "b", uptime: 10_000, wall: time(10_000))
        let end = UploadEnd(age: 500, at: now, latest: time(9_000), sent: [])
        func queued(uptime: Int64, boot: String = "b", wall: Int64, estimate: Int64) -> UploadEnd.Queued {
            UploadEnd.Queued(
                isSent: false, isOffered: false, isConfirmed: false,
                made: DeviceTime(boot: boot, uptime: uptime, wall: time(wall)), estimate: time(estimate))
        }
        let older = queued(uptime: 8_000, wall: 99_000, estimate: 8_000)
        let times = try #require(end.times(of: older))
        #expect(times.made == DeviceTime(boot: "b", uptime: 9_500, wall: time(9_500)))
        #expect(times.estimate == time(9_000))
        #expect(end.times(of: queued(uptime: 9_500, wall: 0, estimate: 0)) == nil)
        #expect(
            end.times(of: queued(uptime: 9_999, boot: "a", wall: 9_499, estimate: 9_400)) != nil,
            "after a restart of the machine its wall clock counts")
        let unanswered = UploadEnd(age: 500, at: now, latest: nil, sent: [])
        #expect(
            unanswered.times(of: queued(uptime: 0, boot: "", wall: 0, estimate: 7)).map(\.estimate) == time(7))
        for part in [\UploadEnd.Queued.isSent, \.isOffered, \.isConfirmed] {
            var kept = older
            kept[keyPath: part] = true
            #expect(end.times(of: kept) == nil, "only what was not sent, and the service never had")
        }
    }

    @Test func `a rejected entry has arrived wherever it stands, and not if something else has its id`() {
        let milk = Samples.add("milk")
        let rejected = RejectedEntry(
            list: Samples.id(), listName: nil, entry: milk, code: .serverRecordChanged, detail: nil, rejectedAt: time(0)
        )
        var (moved, other) = (milk, milk)
        moved.after = Samples.id()
        other.fields = [Fields.text: .string("oat milk")]
        #expect(rejected.hasArrived(as: milk) && rejected.hasArrived(as: moved))
        #expect(!rejected.hasArrived(as: other))
    }

    @Test func `a page passes what was compressed away behind its last change`() {
        let list = ReceivingList(token: "t", isStaging: false, through: sequence(4))
        var page = ChangesPage(changes: [], token: "u", moreComing: false, snapshot: false)
        #expect(ReceivingPlan(storing: page, in: list).steps == [.keep])
        page.through = sequence(9)
        let plan = ReceivingPlan(storing: page, in: list)
        #expect(plan.steps == [.take, .pass, .keep] && plan.through == sequence(9))
        page.snapshot = true
        page.through = sequence(2)
        #expect(ReceivingPlan(storing: page, in: list).through == sequence(2), "a snapshot begins anew")
    }

    @Test func `a list is whose it was shared by, or whose proof the service has given`() {
        let (anna, ben): (AccountID, AccountID) = (Samples.id(), Samples.id())
        func isOwn(_ owner: AccountID?, _ proof: ListOwner.Proof, isStaging: Bool = false) -> Bool {
            ListOwner(owner: owner, proof: proof, account: anna).isOwn(isStaging: isStaging)
        }
        #expect(isOwn(anna, .none) && !isOwn(ben, .text("proof")), "a share says it")
        #expect(isOwn(nil, .text("proof")) && !isOwn(nil, .none))
        #expect(isOwn(nil, .unknown) && !isOwn(nil, .unknown, isStaging: true), "a snapshot may bring a share")
    }

    @Test func `the proof of a list that changes hands is void, each time`() {
        let (anna, ben): (AccountID, AccountID) = (Samples.id(), Samples.id())
        func proof(after owners: AccountID?...) -> ListOwner.Proof? {
            let owner = ListOwner(owner: anna, proof: .text("proof"), account: anna)
            let list = ReceivingList(token: "t", isStaging: false, through: .start, owner: owner)
            let page = ChangesPage(changes: [], token: "t", moreComing: false, snapshot: false)
            var plan = ReceivingPlan(storing: page, in: list)
            for (place, owner) in owners.enumerated() {
                plan.take(.share(owner: owner), at: sequence(Int64(place) + 1), isOwn: false)
            }
            return plan.owner?.proof
        }
        #expect(proof(after: anna, anna) == .text("proof"))
        #expect(proof(after: ben) == ListOwner.Proof.none)
        #expect(proof(after: ben, anna) == .unknown, "the service issues another one")
        #expect(proof(after: ben, anna, ben) == ListOwner.Proof.none)
        #expect(proof(after: nil) == .text("proof"), "an owner without an account changes nothing")
    }

    @Test func `entries that were sent keep their numbers, and later ones go on from there`() {
        var numbering = Renumbering()
        let numbers = [(7, true, false), (3, true, false), (1, false, false), (99, true, true), (2, false, false)].map {
            numbering.number($0, isSent: $1, isOffered: $2)
        }
        #expect(numbers == [nil, nil, 8, nil, 9] && numbering.last == 9)
        #expect(Renumbering().last == 0)
    }

    @Test func `a list that is offered again comes first, and no later than what was made here`() {
        let offer = ListOffer(count: 3, latest: time(5_000), first: 4, unsent: time(4_000), at: time(9_000))
        #expect(offer.position == -2)
        #expect(offer.wall(of: time(5_000)) == time(4_000), "the service's clock is ahead")
        #expect(ListOffer(count: 3, latest: nil, first: -9, unsent: nil, at: time(0)).position == -12)
        let behind = ListOffer(count: 1, latest: time(1_000), first: nil, unsent: time(4_000), at: time(9_000))
        #expect(behind.wall(of: time(1_000)) == time(1_000))
        let unset = ListOffer(count: 1, latest: time(5_000), first: nil, unsent: nil, at: time(2_000))
        #expect(unset.wall(of: time(5_000)) == time(2_000))
    }

    @Test func `a report has the smallest number that each list holds back, and the newest failures`() {
        let (list, other): (ListID, ListID) = (Samples.id(), Samples.id())
        var counts = QueueCounts()
        for (number, age) in [(7, 20), (5, 90), (6, 10)] as [(Int64, Int64)] {
            counts.noteWaiting(.edit, number: number, age: age, in: list)
        }
        counts.noteWaiting(.add, number: 3, age: 0, in: other)
        #expect(counts.held.map(\.list) == [list, other] && counts.held.map(\.number) == [5, 3])
        #expect(counts.oldestAge == 90)
        for place in 0..<12 as Range<Int64> {
            counts.note(PastFailure(code: "code\(place % 10)", count: 2, at: time(place)), at: time(100))
        }
        let newest = counts.newestFailures
        #expect(newest.map(\.age) == [89, 90, 91, 92, 93, 94, 95, 96])
        #expect(newest.first == QueueReport.Failure(code: "code1", count: 4, age: 89))
    }

    @Test func `a list that a service has lost is created with the people who were on it`() {
        let (list, anna, ben): (ListID, AccountID, AccountID) = (Samples.id(), Samples.id(), Samples.id())
        let share = ShareState(participants: [
            Participant(account: anna, email: "a@example.com", role: .owner, permission: .readWrite, status: .accepted),
            Participant(
                account: ben, email: "b@example.com", role: .participant, permission: .readOnly, status: .accepted),
            Participant(
                account: Samples.id(), email: "c@example.com", role: .participant, permission: .readWrite,
                status: .invited),
        ])
        #expect(CreateListRequest(of: list, proof: .none, share: share) == CreateListRequest(id: list))
        let people = CreateListRequest(of: list, proof: .text("proof"), share: share).people
        #expect(people == [ListPerson(account: ben, permission: .readOnly)])
        #expect(share.names(except: [anna]).keys.contains(ben) && !share.names(except: [anna]).keys.contains(anna))
    }
}
