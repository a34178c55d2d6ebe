import FoundationEssentials
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct WatchViewTests {
    private func view(items: Int = 3, toApply: [JournalEntry] = [], peoplePresent: [String] = []) -> WatchView {
        let items = (0..<items).map { index in
            Item(id: id(UInt64(index)), markedOff: index == 1, fields: [Fields.text: .string("item \(index + 1)")])
        }
        return WatchView(
            state: ListState(name: "Weekly shop", items: items), upload: [entry(.add), entry(.add), entry(.markOff)],
            toApply: toApply, isLocal: false, waiting: 3, peoplePresent: peoplePresent, notices: [], refused: 0,
            sync: "In step.")
    }

    private func id<ID: Identifier>(_ number: UInt64) -> ID {
        .version7(at: Timestamp(milliseconds: 0), random: (0, number))
    }

    private func entry(_ operation: TrolleyJournal.Operation, text: String = "x") -> JournalEntry {
        JournalEntry(id: id(9), operation: operation, item: id(8), fields: ["text": .string(text)], deviceSequence: 1)
    }

    @Test func `it shows the list, both queues by operation, who is there and how syncing goes`() {
        let text = view(toApply: [entry(.add, text: "jam")], peoplePresent: ["Bob"]).lines(
            columns: 80, rows: 24, Terminal(showsColours: false)
        )
        .joined(separator: "\n")
        for part in [
            "Weekly shop  2 to buy", "In step.", "▲ 1 new: jam (t shows them)", "1.  ·  item 1", "2.  ✓  item 2",
            "to send: 2 add, 1 markOff · to apply: 1 add", "here: Bob", "q leave",
        ] { #expect(text.contains(part), "\(part)") }
    }

    @Test func `it shows summaries above the list, and the last messages below it`() throws {
        var view = view()
        view.summaries = ["Bob added 5, marked off 3 (Party)"]
        view.messages = ["Bob: the blue one", "You: fine  (not sent yet)"]
        let lines = view.lines(columns: 80, rows: 24, Terminal(showsColours: false))
        let parts = ["Bob added 5", "1.  ·  item 1", "Bob: the blue one", "You: fine  (not sent yet)"]
        let places = try parts.map { part in try #require(lines.firstIndex { $0.hasPrefix(part) }, "\(part)") }
        #expect(places == places.sorted())
    }

    @Test func `rows stand under their aisles, and a deleted one keeps its number, struck through`() {
        let texts: [(String, String?)] = [
            ("soap", nil), ("milk", "Dairy"), ("bread", "Bakery"), ("butter", "dairy"), ("eggs", "Dairy"),
        ]
        let rows = texts.enumerated().map { index, item in
            var fields: Fields = [Fields.text: .string(item.0)]
            fields[Fields.aisle] = item.1.map { .string($0) }
            return ShownRow(item: Item(id: id(UInt64(index)), fields: fields), isStruck: item.0 == "butter")
        }
        var view = view(items: 0)
        view.state = ListState(name: "Shop", items: rows.filter { !$0.isStruck }.map(\.item))
        view.rows = rows.byAisle(["Bakery", "Dairy"])
        let lines = view.lines(columns: 80, rows: 24, Terminal(showsColours: false))
        #expect(
            lines[3..<11].map(\.withoutTrailingSpaces) == [
                "Bakery", "1.  ·  bread", "Dairy", "2.  ·  milk", "3.  −  butter  deleted", "4.  ·  eggs",
                "(no aisle)", "5.  ·  soap",
            ])
        #expect(lines[0] == "Shop  4 to buy")
    }

    @Test func `a list that left is told of, with how to dismiss that`() {
        var view = view()
        view.notices = [
            Notice(list: id(7), listName: "Party", reason: .removed, keptAside: 0, at: Timestamp(milliseconds: 0))
        ]
        let lines = view.lines(columns: 80, rows: 24, Terminal(showsColours: false))
        #expect(lines[2].hasPrefix("'Party' left.") && lines[3] == "To dismiss this: trolley queue --dismiss")
    }

    @Test func `the picture in the README shows what the command shows`() throws {
        let items: [(String, String?, String?, String?, Bool)] = [
            ("milk", "2 l", nil, "Dairy", true), ("bread", nil, nil, "Bakery", false),
            ("eggs", "12", nil, "Dairy", false),
            ("oat flakes", nil, "the coarse ones", nil, false), ("coffee", nil, nil, nil, false),
        ]
        let rows = items.enumerated().map { index, item in
            var fields: Fields = [Fields.text: .string(item.0)]
            fields[Fields.quantity] = item.1.map { .string($0) }
            fields[Fields.note] = item.2.map { .string($0) }
            fields[Fields.aisle] = item.3.map { .string($0) }
            return ShownRow(item: Item(id: id(UInt64(index)), markedOff: item.4, fields: fields))
        }
        var view = view(toApply: [entry(.add, text: "jam"), entry(.add, text: "honey")], peoplePresent: ["Bob"])
        view.state = ListState(name: "Weekly shop", items: rows.map(\.item))
        view.rows = rows.byAisle([])
        view.upload = []
        view.waiting = 0
        view.sync = SyncProgress.idle.description
        let lines = view.lines(columns: 60, rows: 18, Terminal(showsColours: false))
            .map(\.withoutTrailingSpaces).filter { !$0.isEmpty }
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let picture = try String(contentsOfFile: "/\(root)/docs/screenshots/watch.svg", encoding: .utf8)
        let drawn = picture.matches(of: /<text class="[a-z]" [^>]*>([^<]*)<\/text>/).map { String($0.output.1) }
        #expect(drawn == lines, "\(lines.joined(separator: "\n"))")
    }

    @Test func `it fits any screen, and what doesn't is scrolled to`() {
        for (columns, rows) in [(80, 24), (40, 12), (20, 8), (10, 5), (1, 1)] {
            let lines = view(items: 100).lines(columns: columns, rows: rows, Terminal(showsColours: false))
            #expect(lines.count <= rows && lines.allSatisfy { $0.columns <= columns }, "\(columns)x\(rows)")
        }
        var view = view(items: 100)
        let start = view.lines(columns: 80, rows: 24, Terminal(showsColours: false))
        #expect(start.contains { $0.contains("more (j, k)") })
        view.scrolled = 1000
        let end = view.lines(columns: 80, rows: 24, Terminal(showsColours: false))
        #expect(end.contains { $0.contains("item 100") } && !end.contains { $0.contains("more (j, k)") })
    }

    @Test func `arrows are keys, other sequences are none`() {
        #expect(Screen.keys(in: Array("q".utf8)) == ["q"])
        #expect(Screen.keys(in: Array("\u{1B}[A".utf8)) == ["k"] && Screen.keys(in: Array("\u{1B}[B".utf8)) == ["j"])
        #expect(Screen.keys(in: Array("\u{1B}[C".utf8)).isEmpty)
    }
}

extension String {
    /// Removes the padding of a table's cells, which the picture doesn't have.
    fileprivate var withoutTrailingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}
