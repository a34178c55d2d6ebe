import Testing
import TrolleyJournal
import TrolleySync
import TrolleyWire

@Suite("A device's room", .timeLimit(.minutes(20)))
struct RoomMachineTests {
    private static func id<ID: Identifier>(_ number: UInt64) -> ID { ID(UUIDBits(high: 0, low: number)) }
    private static let anna = RoomMember(account: id(1), device: id(11))
    private static let ben = RoomMember(account: id(2), device: id(22))
    private static let cleo = RoomMember(account: id(3), device: id(33))
    private static let start = Timestamp(milliseconds: 1_772_355_600_000)

    private static func at(_ seconds: Int64) -> Timestamp { start.advanced(byMilliseconds: seconds * 1000) }

    private static func present(_ member: RoomMember, since seconds: Int64) -> PresentDevice {
        PresentDevice(account: member.account, device: member.device, since: at(seconds), hailKey: "key")
    }

    private static func room(_ number: UInt64, until seconds: Int64 = 3600) -> RoomCredentials {
        RoomCredentials(
            room: id(number), secret: [UInt8](repeating: UInt8(number), count: 32), createdAt: start,
            expiresAt: at(seconds))
    }

    /// Like `#expect(… == …)`, whose expression can't change a value.
    private func expect<Value: Equatable>(
        _ actual: Value, _ expected: Value, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(actual == expected, sourceLocation: location)
    }

    /// Anna's machine, live in a room with Ben.
    private func live() -> RoomMachine {
        var machine = RoomMachine(me: Self.anna)
        let devices = [Self.present(Self.anna, since: 0), Self.present(Self.ben, since: 1)]
        _ = machine.presence(devices, at: Self.at(2))
        _ = machine.made(Self.room(7), hailing: [devices[1]], at: Self.at(2))
        _ = machine.opened(Self.id(7), others: [Self.ben], at: Self.at(3))
        return machine
    }

    @Test("the first to open the list makes the room, and all devices choose alike, in whatever order they hear")
    func initiator() {
        let devices = [
            Self.present(Self.ben, since: 5), Self.present(Self.anna, since: 3), Self.present(Self.cleo, since: 9),
        ]
        for order in [devices, devices.reversed(), [devices[1], devices[2], devices[0]]] {
            #expect(RoomMachine.initiator(among: order) == Self.anna.device)
        }
        // At the same moment, the smaller id.
        let tied = [Self.present(Self.cleo, since: 3), Self.present(Self.ben, since: 3)]
        #expect(RoomMachine.initiator(among: tied) == Self.ben.device)
        var anna = RoomMachine(me: Self.anna)
        var ben = RoomMachine(me: Self.ben)
        expect(anna.presence(devices, at: Self.at(10)), [.makeRoom(hailing: [devices[0], devices[2]])])
        expect(ben.presence(devices, at: Self.at(10)), [])
        // Once is enough.
        expect(anna.presence(devices, at: Self.at(11)), [])
    }

    @Test("one request hails a hundred devices, and the next one the others")
    func hailsInParts() {
        var machine = RoomMachine(me: Self.anna)
        let others = (0..<230 as Range<UInt64>).map { number in
            Self.present(RoomMember(account: Self.ben.account, device: Self.id(1000 + number)), since: 1)
        }
        let devices = [Self.present(Self.anna, since: 0)] + others
        expect(machine.presence(devices, at: Self.at(2)), [.makeRoom(hailing: Array(others[..<100]))])
        _ = machine.made(Self.room(7), hailing: Array(others[..<100]), at: Self.at(2))
        for part in [100..<200, 200..<230] {
            expect(machine.presence(devices, at: Self.at(3)), [.hail(Self.room(7), Array(others[part]))])
        }
        expect(machine.presence(devices, at: Self.at(4)), [])
    }

    @Test("alone, or with one's own tablet only, there is no room")
    func alone() {
        var machine = RoomMachine(me: Self.anna)
        let tablet = RoomMember(account: Self.anna.account, device: Self.id(12))
        let devices = [Self.present(Self.anna, since: 0), Self.present(tablet, since: 1)]
        expect(machine.presence(devices, at: Self.at(2)), [])
        #expect(machine.phase == .idle)
    }

    @Test("idle, connecting, live: live only after the socket is open")
    func phases() {
        var machine = RoomMachine(me: Self.anna)
        let devices = [Self.present(Self.anna, since: 0), Self.present(Self.ben, since: 1)]
        _ = machine.presence(devices, at: Self.at(2))
        #expect(machine.phase == .idle)
        expect(machine.made(Self.room(7), hailing: [devices[1]], at: Self.at(2)), [.connect(Self.room(7))])
        #expect(machine.phase == .connecting(Self.id(7)))
        // Nothing is shown before.
        expect(machine.received(.looking(Self.id(5)), from: Self.ben, at: Self.at(2)), [])
        #expect(machine.view == RoomView())
        expect(machine.opened(Self.id(7), others: [Self.ben], at: Self.at(3)), [.send(.looking(nil))])
        #expect(machine.phase == .live(Self.id(7)) && machine.view.members == [Self.ben.device: Self.ben.account])
    }

    @Test("a hail is used once and deleted by its addressee; an expired one is only deleted")
    func hails() {
        var machine = RoomMachine(me: Self.ben)
        let devices = [Self.present(Self.anna, since: 0), Self.present(Self.ben, since: 1)]
        _ = machine.presence(devices, at: Self.at(2))
        let expired = Self.room(6, until: 1)
        expect(machine.hailed(Self.id(60), expired, from: Self.anna, at: Self.at(2)), [.deleteHail(Self.id(60))])
        #expect(machine.phase == .idle)
        expect(
            machine.hailed(Self.id(70), Self.room(7), from: Self.anna, at: Self.at(2)),
            [.deleteHail(Self.id(70)), .connect(Self.room(7))])
        // The same room again.
        expect(machine.hailed(Self.id(71), Self.room(7), from: Self.anna, at: Self.at(3)), [.deleteHail(Self.id(71))])
        expect(machine.unreadableHail(Self.id(72)), [.deleteHail(Self.id(72))])
    }

    @Test("of two rooms made at the same time, all go to the initiator's")
    func twoRooms() {
        var machine = RoomMachine(me: Self.cleo)
        let devices = [Self.anna, Self.ben, Self.cleo].enumerated().map { Self.present($1, since: Int64($0)) }
        _ = machine.presence(devices, at: Self.at(5))
        _ = machine.hailed(Self.id(80), Self.room(8), from: Self.ben, at: Self.at(5))
        _ = machine.opened(Self.id(8), others: [Self.ben], at: Self.at(5))
        // Another hail of somebody who isn't the initiator changes nothing.
        expect(machine.hailed(Self.id(81), Self.room(9), from: Self.ben, at: Self.at(6)), [.deleteHail(Self.id(81))])
        expect(
            machine.hailed(Self.id(70), Self.room(7), from: Self.anna, at: Self.at(6)),
            [.deleteHail(Self.id(70)), .disconnect(Self.id(8)), .connect(Self.room(7))])
        #expect(machine.phase == .connecting(Self.id(7)) && machine.view == RoomView())
    }

    @Test("a newcomer is hailed by the initiator, and again after 30 seconds when it doesn't come")
    func newcomer() {
        var machine = live()
        let devices = [Self.anna, Self.ben, Self.cleo].enumerated().map { Self.present($1, since: Int64($0)) }
        expect(machine.presence(devices, at: Self.at(10)), [.hail(Self.room(7), [devices[2]])])
        expect(machine.presence(devices, at: Self.at(20)), [])
        expect(machine.presence(devices, at: Self.at(41)), [.hail(Self.room(7), [devices[2]])])
        // With another key it has opened the list anew, and can't open the earlier hail.
        var again = devices
        again[2].hailKey = "another"
        expect(machine.presence(again, at: Self.at(42)), [.hail(Self.room(7), [again[2]])])
        expect(machine.presence(again, at: Self.at(43)), [])
        _ = machine.entered(Self.cleo, at: Self.at(44))
        expect(machine.presence(again, at: Self.at(90)), [])
    }

    @Test("a refusal on a shared socket ends the room, unless it is temporary")
    func refused() {
        let devices = [Self.present(Self.anna, since: 0), Self.present(Self.ben, since: 1)]
        var machine = live()
        machine.closed(Self.id(7), isRefused: false)
        _ = machine.presence(devices, at: Self.at(6))
        machine.refused(Self.id(8), .unknownItem)
        #expect(machine.phase == .connecting(Self.id(7)), "another room")
        machine.refused(Self.id(7), .requestRateLimited)
        expect(machine.presence(devices, at: Self.at(7)), [.connect(Self.room(7))])
        machine.refused(Self.id(7), .unknownItem)
        expect(machine.presence(devices, at: Self.at(8)), [.makeRoom(hailing: [devices[1]])])
        var other = live()
        other.refused(Self.id(7), .limitExceeded)
        #expect(other.phase == .live(Self.id(7)), "a message was too long")
        other.refused(Self.id(7), .unknownItem)
        #expect(other.phase == .idle)
    }

    @Test("what waits is told once; what is gone from the queue has landed or was withdrawn")
    func journal() {
        func entry(_ number: UInt64, _ operation: TrolleyJournal.Operation = .markOff) -> JournalEntry {
            JournalEntry(id: Self.id(number), operation: operation, item: Self.id(number + 100), deviceSequence: 1)
        }
        func change(_ number: UInt64) -> TentativeChange {
            TentativeChange(entry: Self.id(number), operation: .markOff, item: Self.id(number + 100))
        }
        var machine = RoomMachine(me: Self.anna)
        expect(machine.journal(waiting: [entry(1)], arrived: [], through: nil, at: Self.at(1)), [])
        machine = live()
        expect(
            machine.journal(waiting: [entry(1), entry(2), entry(3, .move)], arrived: [], through: nil, at: Self.at(4)),
            [.send(.tentative(change(1))), .send(.tentative(change(2)))])
        expect(
            machine.journal(waiting: [entry(1), entry(2), entry(3, .move)], arrived: [], through: nil, at: Self.at(4)),
            [])
        _ = machine.received(.tentative(change(9)), from: Self.ben, at: Self.at(5))
        #expect(machine.awaited == Set([1, 2, 3, 9].map(Self.id)))
        let through = SequenceNumber(rawValue: 8)
        expect(
            machine.journal(waiting: [], arrived: Set([2, 3, 9].map(Self.id)), through: through, at: Self.at(6)),
            [.send(.withdrawn(Self.id(1))), .send(.landed(through))])
        #expect(machine.awaited.isEmpty && machine.view.tentative.isEmpty)
    }

    @Test("while more waits than others would show, no more of it is told; what was told still lands")
    func many() {
        func entry(_ number: UInt64) -> JournalEntry {
            JournalEntry(id: Self.id(number), operation: .markOff, item: Self.id(number + 1000), deviceSequence: 1)
        }
        let most = UInt64(RoomView.maximumTentative), through = SequenceNumber(rawValue: 8)
        var machine = live()
        let told = machine.journal(waiting: [entry(1)], arrived: [], through: nil, at: Self.at(4))
        #expect(told.count == 1)
        expect(
            machine.journal(waiting: (1...most + 1).map(entry), arrived: [], through: nil, at: Self.at(5)), [])
        #expect(machine.awaited == [Self.id(1)])
        let rest = machine.journal(
            waiting: (2...most + 1).map(entry), arrived: [Self.id(1)], through: through, at: Self.at(6))
        #expect(rest.count == Int(most) + 1)
        #expect(rest.last == .send(.landed(through)))
        #expect(machine.awaited.count == Int(most))
    }

    @Test("tentative changes of one item come to one; what was added and deleted again is not shown")
    func items() {
        var machine = live()
        func receive(_ number: UInt64, _ operation: TrolleyJournal.Operation, _ item: UInt64, _ text: String? = nil) {
            let change = TentativeChange(entry: Self.id(number), operation: operation, item: Self.id(item), text: text)
            _ = machine.received(.tentative(change), from: number < 5 ? Self.ben : Self.cleo, at: Self.at(4))
        }
        receive(1, .markOff, 51)
        receive(2, .add, 52, "eggs")
        receive(3, .unmark, 51)
        receive(4, .add, 53, "milk")
        receive(5, .delete, 53)
        receive(6, .edit, 52, "6 eggs")
        receive(7, .delete, 54)
        let items = machine.view.tentativeItems
        #expect(items.map(\.item) == [51, 52, 54].map(Self.id))
        #expect(items[0].markedOff == false && items[0].operation == .unmark && items[0].account == Self.ben.account)
        #expect(items[1].isAdded && items[1].text == "6 eggs" && items[1].account == Self.cleo.account)
        #expect(items[2].isDeleted && items[2].markedOff == nil && items[2].text == nil)
    }

    @Test("closing clears what was transient; presence leads back into the same room, and a refusal into a new one")
    func closing() {
        var machine = live()
        _ = machine.received(.looking(Self.id(5)), from: Self.ben, at: Self.at(4))
        let change = TentativeChange(entry: Self.id(50), operation: .markOff, item: Self.id(5))
        _ = machine.received(.tentative(change), from: Self.ben, at: Self.at(4))
        #expect(machine.view.looking.count == 1 && machine.view.tentative.count == 1)
        machine.closed(Self.id(7), isRefused: false)
        #expect(machine.phase == .idle && machine.view == RoomView())
        let devices = [Self.present(Self.anna, since: 0), Self.present(Self.ben, since: 1)]
        expect(machine.presence(devices, at: Self.at(6)), [.connect(Self.room(7))])
        machine.closed(Self.id(7), isRefused: true)
        expect(machine.presence(devices, at: Self.at(7)), [.makeRoom(hailing: [devices[1]])])
    }

    @Test("a room whose time is over is not entered again")
    func expired() {
        var machine = live()
        machine.closed(Self.id(7), isRefused: false)
        let devices = [Self.present(Self.anna, since: 0), Self.present(Self.ben, since: 1)]
        expect(machine.presence(devices, at: Self.at(3600)), [.makeRoom(hailing: [devices[1]])])
    }

    @Test("when the last of the others has closed the list, and when oneself does, the room is left")
    func leaving() {
        var machine = live()
        expect(machine.presence([Self.present(Self.anna, since: 0)], at: Self.at(5)), [.disconnect(Self.id(7))])
        var other = live()
        expect(other.stop(), [.disconnect(Self.id(7))])
        #expect(other.phase == .idle)
        #expect(other.view == RoomView())
        expect(other.stop(), [])
    }

    @Test(
        "a tentative change goes when its entry lands, when it is withdrawn, when it expires and when its device leaves"
    )
    func tentative() {
        func change(_ number: UInt64) -> TentativeChange {
            TentativeChange(entry: Self.id(number), operation: .markOff, item: Self.id(number + 100))
        }
        var machine = live()
        for number: UInt64 in 1...4 {
            _ = machine.received(.tentative(change(number)), from: Self.ben, at: Self.at(Int64(number)))
        }
        #expect(machine.view.tentative.map(\.change) == (1...4).map(change))
        machine.landed([Self.id(2)])
        #expect(machine.view.tentative.map(\.change) == [1, 3, 4].map(change))
        // Only its sender withdraws it.
        _ = machine.received(.withdrawn(Self.id(3)), from: Self.cleo, at: Self.at(5))
        #expect(machine.view.tentative.count == 3)
        _ = machine.received(.withdrawn(Self.id(3)), from: Self.ben, at: Self.at(5))
        #expect(machine.view.tentative.map(\.change) == [1, 4].map(change))
        #expect(machine.view.nextExpiry == Self.at(16))
        expect(machine.expire(at: Self.at(15)), false)
        expect(machine.expire(at: Self.at(16)), true)
        #expect(machine.view.tentative.map(\.change) == [4].map(change))
        machine.left(Self.ben.device)
        #expect(machine.view.tentative.isEmpty && machine.view.members[Self.ben.device] == nil)
    }

    @Test("what others make a device remember is bounded")
    func bounded() {
        var machine = live()
        for number: UInt64 in 1...500 {
            let change = TentativeChange(entry: Self.id(number), operation: .add, item: Self.id(number), text: "x")
            _ = machine.received(.tentative(change), from: Self.ben, at: Self.at(4))
        }
        #expect(machine.view.tentative.count == RoomView.maximumTentative)
        #expect(machine.view.tentative.last?.change.entry == Self.id(500))
    }

    @Test("two people who mark off one item while they are live both hear it at once")
    func doubleBuy() {
        let (mine, theirs) = (
            TentativeChange(entry: Self.id(1), operation: .markOff, item: Self.id(5)),
            TentativeChange(entry: Self.id(2), operation: .markOff, item: Self.id(5))
        )
        var first = live()
        _ = first.changed(mine, at: Self.at(4))
        expect(
            first.received(.tentative(theirs), from: Self.ben, at: Self.at(5)),
            [.doubleBuy(Self.id(5), by: Self.ben.account)])
        var second = live()
        _ = second.received(.tentative(theirs), from: Self.ben, at: Self.at(4))
        expect(
            second.changed(mine, at: Self.at(5)),
            [.send(.tentative(mine)), .doubleBuy(Self.id(5), by: Self.ben.account)])
        // A person's own tablet is no second buyer, in whatever order the marks come.
        let tablet = RoomMember(account: Self.anna.account, device: Self.id(12))
        var own = live()
        _ = own.changed(mine, at: Self.at(4))
        expect(own.received(.tentative(theirs), from: tablet, at: Self.at(5)), [])
        var later = live()
        _ = later.received(.tentative(theirs), from: tablet, at: Self.at(4))
        expect(later.changed(mine, at: Self.at(5)), [.send(.tentative(mine))])
    }

    @Test("what a device says before its room is live is said when it is, and to each newcomer")
    func pending() {
        var machine = RoomMachine(me: Self.anna)
        let devices = [Self.present(Self.anna, since: 0), Self.present(Self.ben, since: 1)]
        let change = TentativeChange(entry: Self.id(1), operation: .add, item: Self.id(5), text: "milk")
        expect(machine.look(at: Self.id(5), at: Self.at(1)), [])
        expect(machine.changed(change, at: Self.at(1)), [])
        _ = machine.presence(devices, at: Self.at(2))
        _ = machine.made(Self.room(7), hailing: [devices[1]], at: Self.at(2))
        let said: [RoomAction] = [.send(.looking(Self.id(5))), .send(.tentative(change))]
        expect(machine.opened(Self.id(7), others: [], at: Self.at(3)), said)
        expect(machine.entered(Self.ben, at: Self.at(4)), said)
        expect(
            machine.uploaded([Self.id(1)], through: SequenceNumber(rawValue: 3)),
            [
                .send(.landed(SequenceNumber(rawValue: 3)))
            ])
        expect(machine.entered(Self.cleo, at: Self.at(5)), [.send(.looking(Self.id(5)))])
        expect(machine.received(.landed(SequenceNumber(rawValue: 4)), from: Self.ben, at: Self.at(6)), [.fetch])
    }
}

@Suite("The double-buy guard from the journal alone", .timeLimit(.minutes(20)))
struct DoubleBuyTests {
    private static func id<ID: Identifier>(_ number: UInt64) -> ID { ID(UUIDBits(high: 0, low: number)) }

    private static func entry(
        _ sequence: Int64, _ operation: TrolleyJournal.Operation, item: UInt64 = 5, by author: UInt64, at seconds: Int64
    ) -> ConfirmedEntry {
        let time = Timestamp(milliseconds: seconds * 1000)
        return ConfirmedEntry(
            entry: JournalEntry(
                id: id(UInt64(sequence)), operation: operation, item: id(item), deviceSequence: sequence),
            sequence: SequenceNumber(rawValue: sequence), author: id(author), device: id(author + 10), madeAt: time,
            receivedAt: time)
    }

    @Test("two marks of one item by different people within two minutes, in whatever order the entries arrive")
    func found() {
        let entries = [
            Self.entry(1, .add, by: 1, at: 0), Self.entry(2, .markOff, by: 2, at: 130),
            Self.entry(3, .markOff, by: 1, at: 100),
        ]
        for order in [entries, entries.reversed()] {
            let found = DoubleBuy.found(in: order)
            #expect(found.count == 1 && found.first?.first == Self.id(1) && found.first?.second == Self.id(2))
            #expect(found.first?.item == Self.id(5) && found.first?.entry == Self.id(2))
        }
    }

    @Test("only what new entries bring is new")
    func news() {
        let entries = [
            Self.entry(1, .markOff, by: 1, at: 0), Self.entry(2, .markOff, by: 2, at: 10),
            Self.entry(3, .markOff, item: 6, by: 2, at: 20), Self.entry(4, .markOff, item: 6, by: 1, at: 30),
        ]
        #expect(DoubleBuy.found(in: entries, with: [Self.id(3)]).map(\.entry) == [Self.id(4)])
        #expect(DoubleBuy.found(in: entries, with: [Self.id(2), Self.id(4)]).count == 2)
        #expect(DoubleBuy.found(in: entries, with: []).isEmpty)
    }

    @Test("no double: one person twice, too far apart, another item, or wanted again in between")
    func none() {
        let first = Self.entry(1, .markOff, by: 1, at: 100)
        #expect(DoubleBuy.found(in: [first, Self.entry(2, .markOff, by: 1, at: 101)]).isEmpty)
        #expect(DoubleBuy.found(in: [first, Self.entry(2, .markOff, by: 2, at: 221)]).isEmpty)
        #expect(DoubleBuy.found(in: [first, Self.entry(2, .markOff, by: 2, at: 220)]).count == 1)
        #expect(DoubleBuy.found(in: [first, Self.entry(2, .markOff, item: 6, by: 2, at: 101)]).isEmpty)
        for operation in [TrolleyJournal.Operation.unmark, .add, .delete] {
            let between = Self.entry(2, operation, by: 1, at: 105)
            #expect(DoubleBuy.found(in: [first, between, Self.entry(3, .markOff, by: 2, at: 110)]).isEmpty)
        }
    }
}
