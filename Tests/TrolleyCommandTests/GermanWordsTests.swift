import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct GermanWordsTests {
    private func german<Value>(_ body: () throws -> Value) rethrows -> Value {
        try MessageLanguage.$current.withValue(.german, operation: body)
    }

    @Test(arguments: [
        ("de_DE.UTF-8", MessageLanguage.german), ("de_AT", .german), ("de", .german), ("de@euro", .german),
        ("en_GB.UTF-8", .english), ("fr_FR.UTF-8", .english), ("C", .english), ("C.UTF-8", .english),
        ("POSIX", .english), ("", .english), ("deutsch", .english),
    ])
    func `a locale names the language of what is said`(_ locale: String, _ language: MessageLanguage) {
        #expect(MessageLanguage(locale: locale) == language)
    }

    @Test(arguments: [
        ("2026-11-22T09:00:10.000Z", "gleich"), ("2026-11-22T08:59:50.000Z", "gerade eben"),
        ("2026-11-22T09:02:00.000Z", "in 2 Minuten"), ("2026-11-22T08:59:00.000Z", "vor 1 Minute"),
        ("2026-11-22T07:30:00.000Z", "heute 07:30"), ("2026-11-21T16:40:00.000Z", "gestern 16:40"),
        ("2026-11-23T00:30:00.000Z", "morgen 00:30"), ("2026-03-01T12:00:00.000Z", "01.03.2026 12:00"),
    ])
    func `times and dates are written as in German`(_ time: String, _ words: String) throws {
        let (time, now) = (try #require(Timestamp(time)), try #require(Timestamp("2026-11-22T09:00:00.000Z")))
        let moment = Moment(time: time, now: now) { time in
            LocalTime(
                date: String(time.description.prefix(10)), clock: String(time.description.dropFirst(11).prefix(5)))
        }
        #expect(german { moment.words } == words)
    }

    @Test func `times are read in both languages`() throws {
        let now = Timestamp(
            milliseconds: Terminal.seconds(year: 2026, month: 11, day: 22, hour: 10, minute: 0) * 1000)
        #expect(try PointInTime("gestern 23:59").time(now: now) == PointInTime("yesterday 23:59").time(now: now))
        #expect(try PointInTime("heute 09:59").time(now: now) == PointInTime("today 09:59").time(now: now))
        #expect(try PointInTime("21.11.2026 08:00") == PointInTime("2026-11-21 08:00"))
        #expect(try TripName("03.09.2026") == .date("2026-09-03"))
        #expect(try TripName("gestern", now: now) == .date("2026-11-21"))
        for text in ["3.9", "31.13.2026", "2026.09.03"] { #expect(CalendarDate(text) == nil, "\(text)") }
    }

    @Test func `every known field of an item has a German name`() {
        for key in [Fields.text, Fields.quantity, Fields.note, Fields.aisle, Fields.shop, Fields.every] {
            #expect(!Fields.german(key).contains(key), "\(key)")
        }
    }

    @Test func `one is counted in the singular`() {
        german {
            #expect([0, 1, 2].map { Noun.item.counted($0) } == ["0 Einträge", "1 Eintrag", "2 Einträge"])
            #expect([1, 2].map { Noun.change.counted($0) } == ["1 Änderung", "2 Änderungen"])
            #expect([1, 2].map { Noun.list.counted($0) } == ["1 Liste", "2 Listen"])
        }
        #expect([1, 2].map { Noun.item.counted($0) } == ["1 item", "2 items"])
    }

    @Test func `what somebody did is a German sentence`() {
        func entry(_ operation: TrolleyJournal.Operation, _ fields: Fields = [:], cause: Cause = .edit) -> JournalEntry
        {
            var entry = JournalEntry(
                id: .version7(at: Timestamp(milliseconds: 0), random: (0, 9)), operation: operation,
                item: .version7(at: Timestamp(milliseconds: 0), random: (0, 8)), fields: fields, deviceSequence: 1)
            entry.cause = cause
            return entry
        }
        german {
            for (entry, sentence) in [
                (entry(.add), "Bob hat „Milch“ hinzugefügt"), (entry(.markOff), "Bob hat „Milch“ abgehakt"),
                (entry(.unmark, cause: .undo), "Bob hat „Milch“ wieder gewünscht (rückgängig)"),
                (entry(.edit, ["quantity": "2 l"]), "Bob hat „Milch“ geändert"),
                (entry(.edit, ["text": "Hafermilch"]), "Bob hat etwas in „Hafermilch“ umbenannt"),
                (entry(.message, ["text": "die blaue"]), "Bob hat zu „Milch“ geschrieben: „die blaue“"),
            ] { #expect(entry.sentence(by: "Bob", itemText: "Milch", [:]) == sentence) }
            #expect(entry(.delete).sentence(by: nil, itemText: nil, [:]) == "Du hast etwas gelöscht")
        }
    }

    @Test func `the screen of watch is German`() {
        let view = WatchView(
            state: ListState(
                name: "Wocheneinkauf",
                items: [
                    Item(
                        id: .version7(at: Timestamp(milliseconds: 0), random: (0, 1)), markedOff: false,
                        fields: [Fields.text: "Milch"])
                ]),
            upload: [], toApply: [], isLocal: false, waiting: 2, peoplePresent: ["Ben"], notices: [], refused: 1,
            sync: german { SyncProgress.idle.words(nil) })
        #expect(
            german { view.lines(columns: 80, rows: 9, Terminal(showsColours: false)) } == [
                "Wocheneinkauf  1 zu besorgen", "Alle Änderungen sind gesendet.", "", "1.  ·  Milch", "",
                "", "zu senden: nichts · zu übernehmen: nichts · 2 auf anderen Listen · 1 abgelehnt …",
                "gerade da: Ben", "q beenden · t zeigt Neues · s abgleichen · j k blättern",
            ])
    }
}
