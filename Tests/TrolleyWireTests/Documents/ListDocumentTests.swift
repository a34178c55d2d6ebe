import Testing
import TrolleyJournal
import TrolleyWire

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

    @Test(
        "a text survives that forms one character with a sign of Markdown beside it",
        arguments: [
            "\u{740}", "\u{301}", "\u{600}", "a\u{600}*(b",
        ])
    func joining(_ text: String) throws {
        let value = FieldValue.string(text)
        let fields: Fields = [
            Fields.text: value, Fields.quantity: value, Fields.note: value, Fields.aisle: value,
        ]
        let document = ListDocument(name: text, aisles: [text], items: [NewItem(fields: fields)])
        let written = document.text(as: .markdown)
        #expect(try ListDocument.read(Array(written.utf8), as: .markdown) == [document], "\(written)")
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

    @Test("KitchenOwl: lists with what was bought, and the export, whose goods teach the aisles")
    func kitchenOwl() throws {
        #expect(
            try read(
                #"[{"id":1,"name":"Default","items":[{"id":4,"name":"Milk","description":"2 l","category":{"id":1,"name":"🥛 Dairy"}},{"id":5,"name":"Plums","description":"ripe","category":null}],"recentItems":[{"id":6,"name":"Salt","description":""}]}]"#
            ) == ["Default/  Milk|2 l|🥛 Dairy|", "Default/  Plums|||ripe", "Default/x Salt|||"])
        let export =
            #"{"items":[{"name":"Milk","category":"Dairy","icon":"milk"},{"name":"Salt"}],"recipes":[{"name":"Soup","items":[]}],"expenses":[],"member":["anna"],"shoppinglists":["Default"]}"#
        #expect(try read(export) == ["Default/x Milk||Dairy|", "Default/x Salt|||"])
        #expect(try ListDocument.read(Array(export.utf8))[0].leftOut == ["recipes"])
    }

    @Test("Mealie: foods with units and labels, and notes alone; a quantity of 1 or 0 is none")
    func mealie() throws {
        let items = [
            #"{"quantity":2.0,"unit":{"id":"u","name":"liter"},"food":{"id":"f","name":"Milk"},"note":"the blue one","isFood":true,"display":"2 liter Milk","checked":false,"position":0,"label":{"id":"l","name":"Dairy"}}"#,
            #"{"quantity":1.0,"unit":null,"food":null,"note":"2x candles","isFood":false,"display":"candles","checked":true,"position":1,"label":null}"#,
            #"{"quantity":0.5,"unit":{"name":"kg"},"food":{"name":"Rice"},"note":"","checked":false}"#,
            #"{"quantity":0.0,"unit":null,"food":{"name":"Salt"},"note":"","checked":false}"#,
        ]
        #expect(
            try read(
                #"{"id":"x","name":"Groceries","listItems":[\#(items.joined(separator: ","))],"labelSettings":[]}"#)
                == [
                    "Groceries/  Milk|2 liter|Dairy|the blue one", "Groceries/x candles|2||",
                    "Groceries/  Rice|0.5 kg||",
                    "Groceries/  Salt|||",
                ])
    }

    @Test("Grocy: rows with the products, groups and units beside them; without them it says what is missing")
    func grocy() throws {
        let rows =
            #"[{"id":1,"product_id":7,"note":"","amount":2.0,"shopping_list_id":1,"done":0,"qu_id":3},{"id":2,"product_id":8,"note":"ripe","amount":1,"shopping_list_id":1,"done":"1","qu_id":null},{"id":3,"product_id":null,"note":"candles","amount":1,"shopping_list_id":2,"done":0}]"#
        let beside =
            #""products":[{"id":7,"name":"Milk","product_group_id":5},{"id":8,"name":"Plums"}],"product_groups":[{"id":5,"name":"Dairy"}],"quantity_units":[{"id":3,"name":"Bottle"}],"shopping_lists":[{"id":1,"name":"Market"},{"id":2,"name":"Rest"}]"#
        #expect(
            try read(#"{"shopping_list":\#(rows),\#(beside)}"#) == [
                "Market/  Milk|2 Bottle|Dairy|", "Market/x Plums|||ripe", "Rest/  candles|||",
            ])
        #expect(throws: DocumentError.namesMissing) { try read(rows) }
        #expect(
            try read(#"[{"product_id":7,"product":{"id":7,"name":"Milk"},"amount":3,"shopping_list_id":1,"done":0}]"#)
                == [
                    "/  Milk|3||"
                ])
    }

    @Test("OurGroceries and AnyList")
    func others() throws {
        #expect(
            try read(
                #"{"list":{"id":"x","name":"Groceries","items":[{"id":"a","value":"Milk (2)"},{"id":"b","value":"Bread","crossedOffAt":1737072000000},{"id":"c","value":"Tea (green)"}]}}"#
            ) == ["Groceries/  Milk|2||", "Groceries/x Bread|||", "Groceries/  Tea (green)|||"])
        #expect(
            try read(
                #"{"lists":[{"identifier":"x","name":"Shop","items":[{"name":"Peas","details":"small","quantity":"2 bags","checked":false,"categoryMatchId":"frozen-foods"},{"name":"Odd","checked":true,"categoryMatchId":"other"}]}]}"#
            ) == ["Shop/  Peas|2 bags|Frozen foods|small", "Shop/x Odd|||"])
    }

    @Test("a table whose columns a person names, with its first row as names or as an item")
    func columns() throws {
        let table = "Artikel;Menge;Wo\nMilch;2 l;Kühlregal\nBrot;;\n"
        let columns = try #require(try ListDocument.columns(of: Array(table.utf8), file: "x.csv"))
        #expect(columns.names == ["Artikel", "Menge", "Wo"] && columns.meanings == [nil, nil, nil])
        #expect(columns.samples == [["Milch", "2 l", "Kühlregal"], ["Brot", "", ""]])
        #expect(throws: DocumentError.noItemColumn) { try ListDocument.read(Array(table.utf8), file: "x.csv") }
        func texts(_ choice: CSVColumns.Choice) throws -> [Fields] {
            try ListDocument.read(Array(table.utf8), file: "x.txt", columns: choice).flatMap { $0.items.map(\.fields) }
        }
        #expect(
            try texts(.init(meanings: [.text, .quantity, .aisle])) == [
                ["text": "Milch", "quantity": "2 l", "aisle": "Kühlregal"], ["text": "Brot"],
            ])
        #expect(
            try texts(.init(meanings: [.text], isFirstRowNames: false)) == [
                ["text": "Artikel"], ["text": "Milch"], ["text": "Brot"],
            ])
        #expect(throws: DocumentError.noItemColumn) { try texts(.init(meanings: [nil, .quantity])) }
        // Trolley's own, Todoist's, and what is no table: nobody has to say it.
        for text in [
            "text,quantity,note,aisle,markedOff\nmilk,,,,false\n", "TYPE,CONTENT\ntask,Milk\n", "milk\neggs\n",
        ] {
            #expect(try ListDocument.columns(of: Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("too much is refused: items, lists, bytes")
    func limits() throws {
        func read(_ rows: Int, _ line: (Int) -> String) throws -> [ListDocument] {
            try ListDocument.read(Array((0..<rows).map(line).joined(separator: "\n").utf8))
        }
        #expect(try read(10_000) { "- milk \($0)" }[0].items.count == 10_000)
        #expect(throws: DocumentError.tooManyItems) { try read(100_000) { "- milk \($0)" } }
        #expect(throws: DocumentError.tooManyLists) { try read(1_002) { $0 == 0 ? "item,list" : "milk,list \($0)" } }
        #expect(throws: DocumentError.tooLarge) { try ListDocument.read([UInt8](repeating: 0x61, count: 16 << 20 | 1)) }
    }

    @Test("a recipe is one where it says so; a page without one, and a checklist, are not")
    func recipes() throws {
        func imported(_ text: String, file: String = "") throws -> String {
            switch try ImportedFile(reading: Array(text.utf8), file: file) {
            case .recipe(let recipe): "recipe of \(recipe.lines.count)"
            case .lists(let lists): "\(lists.map(\.items.count)) items"
            }
        }
        #expect(try imported("Soup\nServes 4\n2 onions\n1 l water") == "recipe of 4")
        #expect(try imported("Soup\nIngredients:\n2 onions") == "recipe of 3")
        #expect(try imported("2 onions\n1 l water") == "[2] items")
        #expect(try imported(#"{"@type":"Recipe","name":"Soup","recipeIngredient":["2 onions"]}"#) == "recipe of 1")
        #expect(try imported(#"["milk"]"#) == "[1] items")
        #expect(throws: DocumentError.noRecipeInPage) { try imported("<!doctype html><p>hello") }
        let own = ListDocument(name: "Shop", items: [NewItem(ItemLine(text: "milk"))]).text(as: .markdown)
        #expect(try imported(own) == "[1] items")
        #expect(throws: DocumentError.notJSON) { try imported("{", file: "x.json") }
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
