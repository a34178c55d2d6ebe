import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

extension Reader {
    /// What calendar programs send.
    static let calendars = [
        Reader(name: "icalendar") { bytes in
            guard let object = try? CalendarObject(bytes), let todo = try? Todo(object) else { return }
            // Control characters can't be in a text, and are left out.
            guard !bytes.contains(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }) else { return }
            let text = todo.object(createdAt: moment, changedAt: moment, markedOffAt: moment)
            for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
                require(line.utf8.count <= 75, "a line of \(line.utf8.count) bytes")
            }
            let again = (try? CalendarObject(Array(text.utf8))).flatMap { try? Todo($0) }
            requireEqual(again, todo, "the task is written as \(text)")
            let change = TodoChange(adding: todo, named: "task.ics", as: ItemID(UUIDBits(high: 1, low: 2)))
            require(change.fields[Fields.text] != nil, "an item without a text")
        },
        Reader(name: "xml") { bytes in
            guard let element = try? XMLReader.read(bytes) else { return }
            guard isPlain(element) else { return }
            var writer = XMLWriter()
            write(element, to: &writer)
            guard let again = try? XMLReader.read(Array(writer.text.utf8)) else {
                fatalError("what is written can't be read: \(writer.text)")
            }
            require(isEqual(again, element), "it differs after it was written: \(writer.text)")
        },
        Reader(name: "calendar-filter") { bytes in
            guard let element = try? XMLReader.read(bytes) else { return }
            guard let filter = try? CalendarFilter(element) else { return }
            for item in items { _ = filter.matches(item) }
        },
    ]

    private static let moment = Timestamp(milliseconds: 1_790_000_000_000)

    private static let items = [
        item([Fields.text: .string("milk"), Fields.aisle: .string("Dairy")]),
        item([
            Fields.text: .string("eggs"),
            Todo.othersKey: .string(
                "DUE;TZID=Europe/Berlin:20260301T093000\nDURATION:P1D\nBEGIN:VALARM\nTRIGGER:-PT15M\nEND:VALARM"),
            Todo.timeZonesKey: .string(
                """
                BEGIN:VTIMEZONE
                TZID:Europe/Berlin
                BEGIN:STANDARD
                DTSTART:19701025T030000
                RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
                TZOFFSETFROM:+0200
                TZOFFSETTO:+0100
                END:STANDARD
                END:VTIMEZONE
                """),
        ]),
    ]

    private static func item(_ fields: Fields) -> CalendarItem {
        CalendarItem(
            item: Item(id: ItemID(UUIDBits(high: 3, low: 4)), markedOff: false, fields: fields),
            sequence: SequenceNumber(rawValue: 1), createdAt: moment, changedAt: moment, markedOffAt: nil, order: 1)
    }

    /// Whether the writer can say it: it leaves out what XML can't have, and gives attributes no namespace.
    private static func isPlain(_ element: XMLElement) -> Bool {
        ([element.text, element.name.namespace] + element.attributes.values).allSatisfy { text in
            !text.utf8.contains { $0 < 0x20 }
        } && element.attributes.keys.allSatisfy { !$0.hasPrefix("xml") }
            // With a prefix, a longer name would be too long.
            && element.name.local.utf8.count < 250 && element.children.allSatisfy(isPlain)
    }

    private static func write(_ element: XMLElement, to writer: inout XMLWriter) {
        let attributes = element.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        writer.element(element.name, attributes) { writer in
            writer.write(element.text)
            for child in element.children { write(child, to: &writer) }
        }
    }

    private static func isEqual(_ left: XMLElement, _ right: XMLElement) -> Bool {
        left.name == right.name && left.attributes == right.attributes && left.text == right.text
            && left.children.count == right.children.count && zip(left.children, right.children).allSatisfy(isEqual)
    }
}
