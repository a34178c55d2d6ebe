import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("Shares of many people", .timeLimit(.minutes(20)))
struct LargeShareTests {
    @Test("what is stored of a state is what has changed, and every state is in the stream as it was")
    func differences() async throws {
        try await TestStore.with { test in
            let share = try await LargeShare(of: 60, in: test)
            let states = try await share.permit(150)
            #expect(try await share.all().states == states)
            #expect(try await share.all().map(\.sequence.rawValue) == Array(1...150))
            let whole = try await share.number("SELECT count(*) FROM event WHERE base IS NULL")
            #expect(whole == 3, "each is followed by at most 63 differences")
            let stored = try await share.number(
                "SELECT sum(octet_length(change::text) + octet_length(difference::text))::bigint FROM event")
            let bytes = try await share.number("SELECT sum(bytes)::bigint FROM event")
            #expect(stored * 10 < bytes)
            #expect(try await share.number("SELECT share_bytes FROM list") == stored)
            // From any place, for anybody.
            let (reader, token) = (share.people[7], SequenceNumber(rawValue: 100))
            let later = try await test.store.changes(of: share.list, for: reader, after: token, limit: 10)
            #expect(try later.changes.states == states[100..<110].map { $0.shown(to: .participant) })
        }
    }

    @Test("a page ends where its bytes are used up, and the pages together have every state", arguments: [false, true])
    func pages(isOld: Bool) async throws {
        try await TestStore.with { test in
            let share = try await LargeShare(of: 60, in: test)
            let states = try await share.permit(150)
            if isOld { try await share.makeOld() }
            var (after, found, pages) = (SequenceNumber.start, [ShareState](), 0)
            while true {
                let page = try await test.store.changes(
                    of: share.list, for: share.owner.account, after: after, limit: 5000)
                #expect(page.stored.memory < 2 << 20)
                found += try page.changes.states
                pages += 1
                guard let last = try page.last, !page.isComplete else { break }
                after = last.sequence
            }
            #expect(found == states && pages > 1)
            // New states follow old ones.
            let next = try await test.store.permit(
                .readWrite, to: share.people[0], on: share.list, by: share.owner.account)
            let state = try await test.store.permit(
                .readOnly, to: share.people[0], on: share.list, by: share.owner.account)
            #expect(try await share.all().states == states + [next, state])
        }
    }

    @Test("a device gets the changes of its other lists beside those of a large share, and all in the end")
    func allLists() async throws {
        try await TestStore.with { test in
            let share = try await LargeShare(of: 60, in: test)
            let states = try await share.permit(150)
            let other = try await test.list(of: share.owner)
            try await test.upload([.add("milk")], to: other, by: share.owner)
            var known: [ListID: SequenceNumber] = [share.list: .start, other: .start]
            var (found, rounds) = ([ShareState](), 0)
            while found.count < states.count, rounds < 20 {
                let all = try await test.store.changes(
                    for: share.owner.account, device: share.owner.device, after: known, limit: 5000)
                rounds += 1
                for changeRange in all.changeRanges {
                    #expect(changeRange.stored.memory < 2 << 20)
                    if changeRange.list == share.list { found += try changeRange.changes.states }
                    if let last = try changeRange.last { known[changeRange.list] = last.sequence }
                }
                #expect(known[other]?.rawValue == 1, "the other list is complete from the first answer on")
            }
            #expect(found == states && rounds > 1)
            #expect(test.store.memory.used == 0)
        }
    }

    @Test("one large list, for which there is no memory, keeps no other list from the device")
    func noMemory() async throws {
        var reading = ReadingLimits()
        (reading.bytes, reading.bytesPerAccount) = (512 << 10, 256 << 10)
        try await TestStore.with(reading: reading) { test in
            let share = try await LargeShare(of: 60, in: test)
            try await share.permit(80)
            let other = try await test.list(of: share.owner)
            try await test.upload([.add("milk")], to: other, by: share.owner)
            let all = try await test.store.changes(for: share.owner.account, after: [:], limit: 5000)
            let ranges = Dictionary(uniqueKeysWithValues: all.changeRanges.map { ($0.list, $0) })
            #expect(ranges[other]?.stored.count == 1 && ranges[share.list]?.isReached == false)
        }
    }

    @Test("when its states have reached their largest size, nobody can be added, and everybody can go")
    func bound() async throws {
        try await TestStore.with { test in
            let share = try await LargeShare(of: 3, in: test)
            let secret = try await test.invite(nil, to: share.list, of: share.owner)
            let late = try await test.person("late")
            try await share.permit(1)
            try await test.run("UPDATE list SET share_bytes = \(RecordedShare.bytesPerList)")
            let owner = share.owner.account
            #expect(await failure { try await share.permit(3) } == "tooManyShareChanges")
            #expect(
                await failure { try await test.invite("a@example.com", to: share.list, of: share.owner) }
                    == "tooManyShareChanges")
            #expect(
                await failure {
                    try await test.store.acceptInvitation(secretHash: secret, by: late.account, limit: 100)
                } == "tooManyShareChanges")
            #expect(
                await failure { try await test.store.handOver(share.list, to: share.people[0], by: owner) }
                    == "tooManyShareChanges")
            try await test.store.removeParticipant(share.people[0], from: share.list, by: owner)
            try await test.store.removeParticipant(share.people[1], from: share.list, by: share.people[1])
            try await test.store.stopSharing(share.list, by: owner)
            #expect(try await test.store.share(of: share.list, for: owner).share.participants.count == 1)
        }
    }
}
