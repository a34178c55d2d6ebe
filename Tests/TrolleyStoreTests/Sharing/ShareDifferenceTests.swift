import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyStore

@Suite("Differences between states of a share", .timeLimit(.minutes(20)))
struct ShareDifferenceTests {
    @Test("a difference leads to the newer state, and says the same of what has changed", arguments: 1...40)
    func same(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var older = ShareState()
        for _ in 0..<60 {
            let newer = state(after: older, &random)
            let difference = try ShareDifference(column: ShareDifference(from: older, to: newer).column.text)
            #expect(difference.applied(to: older) == newer, "seed \(seed)")
            for role in Role.allCases {
                #expect(
                    difference.changes(shownTo: role) == newer.shown(to: role).changes(since: older.shown(to: role)),
                    "seed \(seed)")
            }
            older = newer
        }
    }

    @Test("a difference from another state is refused, and doubles are kept")
    func others() {
        let (ann, ben) = (person(1), person(2))
        let double = ShareState(participants: [ann, ann])
        #expect(
            ShareDifference(from: double, to: ShareState(participants: [ann])).applied(to: double)?.participants == [
                ann
            ])
        let difference = ShareDifference(
            from: ShareState(participants: [ann, ben]), to: ShareState(participants: [ann]))
        #expect(difference.applied(to: ShareState(participants: [ann])) == nil)
        #expect(difference.before.count == 1 && difference.after.isEmpty)
    }

    private func person(_ number: UInt64, _ status: Participant.Status = .accepted) -> Participant {
        Participant(
            account: AccountID(UUIDBits(high: 1, low: number)), email: "p\(number)@example.com", name: "P\(number)",
            status: status)
    }

    /// A state as it may follow: somebody is invited, joins, leaves, is removed or permitted, or becomes the owner.
    private func state(after older: ShareState, _ random: inout SeededGenerator) -> ShareState {
        var people = older.participants.filter(\.isOnList)
        if people.isEmpty {
            var owner = person(0)
            owner.role = .owner
            return ShareState(participants: [owner])
        }
        let number = UInt64.random(in: 1...12, using: &random)
        let place = people.firstIndex { $0.account == person(number).account || $0.email == "p\(number)@example.com" }
        var departing: Participant?
        switch (place, Int.random(in: 0..<6, using: &random)) {
        case (nil, 0...2):
            var guest = person(number, .invited)
            if Bool.random(using: &random) { (guest.account, guest.name) = (nil, nil) }
            people.append(guest)
        case (nil, _): people.append(person(number))
        case (let place?, 0) where people[place].role != .owner: people.remove(at: place)
        case (let place?, 1) where people[place].role != .owner:
            var leaver = people.remove(at: place)
            leaver.status = leaver.status == .invited ? .declined : .left
            departing = leaver
        case (let place?, 2): people[place].permission = people[place].permission == .readOnly ? .readWrite : .readOnly
        case (let place?, 3) where people[place].status == .accepted:
            for index in people.indices { people[index].role = index == place ? .owner : .participant }
        case (let place?, 4): people[place].status = .accepted
        default: people[Int.random(in: people.indices, using: &random)].name = "renamed"
        }
        people.sort { ($0.role == .owner ? 0 : 1, $0.email ?? "") < ($1.role == .owner ? 0 : 1, $1.email ?? "") }
        return ShareState(participants: people + [departing].compactMap(\.self))
    }
}
