import Testing
import TrolleyJournal

@testable import TrolleyStore

@Suite("Months of the archive", .timeLimit(.minutes(20)))
struct MonthTests {
    @Test(
        "a time is in the month of its date in UTC",
        arguments: [
            ("2026-01-01T00:00:00.000Z", "archived_entry_2026_01", "2026-02-01T00:00:00.000Z"),
            ("2026-12-31T23:59:59.999Z", "archived_entry_2026_12", "2027-01-01T00:00:00.000Z"),
            ("2024-02-29T12:00:00.000Z", "archived_entry_2024_02", "2024-03-01T00:00:00.000Z"),
        ])
    func ofTime(time: String, table: String, end: String) throws {
        let month = Month(try #require(Timestamp(time)))
        #expect(month.table == table && month.next.start.description == end)
        #expect(Month(table: table) == month)
        #expect(Month(month.start) == month && month < month.next)
    }

    @Test("a table that is no month is none", arguments: ["archived_entry", "archived_entry_2026_13", "list", ""])
    func noMonth(table: String) {
        #expect(Month(table: table) == nil)
    }
}
