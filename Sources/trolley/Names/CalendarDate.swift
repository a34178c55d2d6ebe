/// A day, as a person writes it: '2026-11-22', or in German also '22.11.2026'.
struct CalendarDate: Hashable {
    let year: Int
    let month: Int
    let day: Int

    /// nil: the text is no date.
    init?(_ text: some StringProtocol) {
        func numbers(between separator: Character) -> [Int?] {
            text.split(separator: separator, omittingEmptySubsequences: false).map { Int($0) }
        }
        let isGerman = text.contains(".")
        let parts = isGerman ? numbers(between: ".").reversed() : numbers(between: "-")
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// A date of ``LocalTime``, as the person writes it.
    static func words(_ date: String) -> String {
        localized(date, de: CalendarDate(date)?.germanWords ?? date)
    }

    private var germanWords: String { "\(twoDigits(day)).\(twoDigits(month)).\(year)" }

    private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension CalendarDate: CustomStringConvertible {
    /// `2026-11-22`.
    var description: String { "\(year)-\(twoDigits(month))-\(twoDigits(day))" }
}
