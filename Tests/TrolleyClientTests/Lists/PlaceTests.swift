import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// Where a person keeps their lists, on several of their devices.
@Suite("Places of lists on devices", .timeLimit(.minutes(20)))
struct PlaceTests {
    /// Two devices of Ann's, with three lists.
    private func with(
        _ body: (InMemoryService, _ phone: Device, _ desk: Device, _ lists: [ShoppingList]) async throws -> Void
    ) async throws {
        let service = InMemoryService()
        let phone = try await service.device(of: "Ann")
        var lists: [ShoppingList] = []
        for name in ["Shop", "Party", "Garden"] { lists.append(try await phone.makeList(named: name)) }
        _ = try await phone.sync()
        let desk = try await service.device(of: "Ann")
        _ = try await desk.sync()
        try await body(service, phone, desk, lists)
    }

    private func shown(_ device: Device) async throws -> [String] {
        try await device.lists().map {
            ($0.name ?? "") + ($0.place.pinned ? " pinned" : "") + ($0.place.archived ? " archived" : "")
        }
    }

    @Test("what is arranged on one device is so on the other one, and after a restart")
    func across() async throws {
        try await with { _, phone, desk, lists in
            let ids = lists.map(\.id)
            #expect(try await shown(phone).sorted() == ["Garden", "Party", "Shop"])
            #expect(try await shown(phone) == shown(desk))
            try await lists[0].setPinned(true)
            try await lists[1].setArchived(true)
            #expect(try await shown(phone) == ["Shop pinned", "Garden", "Party archived"])
            _ = try await phone.sync()
            _ = try await desk.sync()
            #expect(try await shown(desk) == ["Shop pinned", "Garden", "Party archived"])
            try await desk.list(ids[0]).setPinned(false)
            try await desk.list(ids[1]).setArchived(false)
            try await desk.list(ids[2]).move(.before, ids[1])
            try await desk.list(ids[0]).move()
            #expect(try await shown(desk) == ["Shop", "Garden", "Party"])
            _ = try await desk.sync()
            _ = try await phone.sync()
            #expect(try await shown(phone) == ["Shop", "Garden", "Party"])
            #expect(try await phone.store.untoldPlaces().isEmpty)
        }
    }

    @Test("of what two devices have changed offline, each part is kept")
    func parts() async throws {
        try await with { service, phone, desk, lists in
            service.isReachable = false
            try await lists[0].setPinned(true)
            try await desk.list(lists[0].id).setArchived(true)
            #expect(try await phone.sync().failure != nil)
            service.isReachable = true
            for device in [phone, desk, phone] { #expect(try await device.sync().failure == nil) }
            #expect(try await shown(phone) == shown(desk))
            #expect(try await phone.lists().last?.place == ListPlace(pinned: true, archived: true))
        }
    }

    @Test("an answer that is lost, and a change during the call, lose nothing")
    func lost() async throws {
        try await with { service, phone, desk, lists in
            service.goWrong { _, path in path.hasSuffix("/place") ? .lostResponse : nil }
            try await lists[0].setPinned(true)
            _ = try await phone.sync()
            #expect(try await phone.store.untoldPlaces().count == 1)
            service.goWrong { _, _ in nil }
            // What the service has heard is not what is wanted by now.
            let told = try #require(try await phone.store.untoldPlaces().first)
            try await lists[0].setPinned(false)
            try await phone.store.notePlace(of: lists[0].id, as: ListPlace(pinned: true), after: told)
            #expect(try await phone.store.untoldPlaces().map(\.place.pinned) == [false])
            _ = try await phone.sync()
            _ = try await desk.sync()
            #expect(try await !shown(desk).contains("Shop pinned"))
            #expect(try await phone.store.untoldPlaces().isEmpty)
        }
    }

    @Test("a list that is on this device alone is told of when it is published")
    func local() async throws {
        try await with { service, phone, desk, _ in
            let local = try await phone.makeList(named: "Ideas", isLocal: true)
            try await local.setPinned(true)
            _ = try await phone.sync()
            #expect(try await phone.store.untoldPlaces().isEmpty, "nobody else knows the list")
            try await local.publish()
            _ = try await phone.sync()
            _ = try await desk.sync()
            #expect(try await shown(desk).first == "Ideas pinned")
            await #expect(throws: DeviceError.self) { try await phone.list(Samples.id()).setPinned(true) }
        }
    }

    @Test("a device that keeps itself in step hears at once where another one has put a list")
    func hint() async throws {
        try await with { _, phone, desk, lists in
            phone.start()
            desk.start()
            try await lists[1].setPinned(true)
            for try await lists in desk.listUpdates where lists.first?.place.pinned == true { break }
            #expect(try await shown(desk).first == "Party pinned")
            await phone.stop()
            await desk.stop()
        }
    }

    @Test("a hint at places doesn't end the wait after a failure, and the run that it causes fetches them")
    func hintIsAHint() async throws {
        try await with { _, phone, desk, lists in
            let triggers = desk.triggers(every: .seconds(3600))
            for await trigger in triggers where trigger == .network { break }
            try await lists[1].setPinned(true)
            _ = try await phone.sync()
            let hinted = await triggers.first { _ in true }
            #expect(hinted == .push)
            _ = try await desk.sync(.push)
            #expect(try await shown(desk).first == "Party pinned")
        }
    }
}
