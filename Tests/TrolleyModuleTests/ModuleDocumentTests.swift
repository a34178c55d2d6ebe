import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyModule

/// Files of other programs and recipes, in node and natively.
@Suite("Importing in the WebAssembly module", .timeLimit(.minutes(20)))
struct ModuleDocumentTests {
    private func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `files and recipes are read as natively`() throws {
        let recipe = quoted("Soup\nServes 2\n2 onions, chopped\n½ l broth\nMethod\nBoil it.")
        let table = quoted("Artikel;Menge\nMilch;2 l\nBrot;\n")
        var run = ModuleRun()
        run.add(.read, 0, #"{"text":\#(recipe)}"#)
        run.add(.read, 0, #"{"text":\#(recipe),"portions":4}"#)
        run.add(.read, 0, #"{"text":\#(quoted("Zutaten\n2 Eier")),"makes":2,"portions":6}"#)
        run.add(
            .read, 0, #"{"text":\#(quoted("# Shop\n## Dairy\n- [x] 2 l *milk*\n  the blue one\n- Ä&#10;é \u{1F95B}"))}"#
        )
        run.add(.read, 0, #"{"text":\#(table),"file":"liste.CSV"}"#)
        run.add(.read, 0, #"{"text":\#(table),"meanings":["text","quantity"],"isFirstRowNames":true}"#)
        run.add(.read, 0, #"{"text":\#(table),"meanings":["","text"]}"#)
        run.add(
            .read, 0, #"{"text":\#(quoted(#"[{"name":"Peas","quantity":2.50,"categoryMatchId":"frozen-foods"}]"#))}"#)
        run.add(.read, 0, #"{"text":\#(quoted("text\n\"milk")),"file":"x.csv"}"#)
        run.add(.read, 0, #"{"text":""}"#)
        run.add(.read, 0, "{}")
        let answers = try run.expectSame()
        #expect(answers[0].contains(#""portions":2,"lines":"#) && answers[0].contains(#""isProposed":true"#))
        #expect(answers[1].contains(#""quantity":"4""#) && answers[1].contains(#""quantity":"1 l""#))
        #expect(answers[2].contains(#""portions":6"#) && answers[2].contains(#""quantity":"6""#))
        #expect(answers[3].contains(#""aisle":"Dairy","note":"the blue one","quantity":"2 l","text":"*milk*""#))
        #expect(
            answers[4].hasPrefix(#"{"problem":"noItemColumn","table":{"names":["Artikel","Menge"],"meanings":["",""]"#))
        #expect(answers[5].contains(#"{"quantity":"2 l","text":"Milch"}"#))
        #expect(answers[7].contains(#"{"aisle":"Frozen foods","quantity":"2.5","text":"Peas"}"#))
        #expect(answers[8] == #"{"problem":"openQuote","line":2}"#)
        #expect(answers[10] == "!text is missing")
    }

    @Test func `adding items doubles nothing, and fills in what is missing`() throws {
        let id = "01890000-0000-7000-8000-00000000000"
        let present =
            #"[{"id":"\#(id)1","text":"Milk","markedOff":false,"fields":{"text":"Milk"}},{"id":"\#(id)2","text":"Eggs","markedOff":true,"fields":{"text":"Eggs"}}]"#
        var run = ModuleRun()
        run.add(
            .addItems, 0,
            #"""
            {"items":[{"fields":{"text":"milk","quantity":"2 l"}},{"fields":{"text":"eggs"}},{"fields":{"text":"Salt","aisle":"Shelf"},"isMarkedOff":true}],
            "present":\#(present),"at":"2026-03-01T09:00:00.000Z","after":"\#(id)2","random":["\#(id)7","\#(id)8","\#(id)9"]}
            """#.split(separator: "\n").joined())
        run.add(
            .addItems, 0,
            #"{"items":[{"fields":{"text":"milk"}}],"present":[],"at":"2026-03-01T09:00:00.000Z","random":[]}"#)
        let answers = try run.expectSame()
        for part in [
            #""outcome":"present""#, #""outcome":"back""#, #""outcome":"added""#, #""operation":"markOff""#,
            #""quantity":"2 l""#,
        ] {
            #expect(answers[0].contains(part), "\(part) in \(answers[0])")
        }
        #expect(answers[1] == "!random: too few")
    }
}
