import Testing

@testable import TrolleyJournal

@Suite("A list's timeline", .timeLimit(.minutes(20)))
struct TimelineTests {
    private static let entries: [ConfirmedEntry] = [
        .sample(1, .add, 101, ["text": "milk"]), .sample(2, .add, 102, after: 101, ["text": "bread"]),
        .sample(4, .delete, 101),
    ]

    @Test("a state through a change has that change in it, wherever the checkpoints are", arguments: [1, 2, 500])
    func through(interval: Int) {
        var timeline = Timeline(Self.entries, interval: interval)
        func texts(_ sequence: Int64) -> [String] {
            timeline.state(through: SequenceNumber(rawValue: sequence)).items.map(\.text)
        }
        let expected: [Int64: [String]] = [
            0: [], 1: ["milk"], 2: ["milk", "bread"], 3: ["milk", "bread"], 4: ["bread"], 5: ["bread"],
        ]
        // Forwards and backwards.
        for sequence in [0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0] as [Int64] {
            #expect(texts(sequence) == expected[sequence], "through \(sequence)")
        }
    }

    @Test("an entry received at a moment counts as received by then")
    func moment() {
        let timeline = Timeline(Self.entries)
        #expect(timeline.sequence(at: .seconds(2)).rawValue == 2)
        #expect(timeline.sequence(at: Timestamp(milliseconds: 1999)).rawValue == 1)
        #expect(timeline.sequence(at: Timestamp(milliseconds: 999)) == .start)
    }
}
