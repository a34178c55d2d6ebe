import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync

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
            columns: 80, rows: 24, Terminal()
        )
        .joined(separator: "\n")
        for part in [
            "Weekly shop  2 to buy", "In step.", "▲ 1 new: jam (t shows them)", "1.  ·  item 1", "2.  ✓  item 2",
            "to send: 2 add, 1 markOff · to apply: 1 add", "here: Bob", "q leave",
        ] { #expect(text.contains(part), "\(part)") }
    }

    @Test func `it fits any screen, and what doesn't is scrolled to`() {
        for (columns, rows) in [(80, 24), (40, 12), (20, 8), (10, 5), (1, 1)] {
            let lines = view(items: 100).lines(columns: columns, rows: rows, Terminal())
            #expect(lines.count <= rows && lines.allSatisfy { $0.columns <= columns }, "\(columns)x\(rows)")
        }
        var view = view(items: 100)
        #expect(view.lines(columns: 80, rows: 24, Terminal()).contains { $0.contains("more (j, k)") })
        view.scrolled = 1000
        let end = view.lines(columns: 80, rows: 24, Terminal())
        #expect(end.contains { $0.contains("item 100") } && !end.contains { $0.contains("more (j, k)") })
    }

    @Test func `arrows are keys, other sequences are none`() {
        #expect(Screen.keys(in: Array("q".utf8)) == ["q"])
        #expect(Screen.keys(in: Array("\u{1B}[A".utf8)) == ["k"] && Screen.keys(in: Array("\u{1B}[B".utf8)) == ["j"])
        #expect(Screen.keys(in: Array("\u{1B}[C".utf8)).isEmpty)
    }
}
