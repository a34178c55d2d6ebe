import Foundation
import Testing
import TrolleyClient
import TrolleySyncTesting

/// An app's own tests need no service: they have one in memory, which does what a real one does.
@Suite(.timeLimit(.minutes(20))) struct InMemoryServiceTests {
    @Test func `what two people do and see is the same in memory and by a real service`() async throws {
        let memory = InMemoryService()
        let known = try await Story(
            ann: memory.device(of: "Ann"), ben: memory.device(of: "Ben")
        ).tell()
        let real = try await RunningService.run { service, directory in
            var devices: [Device] = []
            for name in ["Ann", "Ben"] {
                let device = try Device(directory: "\(directory)/\(name)")
                _ = try await device.signUp(
                    server: service.address, email: "\(name.lowercased())@example.com", name: name,
                    password: InMemoryService.password)
                devices.append(device)
            }
            return try await Story(ann: devices[0], ben: devices[1]).tell()
        }
        #expect(known.count > 30)
        for (mine, theirs) in zip(known, real) { #expect(mine == theirs) }
        #expect(known.count == real.count)
    }

    @Test func `devices that keep themselves in step hear of each other at once`() async throws {
        let service = InMemoryService()
        let (ann, ben) = (try await service.device(of: "Ann"), try await service.device(of: "Ben"))
        let list = try await ann.makeList(named: "Party")
        ann.start()
        _ = try await ben.join(try await list.invite().link)
        ben.start()
        try await ben.list(list.id).add("chips")
        try await eventually("Ann has it") { try await list.state().items.map(\.text) == ["chips"] }
        await ann.stop()
        await ben.stop()
    }

    @Test func `without a signal everything waits, and an answer that is lost doubles nothing`() async throws {
        let service = InMemoryService()
        let phone = try await service.device(of: "Ann")
        let list = try await phone.makeList(named: "Shop")
        service.isReachable = false
        try await list.add("milk")
        #expect(try await phone.sync().failure != nil)
        #expect(try await phone.queues().waiting == 2)
        service.isReachable = true
        service.goWrong { method, path in path.hasSuffix("/entries") ? .lostResponse : nil }
        #expect(try await phone.sync(.manual).failure != nil)
        service.goWrong { _, _ in nil }
        #expect(try await phone.sync(.manual).failure == nil)
        #expect(service.entries(of: list.id).count == 2)
        #expect(try await phone.queues().waiting == 0)
    }

    @Test func `a request that is too large is sent in halves`() async throws {
        let service = InMemoryService()
        let phone = try await service.device(of: "Ann")
        service.setLimits(Limits(entriesPerRequest: 2))
        let list = try await phone.makeList(named: "Shop")
        try await list.add((1...9).map { "item \($0)" }.joined(separator: "\n"))
        #expect(try await phone.sync().failure == nil)
        #expect(service.entries(of: list.id).count == 10)
    }

    @Test func `a restored copy is healed by the devices`() async throws {
        let service = InMemoryService()
        let phone = try await service.device(of: "Ann")
        let list = try await phone.makeList(named: "Shop")
        try await list.add("milk\neggs")
        _ = try await phone.sync()
        service.restore(list.id, losing: 2)
        _ = try await phone.sync()
        _ = try await phone.sync()
        #expect(service.entries(of: list.id).count == 3)
        #expect(try await list.state().items.map(\.text) == ["milk", "eggs"])
    }

    @Test func `a device in memory leaves no file behind`() async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Preview")
        try await list.add("milk")
        #expect(try await list.state().items.map(\.text) == ["milk"])
        #expect(try await device.sync().failure == .notSignedIn)
        await device.close()
    }
}

/// What two people do with a list, and what each of them sees of it.
private struct Story {
    let ann: Device
    let ben: Device

    /// - Returns: what was seen, step by step, without ids and times.
    func tell() async throws -> [String] {
        var seen: [String] = []
        func see(_ step: String, _ what: some Any) { seen.append("\(step): \(what)") }
        func refused(_ step: String, _ body: () async throws -> Void) async {
            do {
                try await body()
                seen.append("\(step): nothing")
            } catch { seen.append("\(step): \((error as? DeviceError)?.problem?.code.rawValue ?? "\(error)")") }
        }
        func sync(_ devices: Device...) async throws {
            for device in devices { see("sync", try await device.sync(.manual).failure == nil) }
        }
        await refused("a wrong password") { _ = try await ann.account.changePassword(from: "no", to: "much better") }
        let list = try await ann.makeList(named: "Party", colour: "#c00")
        try await list.add("2x chips\nbeer")
        try await sync(ann)
        let link = try await list.invite(permission: .readOnly).link
        see("invitations", try await list.invitations().map { "\($0.email ?? "link") \($0.permission)" })
        let offer = try await ben.previewInvitation(link)
        see("offer", "\(offer.name ?? "") \(offer.owner) \(offer.permission) \(offer.accepted)")
        let bens = try await ben.join(link).list
        see("Ben's", try await bens.state().items.map(\.text))
        await refused("reading only") { try await bens.add("wine") }
        guard let account = try await ben.session()?.account, let owner = try await ann.session()?.account else {
            return []
        }
        try await list.permit(.readWrite, to: account)
        try await sync(ben)
        try await bens.add("wine")
        try await bens.write("the red one?")
        try await sync(ben, ann)
        see("Ann's", try await list.state().items.map(\.text))
        see("unread", try await list.summary().unread)
        try await list.markRead()
        see("read", try await list.summary().unread)
        see("messages", try await list.messages().map(\.text))
        see("people", try await people(list))
        see("Ben's people", try await people(bens))
        see(
            "delivery",
            try await list.delivery().people.map {
                "\($0.participant.name ?? "") \($0.received.rawValue) \($0.read.rawValue)"
            })
        see(
            "activity",
            try await list.activity(limit: 50).activity.map { item in
                switch item.event {
                case .entry(let entry): "\(entry.entry.operation) \(item.itemText ?? "-") \(item.authorName ?? "-")"
                case .participant(let change): "\(change.kind) \(change.participant.name ?? "-")"
                }
            })
        try await ann.account.change(name: "Ann Smith", colour: "teal")
        try await sync(ben)
        see("renamed", try await people(bens))
        see("profile", try await ann.account.profile().colour ?? "")
        let other = try await ann.makeList(named: "Other")
        try await list.setPinned(true)
        try await other.setArchived(true)
        try await ann.setCurrentList(list.id)
        try await sync(ann)
        see("arranged", try await ann.lists().map { "\($0.name ?? "") \($0.place.pinned) \($0.place.archived)" })
        see("Ben's places", try await ben.lists().map(\.place.pinned))
        see("then", try await list.replay(to: .change(3)).state.items.map(\.text))
        see("presence", try await bens.announcePresence().map { $0.name ?? "" })
        see("with both", try await list.announcePresence().map { $0.name ?? "" })
        try await bens.endPresence()
        see("one left", try await list.announcePresence().map { $0.name ?? "" })
        await refused("not the owner") { try await bens.stopSharing() }
        await refused("the owner stays") { try await list.leave() }
        try await list.handOver(to: account)
        try await sync(ann, ben)
        see("handed over", try await people(list))
        await refused("no owner any more") { _ = try await list.invite(email: "carol@example.com") }
        _ = try await bens.invite(email: "carol@example.com")
        try await sync(ann)
        see("invited", try await people(list))
        try await bens.remove(owner)
        try await sync(ann)
        see("Ann's lists", try await ann.lists().map { $0.name ?? "" })
        see("notices", try await ann.notices().map { "\($0.listName ?? "") \($0.reason)" })
        await refused("off the list") {
            _ = try await bens.device.list(list.id).people(); _ = try await ann.join(link)
        }
        see("devices", try await ann.account.devices().map(\.current))
        try await bens.leave(deleting: true)
        try await sync(ben)
        see("Ben's lists", try await ben.lists().count)
        await ann.close()
        await ben.close()
        return seen
    }

    private func people(_ list: ShoppingList) async throws -> [String] {
        try await list.participants().participants.map {
            "\($0.name ?? $0.email ?? "-") \($0.role) \($0.permission) \($0.status)"
        }
    }
}
