import TrolleyClient
import TrolleyJournal
import TrolleyWire

/// The common part of the commands that change a list itself.
struct ListChange {
    let list: ListOptions

    func run(_ edit: ListEdit, on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await device.list(list.id).perform([edit])
        // Read before sending, because a sync may find that the list is gone.
        let state = try await device.list(list.id).state()
        let report = try await device.syncAfterChange()
        switch edit {
        case .rename(let name):
            console.say(localized("The list is called '\(name)' now.", de: "Die Liste heißt jetzt „\(name)“."))
        case .recolour(let colour):
            console.say(
                localized(
                    "'\(state.name ?? "The list")' is \(colour) now.",
                    de: "\(state.name.map { "„\($0)“" } ?? "Die Liste") hat jetzt die Farbe \(colour)."))
        default: break
        }
        console.say(report)
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("name", state.name)
            writer.member("colour", state.colour)
            writer.waiting(report)
        }
        try console.finishChange(report)
    }
}
