import TrolleyJournal
import TrolleyStore

/// What a `VTODO` says of an item, and what a list's item is as a `VTODO` (decision 3203).
struct Todo: Hashable, Sendable {
    /// As the client wrote it.
    var uid: String
    var summary: String
    /// nil: the client didn't send ours back.
    var quantity: String?
    var note: String?
    /// The first category.
    var aisle: String?
    var isMarkedOff: Bool
    /// `X-APPLE-SORT-ORDER`.
    var order: Int64?
    /// The text of a ``TaskVersion``; nil: the client didn't send ours back.
    var version: String?
    /// All other properties and components, as they were written.
    var others: String?
    /// The time zones that these refer to.
    var timeZones: String?

    /// The keys of the fields in which the rest of a task stays.
    static let othersKey = "icalendar"
    static let timeZonesKey = "icalendarZones"
    static let uidKey = CalendarField.uid
    static let nameKey = CalendarField.name
    static let orderKey = CalendarField.order

    static let quantityProperty = "X-TROLLEY-QUANTITY"
    static let versionProperty = "X-TROLLEY-VERSION"
    static let orderProperty = "X-APPLE-SORT-ORDER"

    /// Properties with a meaning of their own here, and those that the service writes itself.
    private static let known: Set<String> = [
        "UID", "SUMMARY", "DESCRIPTION", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "CATEGORIES", "DTSTAMP", "CREATED",
        "LAST-MODIFIED", "SEQUENCE", quantityProperty, versionProperty, orderProperty,
    ]

    init(_ object: CalendarObject) throws(CalendarObject.Refusal) {
        guard let uid = object.first("UID")?.unescaped, !uid.isEmpty, uid.utf8.count <= 255 else {
            throw .malformed("UID is missing, or has more than 255 bytes")
        }
        self.uid = uid
        func text(_ name: String) -> String? {
            object.first(name)?.unescaped.trimmedText
        }
        summary = (text("SUMMARY") ?? "").replacing("\n", with: " ")
        quantity = text(Self.quantityProperty)
        note = text("DESCRIPTION")
        let categories = object.lines.filter { $0.name == "CATEGORIES" }.flatMap(\.list).compactMap(\.trimmedText)
        aisle = categories.first
        order = (object.first(Self.orderProperty)?.value).flatMap(Self.number)
        version = object.first(Self.versionProperty)?.unescaped
        let percent = object.first("PERCENT-COMPLETE")?.value
        switch object.first("STATUS")?.value.uppercased() {
        case "COMPLETED", "CANCELLED": isMarkedOff = true
        case nil: isMarkedOff = object.first("COMPLETED") != nil || percent == "100"
        default: isMarkedOff = false
        }
        var rest = object.lines.filter { !Self.known.contains($0.name) }
        // A task that has been begun.
        if !isMarkedOff, object.first("STATUS")?.value.uppercased() == "IN-PROCESS" {
            rest.append(ContentLine("STATUS", "IN-PROCESS"))
            if let percent, let number = Int(percent), (1...99).contains(number) {
                rest.append(ContentLine("PERCENT-COMPLETE", percent))
            }
        }
        if categories.count > 1 {
            rest.append(
                ContentLine("CATEGORIES", categories.dropFirst().map(ContentLine.escaped).joined(separator: ",")))
        }
        others = Self.kept(rest + object.components)
        let isZoned = others?.contains("TZID=") == true
        timeZones = isZoned ? Self.kept(object.timeZones) : nil
    }

    /// Some clients write numbers with a fraction.
    private static func number(_ text: String) -> Int64? {
        Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded()) }
    }

    private static func kept(_ lines: [ContentLine]) -> String? {
        lines.isEmpty ? nil : lines.map(\.text).joined(separator: "\n")
    }
}

extension Todo {
    /// An item as a task.
    /// - Parameter order: its number in the list's order.
    init(_ item: Item, order: Int64?) {
        func text(_ key: String) -> String? { item.fields[key]?.string }
        uid = text(Self.uidKey) ?? item.id.description
        summary = Self.summary(of: item)
        quantity = text(Fields.quantity)
        note = text(Fields.note)
        aisle = text(Fields.aisle)
        isMarkedOff = item.markedOff
        self.order = order
        others = text(Self.othersKey)
        timeZones = text(Self.timeZonesKey)
    }

    /// The text with the quantity before it, as people write it, if it would be read back the same.
    static func summary(of item: Item) -> String {
        guard let quantity = item.fields[Fields.quantity]?.string else { return item.text }
        let line = "\(quantity) \(item.text)"
        guard let read = ItemLine(line), read.text == item.text, read.quantity == quantity else { return item.text }
        return line
    }

    /// The iCalendar object.
    func object(createdAt: Timestamp, changedAt: Timestamp, markedOffAt: Timestamp?) -> String {
        ContentLine.text(of: objectLines(createdAt: createdAt, changedAt: changedAt, markedOffAt: markedOffAt))
    }

    func objectLines(createdAt: Timestamp, changedAt: Timestamp, markedOffAt: Timestamp?) -> [ContentLine] {
        var lines = [
            ContentLine("BEGIN", "VCALENDAR"), ContentLine("VERSION", "2.0"),
            ContentLine("PRODID", "-//Trolley//Trolley//EN"),
        ]
        lines += Self.lines(in: timeZones)
        lines += todoLines(createdAt: createdAt, changedAt: changedAt, markedOffAt: markedOffAt)
        lines.append(ContentLine("END", "VCALENDAR"))
        return lines
    }

    /// The `VTODO` alone.
    func todoLines(createdAt: Timestamp, changedAt: Timestamp, markedOffAt: Timestamp?) -> [ContentLine] {
        var rest = Self.lines(in: others)
        let firstComponent = rest.firstIndex { $0.name == "BEGIN" } ?? rest.endIndex
        let components = rest[firstComponent...]
        rest = Array(rest[..<firstComponent])
        var lines = [
            ContentLine("BEGIN", "VTODO"), ContentLine("UID", ContentLine.escaped(uid)),
            ContentLine("DTSTAMP", changedAt.calendarText), ContentLine("CREATED", createdAt.calendarText),
            ContentLine("LAST-MODIFIED", changedAt.calendarText), ContentLine("SUMMARY", ContentLine.escaped(summary)),
        ]
        if let quantity { lines.append(ContentLine(Self.quantityProperty, ContentLine.escaped(quantity))) }
        if let version { lines.append(ContentLine(Self.versionProperty, ContentLine.escaped(version))) }
        if let note { lines.append(ContentLine("DESCRIPTION", ContentLine.escaped(note))) }
        let furtherCategories = rest.filter { $0.name == "CATEGORIES" }.map(\.value)
        let categories = [aisle.map(ContentLine.escaped)].compactMap(\.self) + furtherCategories
        if !categories.isEmpty { lines.append(ContentLine("CATEGORIES", categories.joined(separator: ","))) }
        if isMarkedOff {
            lines.append(ContentLine("STATUS", "COMPLETED"))
            if let markedOffAt { lines.append(ContentLine("COMPLETED", markedOffAt.calendarText)) }
            lines.append(ContentLine("PERCENT-COMPLETE", "100"))
        } else if !rest.contains(where: { $0.name == "STATUS" }) {
            lines.append(ContentLine("STATUS", "NEEDS-ACTION"))
        }
        if let order { lines.append(ContentLine(Self.orderProperty, "\(order)")) }
        // A service of an earlier version may have kept the version as one of the client's own properties.
        lines += rest.filter { line in
            line.name != "CATEGORIES" && line.name != Self.versionProperty
                && !(isMarkedOff && (line.name == "STATUS" || line.name == "PERCENT-COMPLETE"))
        }
        return lines + components + [ContentLine("END", "VTODO")]
    }

    private static func lines(in text: String?) -> [ContentLine] {
        guard let text else { return [] }
        return text.utf8.split(separator: 0x0A).compactMap { ContentLine(String(Substring($0))) }
    }
}

extension String {
    /// Without white space around it; nil if nothing is left.
    fileprivate var trimmedText: String? {
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        guard let start = firstIndex(where: { !isSpace($0) }), let end = lastIndex(where: { !isSpace($0) }) else {
            return nil
        }
        return String(self[start...end])
    }
}

extension Timestamp {
    /// `20260301T093000Z`.
    var calendarText: String {
        let text = description.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" }
        return text.hasSuffix("Z") ? text : text + "Z"
    }

    /// `Sun, 01 Mar 2026 09:30:00 GMT` (RFC 9110 §5.6.7).
    var httpText: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = Array(description.utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
        let day = Int((milliseconds / 86_400_000 + 4) % 7)
        guard milliseconds >= 0, text.count == 24, let month = Int(part(5..<7)), (1...12).contains(month) else {
            return "Thu, 01 Jan 1970 00:00:00 GMT"
        }
        return "\(days[day]), \(part(8..<10)) \(months[month - 1]) \(part(0..<4)) \(part(11..<19)) GMT"
    }
}
