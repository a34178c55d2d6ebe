import Testing
import TrolleyClient
import TrolleySyncTesting

@Suite(.timeLimit(.minutes(20))) struct ObservedTests {
    private let service = InMemoryService()

    @Test func `the states of a list come now, after one's own changes, and after others'`() async throws {
        let (list, bens) = try await shared()
        var states = list.states.makeAsyncIterator()
        #expect(try await states.next()?.items.isEmpty == true)
        try await list.add("milk")
        #expect(try await states.next()?.items.map(\.text) == ["milk"])
        try await bens.add("eggs")
        try await sync(bens, list)
        #expect(try await until { try await states.next()?.items.map(\.text) == ["milk", "eggs"] })
        await close(list, bens)
    }

    @Test func `each reader gets all values, and equal ones once`() async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Shop")
        var (one, other) = (list.states.makeAsyncIterator(), list.states.makeAsyncIterator())
        #expect(try await one.next()?.name == "Shop")
        let (beginnings, begun) = AsyncStream<Void>.makeStream()
        let names = Task {
            var names: [String?] = []
            for try await state in list.states {
                begun.yield()
                names.append(state.name)
                if state.name == "Party" { break }
            }
            return names
        }
        // The reader has the first name before it changes.
        for await _ in beginnings { break }
        // The list's row changes, and its state doesn't.
        for isShopping in [true, false, true, false] {
            try await list.setShopping(isShopping)
            // Sleeps: nothing may come, and each change has the time to.
            try await Task.sleep(for: .milliseconds(50))
        }
        try await list.rename("Party")
        #expect(try await names.value == ["Shop", "Party"])
        #expect(try await until { try await one.next()?.name == "Party" })
        #expect(try await until { try await other.next()?.name == "Party" })
        await device.close()
    }

    @Test func `values come in the order of the changes`() async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "0")
        let numbers = Task {
            var numbers: [Int] = []
            for try await state in list.states {
                numbers.append(state.name.flatMap { Int($0) } ?? -1)
                if numbers.last == 500 { break }
            }
            return numbers
        }
        for number in 1...500 { try await list.rename("\(number)") }
        let seen = try await numbers.value
        #expect(seen == seen.sorted())
        await device.close()
    }

    @Test func `all lists are followed to the current one, and each until its account signs out`() async throws {
        let device = try await service.device(of: "Ann")
        let shop = try await device.makeList(named: "Shop")
        _ = try await device.makeList(named: "Party")
        var lists = device.listUpdates.makeAsyncIterator()
        var states = shop.states.makeAsyncIterator()
        #expect(try await lists.next()?.first { $0.isCurrent }?.name == "Party")
        #expect(try await states.next() != nil)
        try await device.setCurrentList(shop.id)
        #expect(try await until { try await lists.next()?.first { $0.isCurrent }?.name == "Shop" })
        // The lists stay on the device, hidden.
        _ = try await device.signOut(lists: .hide)
        #expect(try await until { try await lists.next()?.isEmpty == true })
        await #expect(throws: DeviceError.store(.noSuchList(shop.id))) {
            while try await states.next() != nil {}
        }
        await device.close()
    }

    @Test func `a list that leaves the device ends them with an error`() async throws {
        let (list, bens) = try await shared()
        var states = bens.states.makeAsyncIterator()
        #expect(try await states.next() != nil)
        try await list.stopSharing()
        try await sync(bens)
        await #expect(throws: DeviceError.store(.noSuchList(list.id))) {
            while try await states.next() != nil {}
        }
        await close(list, bens)
    }

    @Test func `messages, people and what is unread can be followed`() async throws {
        let (list, bens) = try await shared()
        var messages = list.messageUpdates(limit: 1).makeAsyncIterator()
        var people = list.peopleUpdates.makeAsyncIterator()
        var lists = list.device.listUpdates.makeAsyncIterator()
        #expect(try await messages.next() == [])
        #expect(try await people.next()?.map(\.name) == ["Ann", "Ben"])
        #expect(try await lists.next()?.map(\.unread) == [0])
        try await bens.write("the blue one")
        try await bens.write("or the red one")
        try await sync(bens, list)
        #expect(try await until { try await messages.next()?.map(\.text) == ["or the red one"] })
        #expect(try await until { try await lists.next()?.map(\.unread) == [2] })
        try await list.markRead()
        #expect(try await until { try await lists.next()?.map(\.unread) == [0] })
        try await bens.leave()
        try await sync(list)
        #expect(try await until { try await people.next()?.filter(\.isOnList).map(\.name) == ["Ann"] })
        await close(list, bens)
    }

    @Test func `the status says what waits, and that all is sent`() async throws {
        let device = try await service.device(of: "Ann")
        let list = try await device.makeList(named: "Shop")
        var status = device.status.makeAsyncIterator()
        #expect(try await status.next() == .queued(1))
        try await list.add("milk")
        #expect(try await status.next() == .queued(2))
        _ = try await device.sync()
        #expect(try await until { try await status.next() == .idle })
        await device.close()
    }

    @Test func `the status begins with what is now, also after a change that nobody followed`() async throws {
        let device = try await service.device(of: "Ann")
        let list = try await device.makeList(named: "Shop")
        _ = try await device.sync()
        try await list.add("milk")
        var status = device.status.makeAsyncIterator()
        #expect(try await status.next() == .queued(1))
        await device.close()
    }

    @Test func `whoever follows a device's status does not keep the device`() async throws {
        weak var gone: Device?
        var status: Observed<SyncProgress>.Iterator
        do {
            let device = try Device.inMemory()
            gone = device
            status = device.status.makeAsyncIterator()
            #expect(try await status.next() == .idle)
        }
        #expect(gone == nil)
    }

    // MARK: Two people

    /// Ann's list, on her device and on Ben's.
    private func shared() async throws -> (ShoppingList, ShoppingList) {
        let (ann, ben) = (try await service.device(of: "Ann"), try await service.device(of: "Ben"))
        let list = try await ann.makeList(named: "Shop")
        let bens = try await ben.join(try await list.invite().link).list
        try await sync(list)
        return (list, bens)
    }

    private func sync(_ lists: ShoppingList...) async throws {
        for list in lists { #expect(try await list.device.sync(.manual).failure == nil) }
    }

    private func close(_ lists: ShoppingList...) async { for list in lists { await list.device.close() } }

    /// Several changes may come as one value or as several. The suite's time limit ends it when the value never comes.
    private func until(_ hasCome: () async throws -> Bool) async throws -> Bool {
        while try await !hasCome() {}
        return true
    }
}
