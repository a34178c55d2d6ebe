import TrolleyClient
import TrolleyJournal
import TrolleyWire

/// The common part of the commands that change items of a list.
struct ItemChange {
    let list: ListOptions
    /// The verb of the answer: 'Marked off'.
    let verb: String
    /// Decides between several matching items: those that the command makes sense for.
    var likely: (Item) -> Bool = { _ in true }
    /// Items that already have the wanted state are left unchanged; `sentence` says so.
    var already: Already?

    struct Already {
        var holds: (Item) -> Bool
        /// Follows the item's text in the answer: 'is marked off already'.
        var sentence: String
    }

    /// Finds the items, makes the changes as one undoable step, tries to send them, and prints the outcome.
    func run(
        _ names: [String], on device: Device, _ console: Console, edit: (Item) throws -> ListEdit
    ) async throws {
        let list = try await device.list(list)
        let names = try ItemNames(names, in: await device.shownRows(of: list.id), likely: likely, console)
        let changing = names.items.filter { already?.holds($0) != true }
        if !changing.isEmpty { try await device.perform(changing.map(edit), on: list.id) }
        // Read before sending, because a sync may find that the list is gone.
        let state = try await device.state(of: list.id)
        let report = try await device.trySending()
        for item in names.items {
            if let already, already.holds(item) {
                console.say("\(item.text) \(already.sentence).")
            } else {
                console.say("\(verb) \(item.text).")
            }
        }
        console.say(report)
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("items")
            writer.array { writer in
                for item in names.items { (state.items.first { $0.id == item.id } ?? item).write(to: &writer) }
            }
            writer.waiting(report)
        }
        try console.endChange(report)
    }
}

/// The items that the names refer to.
private struct ItemNames {
    var items: [Item] = []

    init(_ names: [String], in all: [ShownRow], likely: (Item) -> Bool, _ console: Console) throws(CommandError) {
        for name in names {
            let item = try console.find(name, among: all, likely: likely)
            if !items.contains(where: { $0.id == item.id }) { items.append(item) }
        }
    }
}
