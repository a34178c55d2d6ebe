import TrolleyJournal

/// `Retry-After`: a number of seconds, or a date in one of the three forms of HTTP (RFC 9110 §10.2.3, §5.6.7).
enum RetryAfter {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Returns: seconds from `now`, rounded up; 0 for a date in the past; nil if the text is neither.
    static func seconds(_ text: String, now: Timestamp) -> Int64? {
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More seconds than fit are more than anybody waits.
            return Int64(text) ?? .max
        }
        guard let date = date(text, now: now) else { return nil }
        return max(0, (date.milliseconds - now.milliseconds + 999) / 1000)
    }

    /// - Returns: nil if the text is no date of HTTP.
    static func date(_ text: String, now: Timestamp) -> Timestamp? {
        guard text.utf8.count <= 40 else { return nil }
        if let match = text.wholeMatch(of: /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT/) {
            return timestamp(match.3, match.2, match.1, match.4)
        }
        if let match = text.wholeMatch(of: /[A-Z][a-z]{5,8}, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT/) {
            return timestamp(year(match.3, now: now), match.2, match.1, match.4)
        }
        if let match = text.wholeMatch(of: /[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})/) {
            return timestamp(match.4, match.1, match.2, match.3)
        }
        return nil
    }

    /// A year of two digits that seems to be more than 50 years away is the latest one in the past.
    private static func year(_ digits: Substring, now: Timestamp) -> Substring {
        let present = Int64(now.description.prefix(4)) ?? 0
        let year = present / 100 * 100 + (Int64(digits) ?? 0)
        return "\(year > present + 50 ? year - 100 : year)"
    }

    private static func timestamp(
        _ year: Substring, _ month: Substring, _ day: Substring, _ time: Substring
    ) -> Timestamp? {
        guard let index = months.firstIndex(of: String(month)) else { return nil }
        let number = index < 9 ? "0\(index + 1)" : "\(index + 1)"
        let date = day.replacing(" ", with: "0")
        return Timestamp("\(year)-\(number)-\(date)T\(time)Z")
    }
}
