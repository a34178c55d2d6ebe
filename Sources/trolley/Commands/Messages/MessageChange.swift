import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// The common part of the commands that write messages or change them.
struct MessageChange {
    let list: ListSummary

    /// Makes the change, tries to send it, and prints the outcome.
    func run(
        _ edits: [ListEdit], on device: Device, _ console: Console, sentence: () -> String
    ) async throws {
        let entries = try await device.list(list.id).perform(edits)
        // Read before sending, because a sync may find that the list is gone.
        let id = entries.last.map { $0.message ?? $0.id }
        var message: Message?
        if let id { message = try await device.list(list.id).message(id) }
        let report = try await device.syncAfterChange()
        console.say(sentence())
        console.say(report)
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("id", id)
            writer.member("message", message)
            writer.waiting(report)
        }
        try console.finishChange(report)
    }

    /// The message that a name means: its number from the end, 1 being the newest, its id, or a part of its text.
    func find(_ name: String, on device: Device) async throws -> Message {
        let messages = try await device.list(list.id).messages(limit: .max)
        if let id = EntryID(name), let message = messages.first(where: { $0.id == id }) { return message }
        if let number = Int(name), (1...max(1, messages.count)).contains(number), !messages.isEmpty {
            return messages[messages.count - number]
        }
        let found = messages.filter { $0.text.lowercased().contains(name.lowercased()) }
        guard found.count == 1 else {
            throw found.isEmpty ? CommandError.noSuchMessage(name) : .ambiguousMessage(name, found.count)
        }
        return found[0]
    }
}
