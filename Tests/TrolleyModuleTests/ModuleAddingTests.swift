import Foundation
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyModule

/// Completion and the aisles of new items, in node and natively.
@Suite("Adding in the WebAssembly module", .timeLimit(.minutes(20)))
struct ModuleAddingTests {
    private static let names =
        #"[{"language":"en","aisles":["Produce","Dairy"]},{"language":"de","aisles":["Obst & Gemüse","Milchprodukte"]}]"#

    private func table(_ language: String) throws -> String {
        let path = ModuleRun.root.appending(path: "Catalogue/\(language).txt")
        return quoted(try String(contentsOf: path, encoding: .utf8))
    }

    private func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func entry(_ number: Int, _ operation: TrolleyJournal.Operation, _ item: Int, _ fields: Fields = [:])
        -> ConfirmedEntry
    {
        let at = Timestamp(milliseconds: 1_772_000_000_000 + Int64(number) * 86_400_000)
        return ConfirmedEntry(
            entry: JournalEntry(
                id: EntryID(UUIDBits(high: 9, low: UInt64(number))), operation: operation,
                item: RandomJournal.item(item),
                fields: fields, deviceSequence: Int64(number)),
            sequence: SequenceNumber(rawValue: Int64(number)), author: AccountID(UUIDBits(high: 4, low: 1)),
            device: RandomJournal.device(1), madeAt: at, receivedAt: at)
    }

    @Test func `the catalogue, completion, aisles and their names are as natively`() throws {
        let entries = [
            entry(1, .add, 1, ["text": "Milk", "quantity": "2 l", "aisle": "Fridge"]), entry(2, .markOff, 1),
            entry(3, .add, 2, ["text": "Butter", "aisle": "fridge"]), entry(4, .add, 3, ["text": "Apples"]),
        ]
        let later = [entry(5, .add, 4, ["text": "Salt", "aisle": "Shelf"]), entry(6, .markOff, 4)]
        let read =
            #""language":"en","names":\#(Self.names),"catalogues":[{"language":"en","handle":1},{"language":"de","handle":2}]"#
        var run = ModuleRun()
        for language in ["en", "de"] { run.add(.openCatalogue, 0, #"{"table":\#(try table(language))}"#) }
        run.add(.words, 1)
        run.add(.words, 2, #"{"aisle":"dairy"}"#)
        run.add(.openPast, 0, #"{"entries":\#(entries.json),"isFolded":true}"#)
        let firstAisles = run.calls.count
        run.add(.aisles, 1, #"{"texts":["milk","oat milk","bananas","Käse","spanner"],\#(read)}"#)
        run.add(.follow, 1, later.changes)
        // What it knows already, and the same once more, changes nothing.
        run.add(.follow, 1, (entries + later).changes)
        run.add(.aisles, 1, #"{"texts":["SALT","H-Milch 1,5 %"],\#(read)}"#)
        run.add(
            .arrangeAisles, 1,
            #"{"renamings":[{"aisle":"Shelf","name":"Larder"},{"aisle":"fridge"}],"order":["Shelf","Fridge"]}"#)
        let firstShop = run.calls.count
        run.add(.arrangeAisles, 1, #"{"shop":"Market","order":["fridge"]}"#)
        run.add(.follow, 1, [entry(7, .recolourList, 1, ["aisles:Market": "fridge"])].changes)
        run.add(.arrangeAisles, 1, #"{"shop":"MARKET","order":["fridge"]}"#)
        run.add(.arrangeAisles, 1, #"{"shop":"MARKET","isGone":true}"#)
        // The list's language has no catalogue here, so nothing is read.
        let german = entry(1, .add, 1, ["text": "Brot", "aisle": "Milchprodukte"])
        run.add(.openPast, 0, #"{"entries":\#([german].json),"bought":[],"isFolded":true}"#)
        run.add(
            .aisles, 2,
            #"{"texts":["banana","Brot"],"language":"en","names":\#(Self.names),"catalogues":[{"language":"en","handle":1}]}"#
        )
        let firstCompletion = run.calls.count
        for text in ["", "m", "oat", "<script>", "1"] {
            run.add(
                .complete, 1, #"{"text":"\#(text)","wanted":["Butter"],"at":"2027-01-01T00:00:00.000Z","limit":6}"#)
        }
        run.add(.complete, 0, #"{"text":"oat","wanted":[],"at":"2027-01-01T00:00:00.000Z","limit":6}"#)
        run.add(.closePast, 1)
        run.add(.complete, 0, #"{"text":"mi","wanted":[],"at":"2027-01-01T00:00:00.000Z","limit":6}"#)
        let answers = try run.expectSame()
        #expect(!answers.contains { $0.hasPrefix("!") }, "\(answers)")
        #expect(answers[2].contains(#""name":"Dairy""#) && answers[3].contains("Milch"))
        let aisles = answers[firstAisles]
        #expect(
            aisles.hasPrefix(
                #"{"language":"en","choices":[{"aisle":"Fridge","reason":"taught"},{"aisle":"fridge","reason":"alike""#),
            "\(aisles)")
        #expect(
            aisles.contains(#"{"aisle":"Produce","reason":"catalogue","because":"banana"}"#)
                && aisles.hasSuffix("null]}"), "\(aisles)")
        #expect(answers[firstAisles + 2] == #"{"through":6}"#)
        #expect(answers[firstAisles + 3].contains(#"{"aisle":"Shelf","reason":"taught"}"#))
        let arranged = answers[firstAisles + 4]
        #expect(arranged.hasPrefix(#"{"aisles":["Shelf","fridge"],"drafts":["#), "\(arranged)")
        #expect(
            answers[firstShop].contains(
                #""drafts":[{"operation":"recolourList","fields":{"aisles:Market":"fridge"}"#),
            "\(answers[firstShop])")
        #expect(answers[firstShop + 2].hasSuffix(#""drafts":[]}"#))
        #expect(answers[firstShop + 3].contains(#""fields":{"aisles:Market":null}"#))
        #expect(arranged.contains("Larder") && arranged.contains("recolourList"), "\(arranged)")
        #expect(
            answers[firstCompletion - 1]
                == #"{"language":"de","choices":[null,{"aisle":"Milchprodukte","reason":"taught"}]}"#)
        #expect(
            answers[firstCompletion].contains("Milk") && answers[firstCompletion].contains("Salt")
                && !answers[firstCompletion].contains(#""isKnown":true"#))
        #expect(
            answers[firstCompletion + 1].hasPrefix(
                #"{"completions":[{"text":"Milk","quantity":"2 l","aisle":"Fridge","due":false,"isKnown":false}"#))
        #expect(
            answers[firstCompletion + 2].contains(#""isKnown":true"#)
                && answers[firstCompletion + 5] == #"{"completions":[]}"#)
        #expect(answers.last == #"{"completions":[]}"#, "\(answers.last ?? "")")
    }

    @Test func `what is missing or damaged is an error, and nothing is open then`() throws {
        var run = ModuleRun()
        run.add(.openCatalogue)
        run.add(.openCatalogue, 0, #"{"table":"nonsense"}"#)
        run.add(.words, 1)
        run.add(.openPast, 0, #"{"bought":[{"text":"milk"}]}"#)
        for call in [ModuleCall.aisles, .follow, .arrangeAisles] { run.add(call, 1) }
        run.add(.complete, 0, #"{"wanted":[]}"#)
        for answer in try run.expectSame() { #expect(answer.hasPrefix("!"), "\(answer)") }
    }
}
