import ArgumentParser
import TrolleyAssistant
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct SuggestCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "suggest",
            abstract: localized(
                "Suggest items to add from past purchases, due items first, then from the catalogue.",
                de: "Einträge aus früheren Einkäufen vorschlagen, fällige zuerst, dann aus dem Katalog."),
            discussion: discussion(
                """
                An item that comes back every few days ('trolley edit milk --every 7d') is due on its day, others when as much time
                as usual has passed. The suggestions come from all of your lists on this device. If you give a part of an item, words of the
                catalogue follow them. The command needs no network. What is on the list already isn't suggested; it is named if
                you ask for it.
                """,
                de: """
                    Was alle paar Tage wiederkommt („trolley edit Milch --every 7d“), ist an seinem Tag fällig, anderes, wenn \
                    so viel Zeit wie sonst vergangen ist. Die Vorschläge kommen von allen deinen Listen auf diesem Gerät. \
                    Gibst du einen Teil eines Eintrags an, folgen ihnen Wörter aus dem Katalog. Der Befehl braucht kein Netz. \
                    Was schon auf der Liste steht, wird nicht vorgeschlagen, aber genannt, wenn du danach fragst.
                    """,
                examples: """
                    trolley suggest
                    trolley suggest mi --limit 5
                    """))
    }

    @Argument(
        help: .localized(
            "The beginning of an item, or of a word in it.",
            de: "Der Anfang eines Eintrags oder eines Worts darin."))
    var prefix: String = ""

    @Option(
        help: ArgumentHelp(
            localized("The maximum number of suggestions.", de: "So viele Vorschläge höchstens."), valueName: "number"),
        transform: { try wholeNumber($0, from: 1, suchAs: 20) })
    var limit: Int = 20

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let completions = try await device.list(list.id).completions(of: prefix, limit: limit)
        let suggestions = completions.compactMap { if case .bought(let suggestion) = $0 { suggestion } else { nil } }
        let known = completions.compactMap { if case .known(let match) = $0 { match } else { nil } }
        // Wanted items are not suggested.
        let items = try await device.list(list.id).shownRows().filter { !$0.isStruck && !$0.item.markedOff }.map(\.item)
        let onList = items.matching(prefix).map { items[$0] }
        let now = Timestamp.now()
        for item in onList {
            console.say(
                localized("'\(item.text)' is on the list already.", de: "„\(item.text)“ steht schon auf der Liste."))
        }
        for suggestion in suggestions { console.say(suggestion.line(at: now)) }
        for match in known { console.say("\(match.word)  \(match.aisle.name)") }
        if completions.isEmpty, onList.isEmpty {
            console.say(
                localized(
                    "No suggestions yet. Items that you mark off ('trolley off') are suggested later.",
                    de: "Noch keine Vorschläge. Was du abhakst (trolley off), wird später vorgeschlagen."))
        }
        console.answer { writer in
            SuggestAnswer(list.id, completions, present: onList, at: now).writeMembers(to: &writer)
        }
    }
}

extension Suggestion {
    fileprivate func line(at now: Timestamp) -> String {
        var line = text
        if let quantity { line += quantity.behindText }
        line +=
            "  "
            + localized(
                "bought \(count == 1 ? "once" : "\(count) times"), last \(last.words)",
                de: "\(count == 1 ? "einmal" : "\(count)-mal") gekauft, zuletzt \(last.words)")
        if let every {
            line +=
                every.days == 1
                ? localized(", every day", de: ", jeden Tag")
                : localized(", every \(every.days) days", de: ", alle \(every.days) Tage")
        } else if let interval {
            let days = max(1, (interval + 43_200_000) / 86_400_000)
            line += localized(
                ", every \(days) days or so", de: days == 1 ? ", etwa jeden Tag" : ", etwa alle \(days) Tage")
        }
        return isDue(at: now) ? line + localized(": due", de: ": fällig") : line
    }
}
