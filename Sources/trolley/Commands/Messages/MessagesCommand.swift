import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct MessagesCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "messages",
            abstract: localized(
                "Show the messages of a list, oldest first, and mark them as read.",
                de: "Die Nachrichten einer Liste zeigen, alte zuerst, und als gelesen merken."),
            discussion: discussion(
                """
                With --item or --pinned it marks nothing as read: what a person has read is one place in the whole list, and
                others' messages before it were not shown.

                Messages are numbered from the newest, which is 1. Other commands take that number, the id or a part of the
                text. It works offline: 'trolley sync' fetches what others wrote.
                """,
                de: """
                    Mit --item oder --pinned gilt nichts als gelesen: Was jemand gelesen hat, ist eine Stelle in der ganzen \
                    Liste, und Nachrichten davor wurden nicht gezeigt.

                    Nachrichten haben Nummern von der neuesten an, die 1 ist. Andere Befehle nehmen diese Nummer, die Kennung \
                    oder einen Teil des Textes. Das geht ohne Netz: „trolley sync“ holt, was andere geschrieben haben.
                    """,
                examples: """
                    trolley messages
                    trolley messages --item milk
                    trolley messages --limit 20 --before 0199b2c4-5d60-7000-8000-000000000001
                    """))
    }

    @Option(
        help: ArgumentHelp(
            localized("The maximum number of messages.", de: "So viele Nachrichten höchstens."), valueName: "number"),
        transform: { try wholeNumber($0, from: 1, suchAs: 20) })
    var limit: Int = 50

    @Option(
        help: ArgumentHelp(
            localized(
                "Only messages before this one, which the previous page ended with.",
                de: "Nur Nachrichten vor dieser, mit der die Seite davor endet."), valueName: "id"))
    var before: String?

    @Option(
        help: .localized(
            "Only messages about this item; by text, position or id.",
            de: "Nur Nachrichten zu diesem Eintrag; mit Text, Nummer oder Kennung."), completion: .items)
    var item: String?

    @Flag(help: .localized("Only pinned messages.", de: "Nur angeheftete Nachrichten."))
    var pinned = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let rows = try await device.list(list.id).shownRows()
        var about: ItemID?
        // An id may also name an item that is no longer on the list.
        if let item { about = try ItemID(item) ?? console.find(item, among: rows).id }
        var above: EntryID?
        if let before {
            above = try EntryID(before) ?? { throw CommandError.noSuchMessage(before) }()
        }
        let all = try await device.list(list.id).messages(limit: .max)
        var numbers: [EntryID: Int] = [:]
        for (index, message) in all.reversed().enumerated() { numbers[message.id] = index + 1 }
        let shown = try await device.list(list.id).messages(limit: pinned ? .max : limit, before: above, about: about)
            .filter { !pinned || $0.isPinned }
        let people = try await device.people(of: list)
        for message in shown {
            console.say(
                message.lines(
                    number: numbers[message.id] ?? 0, people: people,
                    item: rows.first { $0.item.id == message.item }?.item.text, console.terminal))
        }
        if shown.isEmpty { console.say(localized("No messages.", de: "Keine Nachrichten.")) }
        if shown.count == limit, let first = shown.first, all.first?.id != first.id, !pinned {
            console.say(
                localized(
                    "Older messages: trolley messages --before \(first.id)",
                    de: "Ältere Nachrichten: trolley messages --before \(first.id)"))
        }
        // Only the service knows who has the list open.
        let isOffline = !list.isLocal && people?.presence == nil
        if isOffline {
            let knownLast = try await device.knownLast
            console.say(knownLast)
        }
        console.answer { writer in
            writer.member("list", list.id)
            if isOffline { writer.member("offline", true) }
            writer.member("total", all.count)
            writer.member("messages", shown)
            writer.key("reads")
            writer.array { writer in
                for read in people?.reads ?? [] {
                    writer.object { writer in
                        writer.member("account", read.account)
                        writer.member("through", read.through)
                    }
                }
            }
        }
        if !console.json, about == nil, !pinned { await noteRead(shown, on: list.id, device) }
    }

    /// Moves the list's read mark. A program's JSON doesn't count as reading. The next sync tells the service.
    private func noteRead(_ messages: [Message], on list: ListID, _ device: Device) async {
        do { try await device.list(list).markRead(messages, offline: true) } catch {
            // On a full disk the messages can still be shown.
        }
    }
}

extension Device {
    /// The people on a list; nil: it has none, because it is on this device alone.
    fileprivate func people(of list: ListSummary) async throws -> ShareResponse? {
        if list.isLocal { return nil }
        do throws(DeviceError) {
            return try await self.list(list.id).people()
        } catch {
            guard error.isWithoutService else { throw error }
            return nil
        }
    }
}

extension Message {
    /// `3  12:30  Bob, about 'milk': the blue one`, then its reactions and the people who have read it.
    fileprivate func lines(
        number: Int, people: ShareResponse?, item: String?, _ terminal: Terminal
    ) -> String {
        func name(_ account: AccountID) -> String {
            people?.share.participants.first { $0.account == account }?.displayName
                ?? localized("Somebody", de: "Jemand")
        }
        let who = byline(author.map(name) ?? localized("You", de: "Du"))
        let subject =
            self.item == nil
            ? ""
            : localized(
                ", about '\(item ?? "an item that is gone")'",
                de: item.map { ", zu „\($0)“" } ?? ", zu etwas, das weg ist")
        var line = terminal.dim("\(number)  \((origin?.at ?? madeAt).words)") + "  \(who)\(subject): \(text)"
        if isPinned { line += localized("  (pinned)", de: "  (angeheftet)") }
        if sequence == nil { line += localized("  (not sent yet)", de: "  (noch nicht gesendet)") }
        for reaction in reactions { line += "  \(reaction.text) \(max(1, reaction.accounts.count))" }
        let readers = (people?.reads ?? []).filter { mark in
            mark.account != author && sequence.map { mark.through >= $0 } == true
        }
        guard !readers.isEmpty else { return line }
        let names = readers.map { name($0.account) }.joined(separator: ", ")
        return line + "\n    " + terminal.dim(localized("read by \(names)", de: "gelesen von \(names)"))
    }
}
