import ArgumentParser
import TrolleyAssistant
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct UndoCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "undo",
            abstract: localized(
                "Undo the last change to a list on this device.",
                de: "Die letzte Änderung an einer Liste auf diesem Gerät rückgängig machen."),
            discussion: discussion(
                """
                Parts that another person has changed since stay unchanged, and are listed. If others have changed all parts, the
                change counts as undone. What was marked off on a trip that is over stays marked off, so that nobody takes a trip
                back piece by piece by accident; --anyway undoes it.
                """,
                de: """
                    Was seitdem jemand anderes geändert hat, bleibt und wird genannt. Haben andere alles davon geändert, gilt \
                    die Änderung als zurückgenommen. Was bei einem Einkauf abgehakt wurde, der vorbei ist, bleibt abgehakt, \
                    damit niemand aus Versehen einen Einkauf Stück für Stück zurücknimmt; --anyway nimmt es zurück.
                    """,
                examples: """
                    trolley undo
                    """))
    }

    @Flag(
        help: .localized(
            "Undo also what was marked off on a trip that is over.",
            de: "Auch zurücknehmen, was bei einem Einkauf abgehakt wurde, der vorbei ist."))
    var anyway = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await console.revert(.undo, on: list, device, anyway: anyway)
    }
}

extension Console {
    /// Undoes or redoes the last gesture, and reports the parts that it left unchanged.
    func revert(
        _ cause: Cause, on list: ListSummary, _ device: Device, anyway: Bool = false
    ) async throws {
        try await fetchFirst(for: list, on: device)
        let reverted = try await device.list(list.id).revert(cause, anyway: anyway)
        let report = try await device.syncAfterChange()
        say(sentence(reverted, cause))
        say(report)
        answer { writer in
            let skipped = (reverted?.skipped ?? []).map { UndoAnswer.Skipped(what: $0.words, author: $0.author) }
            UndoAnswer(list.id, reverted?.entries ?? [], skipped: skipped).writeMembers(to: &writer)
            writer.waiting(report)
        }
        try finishChange(report)
    }

    private func sentence(_ reverted: ShoppingList.Reverted?, _ cause: Cause) -> String {
        guard let reverted else {
            return cause == .redo
                ? localized("There is nothing to redo.", de: "Es gibt nichts zu wiederholen.")
                : localized("There is nothing to undo.", de: "Es gibt nichts rückgängig zu machen.")
        }
        var sentences: [String] = []
        if !reverted.entries.isEmpty {
            let changes = count(reverted.entries.count, .change)
            sentences.append(
                cause == .redo
                    ? localized("Done again: \(changes).", de: "Wiederholt: \(changes).")
                    : localized("Undone: \(changes).", de: "Rückgängig gemacht: \(changes)."))
        }
        for skipped in reverted.skipped {
            let who = skipped.author
            sentences.append(
                localized(
                    "Left alone, since \(who ?? "somebody else") has changed it: \(skipped.words).",
                    de: "Bleibt, weil \(who ?? "jemand anderes") es geändert hat: \(skipped.words)."))
        }
        if reverted.entries.isEmpty {
            sentences.append(
                cause == .redo
                    ? localized(
                        "To redo the change before it: trolley redo",
                        de: "Um die Änderung davor zu wiederholen: trolley redo")
                    : localized(
                        "To undo the change before it: trolley undo",
                        de: "Um die Änderung davor rückgängig zu machen: trolley undo"))
        }
        return sentences.joined(separator: "\n")
    }
}

extension ShoppingList.Skipped {
    /// The part that was left unchanged, in words.
    fileprivate var words: String {
        let whose = item.map { " von „\($0)“" } ?? " der Liste"
        let german =
            switch subject {
            case .name: "der Name\(whose)"
            case .colour: "die Farbe\(whose)"
            case .aisles: "die Reihenfolge der Regale\(whose)"
            case .field(let key): Fields.german(key) + whose
            case .place: "der Platz\(whose)"
            case .markedOff: "der Haken\(whose)"
            case .deleted: item.map { "ob „\($0)“ auf der Liste steht" } ?? "die Liste"
            }
        return localized(subject.words(of: item), de: german)
    }
}
