/// A moment, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Text form: RFC 3339 in UTC with exactly three decimals, `2026-03-01T09:30:00.250Z`.
public struct Timestamp: Hashable, Comparable, Sendable, RawRepresentable {
    public let rawValue: Int64

    @inlinable
    public init(rawValue: Int64) { self.rawValue = rawValue }

    @inlinable
    public init(milliseconds: Int64) { self.rawValue = milliseconds }

    public var milliseconds: Int64 { rawValue }

    @inlinable
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.rawValue < right.rawValue }

    /// The moment `milliseconds` later, clamped to the range of Int64.
    public func advanced(byMilliseconds milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = rawValue.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }
}

extension Timestamp: LosslessStringConvertible {
    /// Parses RFC 3339 with any number of decimals (fractions of a millisecond are dropped) and any offset.
    public init?(_ description: String) {
        let parsed = description.withBytes { Timestamp(ascii: $0) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// The same from the characters' bytes.
    public init?(ascii: UnsafeBufferPointer<UInt8>) {
        var reader = DigitReader(bytes: ascii)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2),
            hour < 24, minute < 60, second < 61
        else { return nil }
        var fraction: Int64 = 0
        if reader.skip(".") {
            guard let milliseconds = reader.decimals() else { return nil }
            fraction = milliseconds
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let days = daysSinceEpoch(year: year, month: month, day: day)
        // A month or a day that doesn't exist leads to another date.
        guard civil(fromDays: days) == (year, month, day) else { return nil }
        self.init(milliseconds: (((days * 24 + hour) * 60 + minute - offset) * 60 + second) * 1000 + fraction)
        // The offset may lead to a year that RFC 3339 doesn't have.
        guard isPlain else { return nil }
    }

    public var description: String {
        guard isPlain else { return longDescription }
        return String(unsafeUninitializedCapacity: 24) { write(to: $0) }
    }

    /// Writes the text form, if it has exactly 24 characters, as for times in the years 0 to 9999.
    /// - Returns: the number of characters written; 0 when the text is longer.
    public func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard isPlain, buffer.count >= 24 else { return 0 }
        let (day, time) = rawValue.flooredQuotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, dayOfMonth) = civil(fromDays: day)
        func pair(_ value: Int64, at position: Int) {
            buffer[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
            buffer[position + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
        }
        pair(year / 100, at: 0)
        pair(year % 100, at: 2)
        buffer[4] = UInt8(ascii: "-")
        pair(month, at: 5)
        buffer[7] = UInt8(ascii: "-")
        pair(dayOfMonth, at: 8)
        buffer[10] = UInt8(ascii: "T")
        let (minutes, milliseconds) = (time / 60_000, time % 60_000)
        pair(minutes / 60, at: 11)
        buffer[13] = UInt8(ascii: ":")
        pair(minutes % 60, at: 14)
        buffer[16] = UInt8(ascii: ":")
        pair(milliseconds / 1000, at: 17)
        buffer[19] = UInt8(ascii: ".")
        pair(milliseconds % 1000 / 10, at: 20)
        buffer[22] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: milliseconds % 10)
        buffer[23] = UInt8(ascii: "Z")
        return 24
    }

    /// Between the years 0 and 9999.
    private var isPlain: Bool { (-62_167_219_200_000..<253_402_300_800_000).contains(rawValue) }

    /// The calendar repeats every 400 years, so only the year differs from that of a plain time.
    private var longDescription: String {
        let (cycles, rest) = rawValue.flooredQuotientAndRemainder(dividingBy: 146_097 * 86_400_000)
        let year = String(civil(fromDays: rest / 86_400_000).year + 400 * cycles)
        return Timestamp(milliseconds: rest).description.withBytes { plain in
            String(
                joining: String(
                    decoding: repeatElement(UInt8(ascii: "0"), count: max(0, 4 - year.utf8.count)), as: UTF8.self),
                year, String(decoding: plain[4...], as: UTF8.self))
        }
    }
}

#if !hasFeature(Embedded)
    extension Timestamp: Codable {
        public init(from decoder: any Decoder) throws { self = try decoder.text("an RFC 3339 time") }

        public func encode(to encoder: any Encoder) throws { try encoder.text(self) }
    }
#endif

extension Timestamp {
    /// The later of two times; the other one if one is nil.
    package static func latest(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left, let right else { return left ?? right }
        return max(left, right)
    }

    /// The earlier of two times; the other one if one is nil.
    package static func earliest(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}

// Converts between days and the proleptic Gregorian calendar, after Howard Hinnant, "chrono-Compatible Low-Level Date
// Algorithms": a year starts in March, so that the leap day comes last.

private func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shifted.flooredQuotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

private struct DigitReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func digit() -> Int64? {
        guard position < bytes.count else { return nil }
        let value = bytes[position] &- UInt8(ascii: "0")
        guard value <= 9 else { return nil }
        position += 1
        return Int64(value)
    }

    mutating func number(_ width: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// The decimals of a second, in milliseconds.
    mutating func decimals() -> Int64? {
        guard var value = digit().map({ $0 * 100 }) else { return nil }
        var weight: Int64 = 10
        while let digit = digit() {
            value += digit * weight
            weight /= 10
        }
        return value
    }

    /// `Z` or `±hh:mm`, in minutes.
    mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64 = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }
}
