import Testing
import TrolleyJournal
import TrolleyWire

@Suite("A device's report", .timeLimit(.minutes(20)))
struct QueueReportTests {
    private func list(_ number: UInt64) -> ListID { ListID(UUIDBits(high: 0, low: number)) }

    @Test("the stored report has only known lists and words, and is bounded")
    func trimmed() {
        let failures = (0..<20).map { _ in QueueReport.Failure(code: "zoneBusy", count: -1, age: -5) }
        let report = QueueReport(
            upload: ["add": 2, "edit": 0, "move": -1, "eat the cake": 3], toApply: ["delete": 1, "": 1], oldestAge: -9,
            held: [list(1): 3, list(2): 4, list(3): -1],
            failures: [QueueReport.Failure(code: "milk & bread", count: 1, age: 1)] + failures)
        let kept = report.trimmed(to: [list(1), list(3)])
        #expect(kept.upload == ["add": 2] && kept.toApply == ["delete": 1])
        #expect(kept.oldestAge == 0 && kept.held == [list(1): 3])
        #expect(kept.failures == Array(repeating: .init(code: "zoneBusy", count: 1, age: 0), count: 8))
    }

    @Test("huge numbers are cut so that they can be added up and subtracted from a time")
    func huge() {
        let report = QueueReport(
            upload: ["add": .max], toApply: ["delete": .max], oldestAge: .max,
            failures: [.init(code: "zoneBusy", count: .max, age: .max)])
        let kept = report.trimmed(to: [])
        #expect(kept.upload == ["add": 1_000_000_000] && kept.toApply == ["delete": 1_000_000_000])
        #expect(kept.oldestAge == 315_360_000_000)
        #expect(kept.failures == [.init(code: "zoneBusy", count: 1_000_000_000, age: 315_360_000_000)])
    }
}
