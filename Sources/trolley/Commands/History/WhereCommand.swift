import ArgumentParser
import TrolleyAssistant
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct WhereCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "where",
            abstract: localized(
                "Tell what became of an item: on which list it is, or who marked it off or deleted it.",
                de: """
                    Sagen, was aus einem Eintrag wurde: auf welcher Liste er steht, oder wer ihn abgehakt oder gelöscht hat.
                    """),
            discussion: discussion(
                """
                It looks on all lists of this device, for present and former texts. If this device has an item with exactly that
                text, that's all, and it needs no network. Otherwise it also asks the service's Activity about items that were
                compressed: 'oat milk' on the list doesn't hide the milk that is gone.
                """,
                de: """
                    Der Befehl sucht auf allen Listen dieses Geräts, nach jetzigen und früheren Texten. Hat dieses Gerät einen \
                    Eintrag mit genau diesem Text, genügt das, und er braucht kein Netz. Sonst fragt er auch den Verlauf beim \
                    Dienst nach verdichteten Einträgen: „Hafermilch“ auf der Liste verdeckt nicht die Milch, die weg ist.
                    """,
                examples: """
                    trolley where milk
                    trolley where milk --list 'Weekly shop'
                    """))
    }

    @Argument(help: .localized("The item's text; a part is enough.", de: "Der Text des Eintrags; ein Teil genügt."))
    var name: [String]

    @Option(
        help: ArgumentHelp(
            localized("The maximum number of items.", de: "So viele Einträge höchstens."), valueName: "number"),
        transform: { try wholeNumber($0, from: 1, suchAs: 20) })
    var limit: Int = 20

    // Unlike other commands, this one means all lists if none is named.
    @Option(
        help: .localized("Only this list, by name or id.", de: "Nur diese Liste, mit Namen oder Kennung."),
        completion: .lists)
    var list: String?

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if name.joined(separator: " ").trimmed.isEmpty {
            throw ValidationError(
                localized(
                    "Name an item, as in 'trolley where milk'.",
                    de: "Nenne einen Eintrag, wie in „trolley where Milch“."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let name = name.joined(separator: " ")
        var only: ListID?
        if let list { only = try await device.list(named: list).id }
        let progress = ProgressBar(device: device)
        let found = try await progress.during { [only] in try await device.whereabouts(of: name, in: only) }
        let own = try await device.session()?.account
        for item in found.items.prefix(limit) { console.say(item.line(own: own)) }
        if found.items.count > limit {
            console.say(
                localized(
                    "\(found.items.count - limit) more: trolley where '\(name)' --limit \(found.items.count)",
                    de: "\(found.items.count - limit) weitere: trolley where '\(name)' --limit \(found.items.count)"))
        }
        if found.items.isEmpty {
            console.say(
                localized(
                    "Nothing by the name '\(name)' was ever on these lists, as far as is known.",
                    de: "Etwas mit dem Namen „\(name)“ war auf diesen Listen noch nie, soweit bekannt."))
        }
        if !found.isWhole {
            let reason = try await device.withoutService
            console.say(
                reason + " "
                    + localized(
                        "Items that were compressed can't be looked up now.",
                        de: "Verdichtete Einträge lassen sich jetzt nicht nachsehen."))
        }
        console.answer { writer in
            WhereAnswer(name, found.items.map(\.answer), isWhole: found.isWhole, limit: limit).writeMembers(to: &writer)
        }
    }
}

extension Whereabouts.Item {
    /// 'Weekly shop: 'milk' was marked off by Bob 2 minutes ago, added by you yesterday 17:40'.
    fileprivate func line(own: AccountID?) -> String {
        let since = who(trace.since, sinceName, own) + " \(trace.since.at.words)"
        let by = trace.added.map { "\(who($0, addedName, own)) \($0.at.words)" }
        let added = by.map { localized(", added by \($0)", de: ", hinzugefügt von \($0)") } ?? ""
        var line =
            (listName ?? localized("A list without a name", de: "Eine Liste ohne Namen")) + ": "
            + localized("'\(trace.text)' ", de: "„\(trace.text)“ ")
        switch trace.status {
        // It is wanted since it was added, or since it was unmarked or put back.
        case .wanted where trace.added?.entry == trace.since.entry:
            line += localized("is on the list, added by \(since)", de: "steht auf der Liste, hinzugefügt von \(since)")
        case .wanted:
            line += localized(
                "is on the list again, by \(since)", de: "steht wieder auf der Liste, zurückgeholt von \(since)")
            line += by.map { localized(", first added by \($0)", de: ", zuerst hinzugefügt von \($0)") } ?? ""
        case .markedOff: line += localized("was marked off by \(since)", de: "wurde abgehakt von \(since)") + added
        case .deleted: line += localized("was deleted by \(since)", de: "wurde gelöscht von \(since)") + added
        }
        if !trace.formerTexts.isEmpty {
            line += localized(
                ", called \(trace.formerTexts.map { "'\($0)'" }.joined(separator: ", ")) before",
                de: ", hieß vorher \(trace.formerTexts.map { "„\($0)“" }.joined(separator: ", "))")
        }
        switch source {
        case .list: return line
        case .unconfirmed: return line + localized(" (not confirmed yet)", de: " (noch nicht bestätigt)")
        case .toApply:
            return line
                + localized(
                    " (waits until you apply it: trolley apply)", de: " (die Liste zeigt es noch nicht: trolley apply)")
        case .purchase, .activity: return line + localized(" (compressed since)", de: " (seitdem verdichtet)")
        }
    }

    private func who(_ change: ItemTrace.Change, _ name: String?, _ own: AccountID?) -> String {
        // Without an account, all changes were made here; only purchases that compression has left may be somebody else's.
        if change.by == own, own != nil || source != .purchase { return localized("you", de: "dir") }
        return name ?? localized("somebody", de: "jemandem")
    }

    fileprivate var answer: WhereAnswer.Row {
        WhereAnswer.Row(
            list: list, listName: listName, trace: trace, source: source.rawValue, sinceName: sinceName,
            addedName: addedName)
    }
}
