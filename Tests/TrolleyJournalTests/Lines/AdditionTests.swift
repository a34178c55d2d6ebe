import Testing
import TrolleyJournal

@Suite("Adding what is there already", .timeLimit(.minutes(20)))
struct AdditionTests {
    private func item(_ number: Int, _ fields: Fields, markedOff: Bool = false) -> Item {
        Item(id: .sample(number), markedOff: markedOff, fields: fields)
    }

    private func additions(_ lines: String..., to items: Item...) -> [Addition] {
        ListState(items: items).additions(of: lines.compactMap { ItemLine($0).map { NewItem($0) } })
    }

    @Test("a wanted item is not added again, in upper or lower case")
    func present() {
        let milk = item(1, ["text": "Oat milk"])
        #expect(additions("oat  MILK", to: milk) == [.present(milk, filling: [:])])
        #expect(additions("milk", to: milk) == [.new(NewItem(fields: ["text": "milk"]))])
    }

    @Test("missing fields are filled in, and a different field makes another item")
    func quantities() {
        let milk = item(1, ["text": "milk"])
        #expect(additions("milk, 2 l", to: milk) == [.present(milk, filling: ["quantity": "2 l"])])
        let two = item(1, ["text": "milk", "quantity": "2 l"])
        #expect(additions("milk", "milk, 2 l", to: two) == [.present(two, filling: [:]), .present(two, filling: [:])])
        #expect(additions("milk, 1 l", to: two) == [.new(NewItem(fields: ["text": "milk", "quantity": "1 l"]))])
    }

    @Test("a marked-off item comes back once, with the new fields")
    func back() {
        let milk = item(1, ["text": "milk", "quantity": "2 l"], markedOff: true)
        #expect(additions("milk", to: milk) == [.back(milk, changing: [:])])
        #expect(
            additions("Milk, 1 l", "milk", to: milk)
                == [.back(milk, changing: ["quantity": "1 l"]), .present(milk, filling: [:])])
        #expect(additions("[x] milk", to: milk) == [.present(milk, filling: [:])])
    }

    @Test("two lines of one text become one item, with the fields of both")
    func repeated() {
        #expect(
            additions("milk", "milk, 2 l", "milk, 1 l")
                == [
                    .new(NewItem(fields: ["text": "milk", "quantity": "2 l"])), .repeated,
                    .new(NewItem(fields: ["text": "milk", "quantity": "1 l"])),
                ])
    }
}
