import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct UndoCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo the last change to a list on this device.",
        discussion: """
            Parts that another person has changed since stay unchanged, and are listed. If others have changed all parts, the
            change counts as undone. What was marked off on a trip that is over stays marked off, so that nobody takes a trip
            back piece by piece by accident; --anyway undoes it.

            Example:
              trolley undo
            """)

    @Flag(help: "Undo also what was marked off on a trip that is over.")
    var anyway = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await console.revert(.undo, "undo", "Undone", on: list, device, anyway: anyway)
    }
}

extension Console {
    /// Undoes or redoes the last gesture, and reports the parts that it left unchanged.
    func revert(
        _ cause: Cause, _ verb: String, _ done: String, on list: ListSummary, _ device: Device, anyway: Bool = false
    ) async throws {
        // Fetch others' changes first if possible, because they count.
        _ = try await device.syncAfterChange()
        let reverted = try await device.list(list.id).revert(cause, anyway: anyway)
        let report = try await device.syncAfterChange()
        say(sentence(reverted, verb, done))
        say(report)
        answer { writer in
            writer.member("list", list.id)
            writer.key("entries")
            writer.array { writer in
                for entry in reverted?.entries ?? [] { entry.write(to: &writer) }
            }
            writer.key("skipped")
            writer.array { writer in
                for skipped in reverted?.skipped ?? [] {
                    writer.object { writer in
                        writer.member("what", skipped.words)
                        writer.member("author", skipped.author)
                    }
                }
            }
            writer.waiting(report)
        }
        try finishChange(report)
    }

    private func sentence(_ reverted: ShoppingList.Reverted?, _ verb: String, _ done: String) -> String {
        guard let reverted else { return "There is nothing to \(verb)." }
        var sentences: [String] = []
        if !reverted.entries.isEmpty { sentences.append("\(done): \(count(reverted.entries.count, "change")).") }
        for skipped in reverted.skipped {
            sentences.append("Left alone, since \(skipped.author ?? "somebody else") has changed it: \(skipped.words).")
        }
        if reverted.entries.isEmpty { sentences.append("To \(verb) the change before it: trolley \(verb)") }
        return sentences.joined(separator: "\n")
    }
}

extension ShoppingList.Skipped {
    /// The part that was left unchanged, in words.
    fileprivate var words: String {
        let whose = item.map { " of '\($0)'" } ?? " of the list"
        return switch subject {
        case .name: "the name\(whose)"
        case .colour: "the colour\(whose)"
        case .aisles: "the order of the aisles\(whose)"
        case .field(let key): "the \(key)\(whose)"
        case .place: "the place\(whose)"
        case .markedOff: "the mark\(whose)"
        case .deleted: item.map { "whether '\($0)' is on the list" } ?? "the list"
        }
    }
}
