import TrolleyAssistant
import TrolleyClient
import TrolleyJournal
import TrolleyWire

/// The common part of the commands that change items of a list.
struct ItemChange {
    let list: ListOptions
    /// The answer for an item, by its text: 'Marked off milk.'
    let done: (String) -> String
    /// The change; it decides between several matching items.
    var operation: Operation?
    /// Items that already have the wanted state are left unchanged; `sentence` says so.
    var already: AlreadyDone?

    struct AlreadyDone {
        var applies: (Item) -> Bool
        /// The answer for an item, by its text: 'milk is marked off already.'
        var sentence: (String) -> String
    }

    /// Finds the items, makes the changes as one undoable step, tries to send them, and prints the outcome.
    func run(
        _ names: [String], on device: Device, _ console: Console, edit: (Item) throws -> ListEdit
    ) async throws {
        let list = try await device.list(list)
        let names = try ItemNames(names, in: await device.list(list.id).shownRows(), for: operation, console)
        let changing = names.items.filter { already?.applies($0) != true }
        if !changing.isEmpty { try await device.list(list.id).perform(changing.map(edit)) }
        // Read before sending, because a sync may find that the list is gone.
        let state = try await device.list(list.id).state()
        let report = try await device.syncAfterChange()
        for item in names.items {
            if let already, already.applies(item) {
                console.say(already.sentence(item.text))
            } else {
                console.say(done(item.text))
            }
        }
        console.say(report)
        console.answer { writer in
            let items = names.items.map { item in state.items.first { $0.id == item.id } ?? item }
            ChangeAnswer(list.id, items).writeMembers(to: &writer)
            writer.waiting(report)
        }
        try console.finishChange(report)
    }
}

/// The items that the names refer to.
private struct ItemNames {
    var items: [Item] = []

    init(_ names: [String], in all: [ShownRow], for operation: Operation?, _ console: Console) throws(CommandError) {
        for name in names {
            let item = try console.find(name, among: all, for: operation)
            if !items.contains(where: { $0.id == item.id }) { items.append(item) }
        }
    }
}
