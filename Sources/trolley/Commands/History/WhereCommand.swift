import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct WhereCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "where",
        abstract: "Tell what became of an item: on which list it is, or who marked it off or deleted it.",
        discussion: """
            It looks on all lists of this device, for present and former texts, and needs no network. Only if this device has
            nothing by that name, it asks the service's Activity about items that were compressed.

            Example:
              trolley where milk
              trolley where milk --list 'Weekly shop'
            """)

    @Argument(help: "The item's text; a part is enough.")
    var name: [String]

    @Option(
        help: ArgumentHelp("The maximum number of items.", valueName: "number"),
        transform: { try wholeNumber($0, from: 1, suchAs: 20) })
    var limit: Int = 20

    // Unlike other commands, this one means all lists if none is named.
    @Option(help: "Only this list, by name or id.", completion: .lists)
    var list: String?

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if name.joined(separator: " ").trimmed.isEmpty {
            throw ValidationError("Name an item, as in 'trolley where milk'.")
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let name = name.joined(separator: " ")
        var only: ListID?
        if let list { only = try await device.lists().named(list).id }
        let progress = ProgressBar(device: device)
        let found = try await progress.during { [only] in try await device.whereabouts(of: name, in: only) }
        let own = try await device.session()?.account
        for item in found.items.prefix(limit) { console.say(item.line(own: own)) }
        if found.items.count > limit {
            console.say("\(found.items.count - limit) more: trolley where '\(name)' --limit \(found.items.count)")
        }
        if found.items.isEmpty {
            console.say("Nothing by the name '\(name)' was ever on these lists, as far as is known.")
        }
        if !found.isWhole {
            let reason = try await device.withoutService
            console.say("\(reason) Items that were compressed can't be looked up now.")
        }
        console.answer { writer in
            writer.member("name", name)
            writer.member("isWhole", found.isWhole)
            writer.member("total", found.items.count)
            writer.member("items", Array(found.items.prefix(limit))) { item, writer in item.write(to: &writer) }
        }
    }
}

extension Whereabouts.Item {
    /// 'Weekly shop: 'milk' was marked off by Bob 2 minutes ago, added by you yesterday 17:40'.
    fileprivate func line(own: AccountID?) -> String {
        let since = who(trace.since, sinceName, own) + " \(trace.since.at.words)"
        let added = trace.added.map { " by \(who($0, addedName, own)) \($0.at.words)" }
        var line = (listName ?? "A list without a name") + ": '\(trace.text)' "
        switch trace.status {
        // It is wanted since it was added, or since it was unmarked or put back.
        case .wanted where trace.added?.entry == trace.since.entry: line += "is on the list, added by \(since)"
        case .wanted: line += "is on the list again, by \(since)" + (added.map { ", first added\($0)" } ?? "")
        case .markedOff: line += "was marked off by \(since)" + (added.map { ", added\($0)" } ?? "")
        case .deleted: line += "was deleted by \(since)" + (added.map { ", added\($0)" } ?? "")
        }
        if !trace.formerTexts.isEmpty {
            line += ", called \(trace.formerTexts.map { "'\($0)'" }.joined(separator: ", ")) before"
        }
        return switch source {
        case .list: line
        case .unconfirmed: line + " (not confirmed yet)"
        case .toApply: line + " (waits until you apply it: trolley apply)"
        case .purchase, .activity: line + " (compressed since)"
        }
    }

    private func who(_ change: ItemTrace.Change, _ name: String?, _ own: AccountID?) -> String {
        // Without an account, all changes were made here; only purchases that compression has left may be somebody else's.
        if change.by == own, own != nil || source != .purchase { return "you" }
        return name ?? "somebody"
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("list", list)
        writer.member("listName", listName)
        writer.member("item", trace.id)
        writer.member("text", trace.text)
        writer.member("formerTexts", trace.formerTexts)
        writer.member("status", trace.status.rawValue)
        writer.member("since", trace.since.at.description)
        writer.member("by", trace.since.by)
        writer.member("byName", sinceName)
        writer.member("added", trace.added?.at.description)
        writer.member("addedBy", trace.added?.by)
        writer.member("addedByName", addedName)
        writer.member("source", source.rawValue)
    }
}
