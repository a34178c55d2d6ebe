import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleySync

@testable import TrolleyClient

@Suite("Whereabouts", .timeLimit(.minutes(20)))
struct WhereaboutsTests {
    @Test("what compression took is found: a purchase on the device, the rest in the service's Activity")
    func compressed() async throws {
        try await RoomPair.with(processes: 1) { pair in
            let (alice, list) = (pair.alice, pair.list)
            let bread = alice.identifier(ItemID.self)
            try await alice.list(list).perform([.add(bread, ["text": "bread"], .bottom)])
            for device in [alice, pair.bob] { #expect(try await device.sync(.manual).failure == nil) }
            try await pair.bob.list(list).perform([.delete(bread), .markOff(pair.milk)])
            for device in [pair.bob, alice] { #expect(try await device.sync(.manual).failure == nil) }
            func found(_ name: String) async throws -> Whereabouts.Item {
                let found = try await alice.whereabouts(of: name)
                #expect(found.isWhole && found.items.count == 1, "\(name): \(found)")
                return try #require(found.items.first)
            }
            #expect(try await found("bread").source == .list)
            #expect(try await found("milk").source == .list)

            let pool = Pool(try Store.configuration(pair.url))
            let store = Store(pool: pool)
            let later = try await store.now().advanced(byMilliseconds: 60_000)
            #expect(try await store.compress(list, olderThan: later).map { $0.discarded > 0 } == true)
            await pool.close()
            #expect(try await alice.sync(.manual).failure == nil)
            let (deleted, bought) = (try await found("bread"), try await found("milk"))
            #expect(deleted.source == .activity && deleted.trace.status == .deleted && deleted.sinceName == "bob")
            #expect(deleted.addedName == "alice")
            #expect(bought.source == .purchase && bought.trace.status == .markedOff && bought.sinceName == "bob")
            #expect(try await alice.whereabouts(of: "gin") == Whereabouts(items: [], isWhole: true))

            // Something else by a similar name doesn't hide what is gone.
            let rye = alice.identifier(ItemID.self)
            try await alice.list(list).perform([.add(rye, ["text": "rye bread"], .bottom)])
            let both = try await alice.whereabouts(of: "bread")
            #expect(both.isWhole && Set(both.items.map(\.trace.id)) == [rye, bread], "\(both)")
            #expect(Set(both.items.map(\.source)) == [.unconfirmed, .activity])
            // The item itself does: it was added again.
            let again = alice.identifier(ItemID.self)
            try await alice.list(list).perform([.add(again, ["text": "bread"], .bottom)])
            let here = try await alice.whereabouts(of: "bread")
            #expect(Set(here.items.map(\.trace.id)) == [rye, again], "\(here)")
        }
    }
}
