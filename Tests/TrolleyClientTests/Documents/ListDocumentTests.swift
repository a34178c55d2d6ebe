import Testing
import TrolleyClient
import TrolleyJournal

@Suite("Documents that other programs read", .timeLimit(.minutes(20)))
struct ListDocumentTests {
    private static let awkward = [
        "milk", "2x eggs", "- bread", "[x] box", "1. first", "a_b*c `d` <e> [f](g) #h ~i~ | & \\ ", " edge ", "é",
        "e\u{301}",
        "_\u{301}", "=SUM(A1)", "'=quoted", "''-", "@home", "\"quoted\", and, commas;", "two\nlines", "tab\there",
        "milk, 2 l",
        "ends *(so)*", "&#10;", "<br>", "---", "# heading", "a -->", "\u{2028}", "x\r\ny",
    ]

    private func random(_ generator: inout SystemRandomNumberGenerator) -> String {
        (0..<Int.random(in: 1...3, using: &generator)).map { _ in Self.awkward.randomElement(using: &generator) ?? "" }
            .joined()
    }

    private func document(_ generator: inout SystemRandomNumberGenerator) -> ListDocument {
        let items = (0..<8).map { _ in
            var fields: Fields = [Fields.text: .string(random(&generator))]
            for key in [Fields.quantity, Fields.note, Fields.aisle, "brand"] where Bool.random(using: &generator) {
                fields[key] = .string(random(&generator))
            }
            return NewItem(fields: fields, isMarkedOff: Bool.random(using: &generator))
        }
        return ListDocument(
            name: random(&generator), colour: "green", aisles: ["Dairy | Eggs", "- Bakery"], items: items)
    }

    @Test("a round trip loses nothing that the form can carry, however awkward the texts")
    func roundTrip() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let document = document(&generator)
            for form in DocumentForm.allCases {
                var expected = document
                expected.items.removeAll { $0.text.allSatisfy(\.isWhitespace) }
                if expected.name?.allSatisfy(\.isWhitespace) == true { expected.name = nil }
                if form != .json { expected.colour = nil }
                if form == .csv { (expected.name, expected.aisles) = (nil, []) }
                if form == .markdown {
                    for index in expected.items.indices { expected.items[index].fields["brand"] = nil }
                }
                let text = document.text(as: form)
                let read = try ListDocument.read(Array(text.utf8), as: form)
                #expect(read == [expected], "\(text)")
                // The format is recognised without a hint.
                if expected.items.count > 1 { #expect(try ListDocument.read(Array(text.utf8)) == [expected]) }
            }
        }
    }

    @Test("JSON carries fields that this version doesn't know")
    func unknownFields() throws {
        let item = NewItem(fields: ["text": "milk", "price": .json(#"{"amount":1.50,"currency":"EUR"}"#)])
        let document = ListDocument(name: "Shop", items: [item])
        #expect(try ListDocument.read(Array(document.text(as: .json).utf8)) == [document])
    }

    private func read(_ text: String, file: String = "") throws -> [String] {
        try ListDocument.read(Array(text.utf8), file: file).flatMap { document in
            document.items.map { item in
                let fields = [Fields.quantity, Fields.aisle, Fields.note].map { item.fields[$0]?.string ?? "" }
                return
                    "\(document.name ?? "")/\(item.isMarkedOff ? "x" : " ") \(item.text)|\(fields.joined(separator: "|"))"
            }
        }
    }

    @Test("a checklist of anybody's: headings are aisles, indented lines notes")
    func markdown() throws {
        let text = """
            # Weekly shop

            ## Dairy
            - [ ] 2 l milk
              the blue one
            - [x] but\\*ter
            ## Rest
            * 6 eggs
            """
        #expect(
            try read(text) == [
                "Weekly shop/  milk|2 l|Dairy|the blue one", "Weekly shop/x but*ter||Dairy|",
                "Weekly shop/  eggs|6|Rest|",
            ])
        // Reminders and Notes copy lists in these forms.
        #expect(
            try read("◦ milk\n☑ eggs\n☐ 2x bread\n[x] jam") == [
                "/  milk|||", "/x eggs|||", "/  bread|2||", "/x jam|||",
            ])
    }

    @Test("Todoist's CSV: sections are aisles, notes belong to the task above")
    func todoist() throws {
        let text = """
            TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE
            section,Dairy,,,,,,,,
            task,"Milk, 2 l",the blue one,4,1,,,,en,Europe/Berlin
            note,or oat milk,,,,,,,,
            ,,,,,,,,,
            section,Bakery,,,,,,,,
            task,Bread,,1,1,,,,en,Europe/Berlin
            """
        #expect(try read(text) == ["/  Milk|2 l|Dairy|the blue one\nor oat milk", "/  Bread||Bakery|"])
        let documents = try ListDocument.read(Array(text.utf8))
        #expect(documents[0].leftOut.contains("PRIORITY") && !documents[0].leftOut.contains("AUTHOR"))
    }

    @Test("CSV with columns of anybody's names, with semicolons or tabs, of several lists")
    func table() throws {
        #expect(
            try read("List,Item,Quantity,Unit,Category,Notes,Checked\nA,Milk,2,l,Dairy,blue,yes\nB,Eggs,,,,,no\n") == [
                "A/x Milk|2 l|Dairy|blue", "B/  Eggs|||",
            ])
        #expect(try read("\u{FEFF}Name;Amount\r\n\"Bread; brown\";2\r\n") == ["/  Bread; brown|2||"])
        #expect(try read("name\tstatus\nmilk\tneedsAction\neggs\tcompleted\n") == ["/  milk|||", "/x eggs|||"])
    }

    @Test("Google's takeouts of Keep and Tasks, Bring!, and JSON of anybody's")
    func json() throws {
        #expect(
            try read(
                #"{"color":"DEFAULT","isTrashed":false,"listContent":[{"text":"2x milk","isChecked":false},{"text":"eggs","isChecked":true}],"title":"Shop","userEditedTimestampUsec":1}"#
            ) == ["Shop/  milk|2||", "Shop/x eggs|||"])
        #expect(
            try read(
                #"{"kind":"tasks#taskLists","items":[{"kind":"tasks#tasks","title":"A","items":[{"title":"milk","notes":"blue","status":"needsAction"}]},{"title":"B","items":[{"title":"eggs","status":"completed"}]}]}"#
            ) == ["A/  milk|||blue", "B/x eggs|||"])
        #expect(
            try read(
                #"{"uuid":"1","purchase":[{"specification":"2 l","name":"Milk"},{"specification":"ripe","name":"Bananas"}],"recently":[{"specification":"","name":"Bread"}]}"#
            ) == ["/  Milk|2 l||", "/  Bananas|||ripe", "/x Bread|||"])
        #expect(
            try read(#"["milk","2x eggs",{"name":"jam","quantity":3}]"#) == ["/  milk|||", "/  eggs|2||", "/  jam|3||"])
    }

    @Test(
        "a bad file is refused in a sentence",
        arguments: [
            ("", "", "there is no item in it"), ("- [ ]\n\n", "", "there is no item in it"),
            ("a\u{0}b", "", "it is no text"), (#"{"a":1"#, "x.json", "it is not JSON, or was cut off"),
            (#"{"a":1}"#, "", "no list that this program knows is in it"),
            ("a,b\n1,2\n", "x.csv", "its first line names no column for the items"),
            ("text,note\n\"milk,1\n", "x.csv", "the quote in line 2 isn't closed"),
            ("text\nmilk,1\n", "x.csv", "line 2 has more cells than the first line has columns"),
            (#"{"format":"trolley-list","version":2,"items":[]}"#, "", "it is of a later version"),
        ])
    func refusals(_ text: String, _ file: String, _ sentence: String) {
        let error = #expect(throws: DocumentError.self) { try ListDocument.read(Array(text.utf8), file: file) }
        #expect(error?.description.hasPrefix(sentence) == true, "\(error as Any)")
    }
}
