import ArgumentParser
import TrolleyAssistant
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ShowCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "show",
            abstract: localized(
                "Show a list, as this device has it.", de: "Eine Liste zeigen, wie dieses Gerät sie hat."),
            discussion: discussion(
                """
                With --json the items are in the list's order; 'position' is the number that other commands take, as shown. While
                you shop, the items are in the order of past trips, and 'usually 4th' says why; see 'trolley shopping --order'.

                With --with, several lists are shown as one: what they call by the same text is one row. 'trolley off' takes the same
                option and marks it off on each of them.
                """,
                de: """
                    Mit --json stehen die Einträge in der Reihenfolge der Liste; „position“ ist die Nummer, die andere Befehle \
                    nehmen, wie gezeigt. Beim Einkaufen stehen die Einträge wie auf früheren Einkäufen, und „meist als 4.“ \
                    sagt, warum; siehe „trolley shopping --order“.

                    Mit --with erscheinen mehrere Listen als eine: Was auf ihnen gleich heißt, ist eine Zeile. „trolley off“ \
                    nimmt dieselbe Option und hakt es auf jeder ab.
                    """,
                examples: """
                    trolley show
                    trolley show --list Party --json
                    trolley show --with Party
                    """))
    }

    @OptionGroup var list: ListOptions
    @OptionGroup var combined: CombinedOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        if !combined.with.isEmpty { return try await CombinedLists(list, combined, on: device).show(console) }
        let list = try await device.list(list)
        let (state, rows, shop, toApply) = try await device.list(list.id).shown()
        let age = list.age.map { ", \($0)" } ?? ""
        console.say(
            console.terminal.bold(state.name ?? ListSummary.unnamed) + "  \(ListSummary.toBuy(list.wanted))\(age)")
        let new = toApply.addedTexts
        if !new.isEmpty {
            let items = console.count(new.count, .newItem)
            console.say(
                localized(
                    "\(items) from others: \(new.inWords). Take them in: trolley apply",
                    de: "\(items) von anderen: \(new.inWords). Um sie zu zeigen: trolley apply"))
        }
        if let shop { console.say(localized("At \(shop):", de: "Bei \(shop):")) }
        console.say(rows)
        if list.waiting > 0, !list.isLocal {
            console.sayWaiting(list.waiting)
        }
        if !console.json { await noteRead(list.id, device) }
        // Contains nothing about this device, so that two devices in step print the same bytes. While shopping, struck rows
        // keep their positions, so those may differ.
        console.answer { writer in
            ShowAnswer(list.id, state, rows: rows).writeMembers(to: &writer)
            writer.struck(rows)
            writer.usual(rows)
            // Where this person is, and what they don't need there.
            if let shop {
                writer.member("shop", shop)
                writer.member("elsewhere", rows.filter(\.isElsewhere).map(\.item.id))
            }
        }
    }

    /// Moves the read mark. A program's JSON doesn't count as reading. This doesn't wait for the service.
    private func noteRead(_ list: ListID, _ device: Device) async {
        do { try await device.list(list).markRead(offline: true) } catch {
            // On a full disk the list can still be shown.
        }
    }
}

extension JSONWriter {
    /// The member `struck`, if any row is struck: items that were deleted in shopping mode and keep their numbers.
    fileprivate mutating func struck(_ rows: [ShownRow]) {
        guard rows.contains(where: \.isStruck) else { return }
        key("struck")
        array { writer in
            for (index, row) in rows.enumerated() where row.isStruck {
                writer.object { writer in
                    writer.member("id", row.item.id)
                    writer.member("text", row.item.text)
                    writer.member("position", index + 1)
                }
            }
        }
    }

    /// The member `usual`, if the rows are in the learned order: the usual place of each item on past trips.
    fileprivate mutating func usual(_ rows: [ShownRow]) {
        guard rows.contains(where: { $0.usual != nil }) else { return }
        key("usual")
        array { writer in
            for (index, row) in rows.enumerated() {
                guard let usual = row.usual else { continue }
                writer.object { writer in
                    writer.member("id", row.item.id)
                    writer.member("text", row.item.text)
                    writer.member("position", index + 1)
                    writer.member("usually", usual.position)
                    writer.member("trips", usual.trips)
                }
            }
        }
    }
}

extension UsualPlace {
    /// 'usually 4th'.
    var words: String {
        let suffix =
            switch (position % 100, position % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return localized("usually \(position)\(suffix)", de: "meist als \(position).")
    }
}

extension Item {
    /// The item as one line of a list.
    /// - Parameter isStruck: whether it is deleted, and only keeps its place.
    func line(at position: Int, width: Int, _ terminal: Terminal, isStruck: Bool = false) -> String {
        let number = String(position)
        let padding = String(repeating: " ", count: width - number.count)
        var line = "\(padding)\(number). \(isStruck ? "[-]" : markedOff ? "[x]" : "[ ]") \(text)"
        if let quantity = fields[Fields.quantity]?.string { line += quantity.behindText }
        if let aisle = fields[Fields.aisle]?.string { line += "  @\(aisle)" }
        if let note = fields[Fields.note]?.string { line += "  (\(note))" }
        if let shop { line += "  " + localized("at \(shop)", de: "bei \(shop)") }
        line = line.inOneLine
        if isStruck { return terminal.struck(line + "  " + localized("deleted", de: "gelöscht")) }
        return markedOff ? terminal.dim(line) : line
    }
}
