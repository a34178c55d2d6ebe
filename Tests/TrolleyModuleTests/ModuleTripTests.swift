import Foundation
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyModule

/// Trips and the learned order, in node and natively.
@Suite("Trips in the WebAssembly module", .timeLimit(.minutes(20)))
struct ModuleTripTests {
    private static let texts = ["Milk", "ÅPFEL", "Brot\u{A0} 2", "Käse", "Soap", "ΟΔΟΣ"]
    private static let start: Int64 = 1_772_000_000_000
    private static let (ann, ben) = (AccountID(UUIDBits(high: 4, low: 1)), AccountID(UUIDBits(high: 4, low: 2)))
    private static let later = #""2027-01-01T00:00:00.000Z""#

    /// Three trips of two people, who mark everything off in different orders, with a slip, an undone mark, and a pasted
    /// gesture.
    private var entries: [ConfirmedEntry] {
        var entries: [ConfirmedEntry] = []
        func add(
            _ operation: TrolleyJournal.Operation, _ item: Int, minute: Int64, cause: Cause = .edit,
            batch: UInt64? = nil
        ) {
            var entry = JournalEntry(
                id: EntryID(UUIDBits(high: 9, low: UInt64(entries.count))), operation: operation,
                item: RandomJournal.item(item), deviceSequence: Int64(entries.count + 1))
            if operation == .add {
                entry.fields = ["text": .string(Self.texts[item]), "quantity": .string("\(item) kg")]
                if item < 4 { entry.fields["aisle"] = .string(["Dairy", "Fruit", "dairy ", "Bakery"][item]) }
            }
            entry.cause = cause
            entry.batch = batch.map { BatchID(UUIDBits(high: 5, low: $0)) }
            let at = Timestamp(milliseconds: Self.start + minute * 60_000)
            entries.append(
                ConfirmedEntry(
                    entry: entry, sequence: SequenceNumber(rawValue: Int64(entries.count + 1)),
                    author: item.isMultiple(of: 2) ? Self.ann : Self.ben, device: RandomJournal.device(item),
                    madeAt: at,
                    receivedAt: at))
        }
        for item in Self.texts.indices { add(.add, item, minute: 0) }
        let walks: [[Int]] = [[5, 4, 3, 2, 1, 0], [0, 5, 4, 3], [5, 3, 1, 2, 4]]
        for (day, walk) in walks.enumerated() {
            let start = Int64(1 + day * 1440)
            for (step, item) in walk.enumerated() { add(.markOff, item, minute: start + Int64(step) * 7) }
            let end = start + Int64(walk.count) * 7
            let last = walk[walk.count - 1]
            add(.unmark, last, minute: end - 5)
            if day == 1 { add(.markOff, last, minute: end, cause: .undo) }
            guard day < 2 else { continue }
            for item in walk.dropLast() { add(.unmark, item, minute: end + 600, batch: UInt64(day + 1)) }
        }
        return entries
    }

    @Test func `trips, what they teach, scrubbing and repeating are as natively`() throws {
        let entries = entries.json, half = self.entries.dropLast(9), pending = self.entries.suffix(9)
        let waiting = pending.map { confirmed -> String in
            var writer = JSONWriter()
            confirmed.entry.write(to: &writer)
            return #"{"entry":\#(String(decoding: writer.bytes, as: UTF8.self)),"madeAt":"\#(confirmed.madeAt)"}"#
        }
        var run = ModuleRun()
        run.add(.trips, 0, #"{"entries":\#(entries),"at":\#(Self.later)}"#)
        run.add(
            .trips, 0,
            #"{"entries":\#(half.json),"pending":[\#(waiting.joined(separator: ","))],"person":"\#(Self.ben)"}"#)
        run.add(.purchases, 0, #"{"entries":\#(entries)}"#)
        run.add(.learn, 0, #"{"entries":\#(entries),"at":\#(Self.later)}"#)
        let known = run.natively()
        let trips = try #require(try json(known[0])["trips"] as? [[String: Any]])
        #expect(trips.count == 3 && trips.allSatisfy { $0["isOver"] as? Bool == true })
        #expect(trips.map { ($0["picks"] as? [Any])?.count } == [5, 4, 4])
        let bought = try text(try json(known[2])["purchases"] as Any)
        let places = try text(try json(known[3])["places"] as Any)
        #expect(places.contains("\"brot 2\"") && places.contains("\"οδοσ\""), "\(places)")

        // Purchases that were kept make the same trips as the entries, without what is wanted still.
        run.add(.trips, 0, #"{"entries":[],"bought":\#(bought),"at":\#(Self.later)}"#)
        run.add(.learn, 0, #"{"bought":\#(bought),"at":\#(Self.later)}"#)
        let rows = Self.texts.enumerated().map { index, text in
            let aisle = ["Dairy", " DAIRY", "Fruit", "", "Bakery", nil][index].map { #","aisle":"\#($0)""# } ?? ""
            return #"{"id":"\#(RandomJournal.item(index))","text":"\#(text)"\#(aisle)}"#
        }
        for (order, learned) in [("[]", "{}"), (#"["Bakery","dairy"]"#, places), ("[]", places)] {
            run.add(
                .arrange, 0,
                #"{"rows":[\#(rows.joined(separator: ","))],"aisles":\#(order),"places":\#(learned)}"#)
        }
        let shops = #"[{"name":"Lidl","aisles":["Fruit","dairy"]},{"name":"Aldi"}]"#
        let placed = rows.enumerated().map {
            $0.offset % 2 == 0 ? $0.element : $0.element.dropLast() + #","shop":"Aldi","markedOff":true}"#
        }
        let firstShop = run.calls.count
        for shop in ["lidl", "ALDI", "x"] {
            run.add(
                .arrange, 0,
                #"{"rows":[\#(placed.joined(separator: ","))],"aisles":["Bakery"],"shops":\#(shops),"shop":"\#(shop)","places":\#(places)}"#
            )
            run.add(
                .combine, 0,
                #"{"shop":"\#(shop)","lists":[{"list":"\#(RandomJournal.item(50))","rows":[\#(placed.joined(separator: ","))],"shops":\#(shops)},{"list":"\#(RandomJournal.item(51))","rows":[\#(rows.joined(separator: ","))],"aisles":["Bakery"],"places":\#(places)}]}"#
            )
            run.add(.learn, 0, #"{"entries":\#(entries),"at":\#(Self.later),"shop":"\#(shop)"}"#)
        }
        run.add(.arrange)
        for trip in trips {
            let picks = try text(trip["picks"] as Any)
            run.add(.steps, 0, #"{"entries":\#(entries),"picks":\#(picks)}"#)
            for at in [try #require(trip["end"] as? String), "2027-01-01T00:00:00.000Z"] {
                let items = Self.texts.enumerated().filter { $0.offset != 3 }.map { index, text in
                    #"{"id":"\#(RandomJournal.item(index))","text":"\#(text)","markedOff":\#(index < 3),"fields":{"text":"\#(text)"}}"#
                }
                run.add(
                    .repetition, 0,
                    #"{"entries":\#(entries),"picks":\#(picks),"items":[\#(items.joined(separator: ","))],"at":"\#(at)","random":[\#(random(6))]}"#
                )
            }
        }
        let device = RandomJournal.device(1), other = RandomJournal.device(2)
        run.add(
            .missing, 0,
            #"{"waitingFor":[{"device":"\#(device)","holdsBack":2},{"device":"\#(other)","notHeardOfSince":null},{"device":"\#(RandomJournal.device(3))","notHeardOfSince":"2026-12-31T23:59:59.000Z"},{"device":"\#(RandomJournal.device(4))","notHeardOfSince":\#(Self.later)}],"end":\#(Self.later),"device":"\#(device)"}"#
        )
        let answers = try run.expectSame()
        #expect(!answers.contains { $0.hasPrefix("!") })
        let elsewhere = try (0..<3).map {
            try #require(try json(answers[firstShop + $0 * 3])["elsewhere"] as? [Any]).count
        }
        #expect(elsewhere == [3, 0, 3])
        let combined = try #require(try json(answers[firstShop + 1])["rows"] as? [[String: Any]])
        #expect(combined.contains { ($0["parts"] as? [Any])?.count == 2 })
        #expect(answers[5] == answers[3], "the kept purchases teach the same")
        #expect(answers[firstShop + 9] == #"{"groups":[],"elsewhere":[]}"#)
        #expect(answers[7].hasPrefix(#"{"groups":[{"aisle":"Bakery""#) && answers[7].contains(#""aisle":"dairy""#))
        let missing = try #require(answers.last)
        #expect(missing.contains("\(other)") && !missing.contains("\(device)"))
        // The first picks were a moment ago at the end of the trip, and long ago later.
        #expect(answers.contains { $0.contains(#""outcome":"back""#) })
    }

    @Test func `a list goes back to an earlier state from what this device shows, with its unconfirmed changes`() throws
    {
        var run = ModuleRun()
        let unsent =
            #"{"entry":{"id":"\#(RandomJournal.item(70))","operation":"add","item":"\#(RandomJournal.item(71))","fields":{"text":"gin"},"cause":"edit","deviceSequence":99},"madeAt":\#(Self.later)}"#
        let item =
            #"{"id":"\#(RandomJournal.item(0))","text":"milk","markedOff":false,"fields":{"text":"milk","zz":[1]}}"#
        let target =
            #"{"name":"Shop","colour":null,"aisles":["Dairy"],"shops":[{"name":"Lidl"},{"name":"LIDL","aisles":["Fish"]}],"items":[\#(item)],"sequence":4}"#
        run.add(.restoration, 0, #"{"entries":\#(entries.json),"pending":[\#(unsent)],"target":\#(target)}"#)
        run.add(.restoration, 0, #"{"target":{"name":null}}"#)
        let answers = try run.expectSame()
        #expect(answers[0].contains(#""aisles:LIDL":"Fish""#) && answers[0].contains(#""aisles:Lidl":"""#))
        #expect(
            answers[0].contains(#""delete","item":"\#(RandomJournal.item(71))"#)
                && answers[0].contains(#""text":"Shop""#))
        #expect(answers[1] == #"{"drafts":[]}"#)
    }

    @Test func `a call that lacks what it needs is an error`() throws {
        var run = ModuleRun()
        run.add(.restoration, 0, #"{"entries":[]}"#)
        run.add(.learn, 0, #"{"entries":[]}"#)
        run.add(.missing)
        run.add(.missing, 0, #"{"waitingFor":[{}],"end":\#(Self.later)}"#)
        run.add(.arrange, 0, #"{"rows":[{"text":"milk"}]}"#)
        run.add(.arrange, 0, #"{"places":{"milk":[1,2]}}"#)
        run.add(.trips, 0, #"{"bought":[{"text":"milk"}]}"#)
        run.add(
            .repetition, 0,
            #"{"picks":[{"entry":"\#(RandomJournal.item(1))","text":"milk","at":\#(Self.later)}],"at":\#(Self.later)}"#)
        for answer in try run.expectSame() { #expect(answer.hasPrefix("!"), "\(answer)") }
    }

    private func random(_ count: Int) -> String {
        (1...count).map { #""00000000-0000-4000-8000-00000000000\#($0)""# }.joined(separator: ",")
    }

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func text(_ value: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys]), as: UTF8.self)
    }
}
