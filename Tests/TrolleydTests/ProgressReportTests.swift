import Testing

@testable import trolleyd

@Suite("Progress of a backup and a restore", .timeLimit(.minutes(20)))
struct ProgressReportTests {
    @Test("one line a second says which table it is, and how many there are")
    func lines() {
        let start = ContinuousClock.now
        var report = ProgressReport("backup", of: 4, at: start)
        #expect(report.line(for: "account", at: start) == nil)
        #expect(report.line(for: "device", at: start + .seconds(1)) == "backup: table 2 of 4, device")
        #expect(report.line(for: "list", at: start + .milliseconds(1900)) == nil)
        #expect(report.line(for: "entry", at: start + .seconds(2)) == "backup: table 4 of 4, entry")
    }
}
