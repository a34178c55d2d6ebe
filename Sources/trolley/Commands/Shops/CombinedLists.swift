import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

/// Further lists that are shopped together with the current one.
struct CombinedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            localized(
                "Another list to shop at the same time, by name or id; may be given several times.",
                de: "Eine weitere Liste, die zugleich eingekauft wird, mit Namen oder Kennung; auch mehrmals."),
            valueName: "list"),
        completion: .lists)
    var with: [String] = []
}

/// Several lists, shopped as one.
struct CombinedLists {
    let device: Device
    let ids: [ListID]
    let names: [ListID: String]

    init(_ list: ListOptions, _ combined: CombinedOptions, on device: Device) async throws {
        self.device = device
        var lists = [try await device.list(list)]
        for name in combined.with {
            let other = try await device.list(ListOptions(list: name))
            if !lists.contains(where: { $0.id == other.id }) { lists.append(other) }
        }
        ids = lists.map(\.id)
        names = Dictionary(uniqueKeysWithValues: lists.map { ($0.id, $0.name ?? "") })
    }

    func rows() async throws -> [CombinedRow] { try await device.combinedRows(of: ids) }

    /// Prints the rows. `position` is the number that commands take with the same lists.
    func show(_ console: Console) async throws {
        let rows = try await rows()
        let wanted = rows.count { !$0.isMarkedOff }
        console.say(console.terminal.bold(ids.compactMap { names[$0] }.inWords) + "  \(ListSummary.toBuy(wanted))")
        console.say(rows.map(shown))
        console.answer { writer in
            writer.member("lists", ids)
            write(rows.enumerated().map { (position: $0 + 1, row: $1) }, to: &writer)
        }
    }

    /// Changes the items of each text on each of the lists, as one step on each, and prints the outcome.
    func run(
        _ change: ItemChange, on items: [String], _ console: Console, make: ([CombinedRow]) async throws -> Void
    ) async throws {
        let rows = try await rows()
        var found: [CombinedRow] = []
        for name in items {
            let item = try console.find(name, among: rows.map(shown), for: change.operation)
            found += rows.filter { $0.first.item.id == item.id && !found.contains($0) }
        }
        let done = found.filter { change.already?.applies($0.first.item) == true }
        try await make(found.filter { !done.contains($0) })
        // Read before sending, because a sync may find that a list is gone.
        let changed = Set(found.flatMap(\.parts).map(\.item.id))
        let now = try await self.rows().enumerated().filter { $1.parts.contains { changed.contains($0.item.id) } }
        let report = try await device.syncAfterChange()
        for row in found {
            let lists = row.parts.compactMap { names[$0.list] }.inWords
            if let already = change.already, done.contains(row) {
                console.say(already.sentence(row.text))
            } else {
                console.say(change.done("\(row.text) (\(lists))"))
            }
        }
        console.say(report)
        console.answer { writer in
            write(now.map { (position: $0 + 1, row: $1) }, to: &writer)
            writer.waiting(report)
        }
        try console.finishChange(report)
    }

    /// A row as the table of one list shows it: with the quantities of all its lists, and the lists' names.
    private func shown(_ row: CombinedRow) -> ShownRow {
        var item = row.first.item
        let quantities = row.parts.compactMap { $0.item.fields[Fields.quantity]?.string }
        item.fields[Fields.quantity] = quantities.isEmpty ? nil : .string(quantities.joined(separator: " + "))
        item.fields[Fields.aisle] = row.aisle.map { .string($0) }
        item.fields[Fields.note] = .string(row.parts.compactMap { names[$0.list] }.inWords)
        var shown = ShownRow(item: item)
        shown.isElsewhere = row.isElsewhere
        return shown
    }

    private func write(_ rows: [(position: Int, row: CombinedRow)], to writer: inout JSONWriter) {
        writer.member("rows", rows) { numbered, writer in
            let row = numbered.row
            writer.member("text", row.text)
            writer.member("position", numbered.position)
            writer.key("markedOff")
            writer.bool(row.isMarkedOff)
            if row.isElsewhere { writer.member("elsewhere", true) }
            writer.member("aisle", row.aisle)
            writer.member("parts", row.parts) { part, writer in
                writer.member("list", part.list)
                writer.key("item")
                part.item.write(to: &writer)
            }
        }
    }
}
