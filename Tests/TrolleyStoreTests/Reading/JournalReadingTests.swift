import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("A list's journal, passed once", .timeLimit(.minutes(20)))
struct JournalReadingTests {
    private typealias Passed = [JournalPart: [EntryID]]

    private func pass(
        _ list: ListID, _ parts: [JournalPart], for session: Session, in test: TestStore
    ) async throws -> JournalReading<Passed> {
        try await test.store.journal(
            of: list, for: session.account, countedFor: session.device, parts, into: Passed()
        ) { passed, entry, part in
            passed[part, default: []].append(entry.entry.id)
            return 100
        }
    }

    @Test("each part has its entries once, in the order in which they happened, also those that were brought back")
    func parts() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            let (milk, bread) = (JournalEntry.add("milk", 1), JournalEntry.add("bread", 2))
            let done = JournalEntry.change(.markOff, bread.item, 3)
            let edit = JournalEntry.change(.edit, milk.item, 4, ["text": "oat milk"])
            try await test.upload([milk, bread, done, edit], to: list, by: alice)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            #expect(try await test.store.compress(list, olderThan: cutOff)?.discarded == 2)
            let old = JournalPart.recent(since: cutOff.advanced(byMilliseconds: -3_600_000))
            let new = JournalPart.recent(since: cutOff.advanced(byMilliseconds: 3_600_000))
            let all = [milk, bread, done, edit].map(\.id)
            let read = try await pass(list, [.live, .activity, old, new], for: alice, in: test)
            #expect(read.value == [.live: [milk.id, edit.id], .activity: all, old: all, new: [milk.id, edit.id]])
            // The device's last number is that of an archived entry's, or of a live one's.
            #expect(read.lastCounter == 4 && read.retainedFrom == nil && read.list.permission == .readWrite)
            #expect(read.people.participants.map(\.name) == ["alice"])

            // Bread is wanted again: its entries are live at new places, and happened once.
            let again = JournalEntry.change(.edit, bread.item, 5, ["note": "rye"])
            try await test.upload([again], to: list, by: alice)
            let back = try await pass(list, [.activity, old, new], for: alice, in: test)
            #expect(back.value[.activity] == all + [again.id])
            #expect(back.value[old] == all + [again.id])
            #expect(Set(back.value[new] ?? []).isSuperset(of: [milk.id, bread.id, edit.id, again.id]))
            #expect(back.value[new]?.count == Set(back.value[new] ?? []).count)
        }
    }

    @Test("what a device's newest entries are about is passed whole, and of other items only what is live or new")
    func touched() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let device = try await test.store.createDevice(
                account: alice.account, name: "script", tokenHash: (0..<32).map { _ in .random(in: .min ... .max) })
            let script = Session(account: alice.account, device: device.id)
            let list = try await test.list(of: alice)
            let (milk, tea, jam) = (JournalEntry.add("milk", 1), JournalEntry.add("tea", 1), JournalEntry.add("jam", 3))
            let edit = JournalEntry.change(.edit, milk.item, 2, ["note": "oat"])
            let offs = [JournalEntry.change(.markOff, milk.item, 4), .change(.markOff, tea.item, 5)]
            try await test.upload([milk], to: list, by: script)
            try await test.upload([tea, edit, jam] + offs, to: list, by: alice)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            #expect(try await test.store.compress(list, olderThan: cutOff)?.discarded == 5)
            let past = cutOff.advanced(byMilliseconds: -3_600_000)
            let future = cutOff.advanced(byMilliseconds: 3_600_000)
            func part(_ newest: Int, since: Timestamp) -> JournalPart {
                .touched(by: script.device, newest: newest, since: since)
            }
            let own = part(5, since: future)
            let read = try await pass(list, [own], for: script, in: test)
            #expect(read.value[own] == [milk.id, edit.id, jam.id, offs[0].id])
            #expect(read.touchedFrom == nil && read.lastCounter == 1)
            let recent = part(5, since: past)
            let all = [milk, tea, edit, jam].map(\.id) + offs.map(\.id)
            #expect(try await pass(list, [recent], for: script, in: test).value[recent] == all)

            // Milk is wanted again: its entries are live at new places, and happened once.
            let again = JournalEntry.change(.edit, milk.item, 6, ["note": "rye"])
            try await test.upload([again], to: list, by: alice)
            let back = try await pass(list, [own], for: script, in: test)
            #expect(back.value[own] == [milk.id, edit.id, jam.id, offs[0].id, again.id])

            // A gesture that has no room among the newest entries is left out.
            var pair = [JournalEntry.add("bread", 2), .add("eggs", 3)]
            let batch = BatchID.version7(at: .now, random: RandomBits.random)
            for index in pair.indices { pair[index].batch = batch }
            try await test.upload(pair + [.add("rice", 4)], to: list, by: script)
            for (newest, first) in [(1, 4), (2, 4), (3, 2), (4, nil)] as [(Int, Int64?)] {
                let read = try await pass(list, [part(newest, since: future)], for: script, in: test)
                #expect(read.touchedFrom == first, "\(newest)")
            }
        }
    }

    @Test("what is passed counts against the account's memory as long as it is held, and not beyond")
    func memory() async throws {
        var limits = ReadingLimits()
        limits.bytesPerAccount = 100 * 50
        try await TestStore.with(reading: limits) { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            try await test.upload((1...20).map { .add("milk", Int64($0)) }, to: list, by: alice)
            do {
                let held = try await pass(list, [.live], for: alice, in: test)
                #expect(held.reservation.count >= 2000 && test.store.memory.used == held.reservation.count)
            }
            #expect(test.store.memory.used == 0)
            try await test.upload((21...60).map { .add("milk", Int64($0)) }, to: list, by: alice)
            await #expect(throws: StoreError.self) { try await pass(list, [.live], for: alice, in: test) }
            #expect(test.store.memory.used == 0)
        }
    }

    @Test("somebody who isn't on the list gets nothing passed")
    func stranger() async throws {
        try await TestStore.with { test in
            let (alice, eve) = (try await test.person("alice"), try await test.person("eve"))
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk", 1)], to: list, by: alice)
            await #expect(throws: StoreError.self) { try await pass(list, [.live], for: eve, in: test) }
        }
    }
}

extension JournalEntry {
    fileprivate static func change(
        _ operation: Operation, _ item: ItemID?, _ deviceSequence: Int64, _ fields: Fields = [:]
    ) -> JournalEntry {
        JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: operation, item: item, fields: fields,
            deviceSequence: deviceSequence)
    }
}
