import Testing
import TrolleyJournal

@Suite("Participant diff", .timeLimit(.minutes(20)))
struct ParticipantDiffTests {
    private let alice = Participant(account: .sample(1), email: "alice@example.com", role: .owner, status: .accepted)
    private let bob = Participant(account: .sample(2), email: "bob@example.com", status: .accepted)
    private let carol = Participant(account: nil, email: "carol@example.com", status: .invited)

    private func changes(from older: [Participant], to newer: [Participant]) -> [ParticipantChange] {
        ShareState(participants: newer).changes(since: ShareState(participants: older))
    }

    @Test("a newly shared list has an invitation, and its owner has not joined")
    func firstShared() {
        let changes = ShareState(participants: [alice, carol]).changes(since: nil)
        #expect(changes == [ParticipantChange(.invited, carol)])
    }

    @Test("an invited person joins with the account that has the address, in upper or lower case")
    func invitedByAddressJoins() {
        let joined = Participant(account: .sample(3), email: "Carol@Example.com", status: .accepted)
        #expect(changes(from: [alice, carol], to: [alice, joined]) == [ParticipantChange(.joined, joined)])
    }

    @Test("a person with a one-time link joins without an invitation by address")
    func joinsByLink() {
        #expect(changes(from: [alice], to: [alice, bob]) == [ParticipantChange(.joined, bob)])
    }

    @Test(
        "somebody whose invitation still stands, or who is marked as left, has left",
        arguments: [
            Participant.Status.invited, .left,
        ])
    func leaves(_ status: Participant.Status) {
        var gone = bob
        gone.status = status
        #expect(changes(from: [alice, bob], to: [alice, gone]) == [ParticipantChange(.left, gone)])
    }

    @Test("a state that no longer contains a person who has left is no change")
    func leftAndForgotten() {
        var gone = bob
        gone.status = .left
        #expect(changes(from: [alice, gone], to: [alice]).isEmpty)
    }

    @Test("a missing participant was removed")
    func removed() {
        #expect(changes(from: [alice, bob, carol], to: [alice, carol]) == [ParticipantChange(.removed, bob)])
    }

    @Test("participants see present and former participants, the owner also people who were only invited")
    func shownByRole() {
        let declining = Participant(account: nil, email: "dora@example.com", status: .declined)
        let gone = Participant(account: .sample(4), status: .left, accountDeleted: true)
        let redacted = Participant(account: .sample(5), status: .invited)
        var away = bob
        away.status = .invited
        var left = bob
        left.status = .left
        let state = ShareState(participants: [alice, carol, declining, gone, redacted, away])
        #expect(state.shown(to: .owner) == state)
        #expect(state.shown(to: .participant).participants == [alice, gone, left])
        let before = ShareState(participants: [alice, bob, carol])
        #expect(
            state.shown(to: .participant).changes(since: before.shown(to: .participant)) == [
                ParticipantChange(.left, left)
            ])
    }

    @Test("somebody who left, could have come back and deleted the account has left; somebody never there stays unseen")
    func redactedAfterLeaving() {
        var away = bob
        away.status = .invited
        #expect(away.redacted(account: .sample(2)) == Participant(account: .sample(2), status: .left))
        let never = carol.redacted(account: .sample(3))
        #expect(never == Participant(account: .sample(3), status: .invited))
        #expect(ShareState(participants: [never]).shown(to: .participant).participants.isEmpty)
    }

    @Test("an invitation is declined")
    func declined() {
        var declining = carol
        declining.status = .declined
        #expect(changes(from: [alice, carol], to: [alice, declining]) == [ParticipantChange(.declined, declining)])
    }

    @Test("a permission changes")
    func permissionChanges() {
        var reader = bob
        reader.permission = .readOnly
        let expected = ParticipantChange(.permissionChanged, reader, previousPermission: .readWrite)
        #expect(changes(from: [alice, bob], to: [alice, reader]) == [expected])
    }

    @Test("a participant becomes the owner, and the previous owner neither joins nor leaves")
    func handedOver() {
        var (former, owner) = (alice, bob)
        former.role = .participant
        owner.role = .owner
        #expect(changes(from: [alice, bob], to: [owner, former]) == [ParticipantChange(.becameOwner, owner)])
        // Nobody granted the owner's permission, so its change is not reported.
        former.permission = .readOnly
        #expect(changes(from: [alice, bob], to: [owner, former]) == [ParticipantChange(.becameOwner, owner)])
    }

    @Test("an invitation that is missing has ended")
    func invitationEnds() {
        #expect(changes(from: [alice, carol], to: [alice]) == [ParticipantChange(.invitationEnded, carol)])
    }

    @Test("a participant or an owner deletes their account")
    func accountDeleted() {
        let gone = Participant(account: bob.account, status: .left, accountDeleted: true)
        #expect(changes(from: [alice, bob], to: [alice, gone]) == [ParticipantChange(.accountDeleted, gone)])
        var owner = bob
        owner.role = .owner
        let former = Participant(account: alice.account, status: .left, accountDeleted: true)
        #expect(
            changes(from: [alice, bob], to: [owner, former]) == [
                ParticipantChange(.becameOwner, owner), ParticipantChange(.accountDeleted, former),
            ])
    }

    @Test("a list is shared while anybody but the owner is on it or invited")
    func isShared() {
        var gone = bob
        gone.status = .left
        #expect(ShareState(participants: [alice, carol]).isShared)
        #expect(!ShareState(participants: [alice]).isShared && !ShareState(participants: [alice, gone]).isShared)
    }

    @Test("equal states have no changes")
    func nothing() {
        #expect(changes(from: [alice, bob, carol], to: [carol, alice, bob]).isEmpty)
    }
}
