import Testing
import TrolleyJournal

@Suite("Copies of lists", .timeLimit(.minutes(20)))
struct ListCopyTests {
    private let state = ListState(
        name: "Weekly", colour: "teal",
        items: [
            Item(id: .sample(1), fields: ["text": "milk", "quantity": "2 l", "odd": .json("[1]")]),
            Item(id: .sample(2), markedOff: true, fields: ["text": "bread"]),
            Item(id: .sample(3), fields: [:]),
        ])

    private func folded(_ copy: ListCopy) -> ListState {
        ListState(
            folding: copy.entries.enumerated().map { index, entry in
                ConfirmedEntry(
                    entry: entry, sequence: SequenceNumber(rawValue: Int64(index + 1)), author: .sample(1),
                    device: .sample(1), madeAt: .seconds(1), receivedAt: .seconds(1))
            })
    }

    @Test("a copy shows the same, under ids of its own")
    func same() {
        let copy = ListCopy(of: state, from: .sample(9), for: .sample(1))
        let shown = folded(copy)
        #expect(shown.name == state.name && shown.colour == state.colour)
        #expect(shown.items.map(\.fields) == state.items.map(\.fields))
        #expect(shown.items.map(\.markedOff) == [false, true, false])
        #expect(Set(shown.items.map(\.id)).isDisjoint(with: state.items.map(\.id)))
        #expect(copy.list != .sample(9) && Set(copy.entries.map(\.id)).count == copy.entries.count)
        #expect(copy.entries.map(\.deviceSequence) == (1...Int64(copy.entries.count)).map { $0 })
    }

    @Test("the same copy again is the same entries; another owner, source or attempt gives others")
    func again() {
        func copy(_ source: Int = 9, _ owner: Int = 1, _ attempt: Int = 0) -> ListCopy {
            ListCopy(of: state, from: .sample(source), for: .sample(owner), attempt: attempt)
        }
        #expect(copy() == copy())
        let others = [copy(), copy(8), copy(9, 2), copy(9, 1, 1)]
        #expect(Set(others.map(\.list)).count == 4)
        #expect(Set(others.flatMap { $0.entries.map(\.id) }).count == 4 * copy().entries.count)
    }

    @Test("messages come along with the names of their writers, about the copied items, pinned, and without reactions")
    func messages() {
        func message(_ number: Int, about item: Int?, _ fields: Fields = [:]) -> Message {
            var fields = fields
            fields[Fields.text] = .string("\(number)")
            return Message(
                id: .sample(number), sequence: SequenceNumber(rawValue: 1), author: .sample(number),
                madeAt: .seconds(5),
                item: item.map { .sample($0) }, fields: fields,
                reactions: [.init(text: "👍", accounts: [.sample(1)], isMine: false)], isPinned: number == 1)
        }
        let before: Fields = [Fields.writtenBy: "Cleo", Fields.writtenAt: .string(Timestamp.seconds(1).description)]
        let copy = ListCopy(
            of: state, messages: [message(1, about: 2), message(2, about: 7), message(3, about: nil, before)],
            names: [.sample(1): "Anna", .sample(3): "Ben"], from: .sample(9), for: .sample(1))
        let confirmed = copy.entries.enumerated().map { index, entry in
            ConfirmedEntry(
                entry: entry, sequence: SequenceNumber(rawValue: Int64(index + 1)), author: .sample(1),
                device: .sample(1), madeAt: .seconds(9), receivedAt: .seconds(9))
        }
        let copied = Conversation(folding: confirmed).messages()
        #expect(copied.map(\.text) == ["1", "2", "3"] && copied.map(\.isPinned) == [true, false, false])
        #expect(copied.map(\.origin?.name) == ["Anna", nil, "Cleo"])
        #expect(copied.map(\.origin?.at) == [.seconds(5), .seconds(5), .seconds(1)])
        #expect(copied[0].item == ListState(folding: confirmed).items[1].id && copied[1].item == nil)
        #expect(copied.map(\.reactions.count) == [0, 0, 0])
        #expect(folded(copy).items.map(\.fields) == state.items.map(\.fields))
    }

    @Test("an item with more than one entry can hold comes in parts")
    func parts() {
        var fields: Fields = ["text": "milk"]
        for number in 0..<40 { fields["field\(number)"] = .string(String(repeating: "x", count: 300)) }
        let big = ListState(items: [Item(id: .sample(1), fields: fields)])
        let copy = ListCopy(of: big, from: .sample(9), for: .sample(1))
        #expect(folded(copy).items.map(\.fields) == [fields])
        #expect(copy.entries.allSatisfy { $0.fields.count <= 16 })
    }
}
