import FoundationEssentials
import Testing

/// `trolley export --as` and `trolley import` of other programs' formats.
@Suite(.timeLimit(.minutes(20))) struct ListDocumentCommandTests {
    @Test(arguments: ["markdown", "csv", "json"])
    func `a list that is exported and imported again shows the same, and one undo takes its items away`(form: String)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            try await device("add", "milk, 2 l", "[x] sugar")
            try await device(
                "add", "=SUM(A1) *bold*, \"x\"", "--as-written", "--aisle", "Bakery", "--note", "two\nlines")
            let file = "\(directory)/list.\(form == "markdown" ? "md" : form)"
            try await device("export", "--as", form, "--output", file)
            #expect(try await device("export", "--as", form) == String(contentsOfFile: file, encoding: .utf8))
            let before = try await device("show")
            let made = try await device("import", file, "--name", "Copy", "--local")
            #expect(made.contains("Made 'Copy' with 3 items. To use it: trolley use 'Copy'"))
            #expect(try await device("show") == before, "the current list stays the current one")
            let copy = try await device("show", "--list", "Copy")
            #expect(copy.split(separator: "\n").dropFirst() == before.split(separator: "\n").dropFirst())
            try await device("undo", "--list", "Copy")
            #expect(try await device("show", "--list", "Copy").split(separator: "\n").count == 1)
        }
    }

    @Test func `a list of another app goes onto a list as one gesture, and doubles nothing`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            try await device("add", "milk")
            let file = "\(directory)/todoist.csv"
            let table = "TYPE,CONTENT,DESCRIPTION,PRIORITY\nsection,Dairy,,\ntask,Milk,,4\ntask,2x yogurt,plain,4\n"
            try Data(table.utf8).write(to: URL(filePath: file))
            let answer = try await device("import", file, "--into", "Shop")
            #expect(answer.contains("Added yogurt.") && answer.contains("On the list already: milk."))
            #expect(answer.contains("Left out, because a list can't represent it: PRIORITY."))
            #expect(try await device("show").contains("Dairy\n1. [ ] milk  @Dairy\n2. [ ] yogurt × 2  @Dairy  (plain)"))
            try await device("undo")
            #expect(try await device("show") == "Shop  1 to buy\n1. [ ] milk\n")
        }
    }

    @Test func `a person says what a table's columns mean, by their names or numbers`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            let file = "\(directory)/liste.csv"
            try Data("Artikel;Menge;Wo\nMilch;2 l;Kühlregal\nBrot;;\n".utf8).write(to: URL(filePath: file))
            #expect(try await device.fails("import", file).contains("or --columns says what they mean"))
            let columns = "text=artikel,quantity=2,aisle=Wo"
            let answer = try await device("import", file, "--columns", columns, "--into", "Shop")
            #expect(answer.contains("Added 2 items."))
            #expect(try await device("show").contains("Milch, 2 l  @Kühlregal"))
            try await device("import", file, "--columns", "text=1", "--no-header", "--name", "All", "--local")
            #expect(try await device("show", "--list", "All").contains("Artikel"))
            let problem = try await device.fails("import", file, "--columns", "text=Ware")
            #expect(problem.contains("it has no column 'Ware', but these: Artikel, Menge, Wo. Nothing was imported"))
            for columns in ["quantity=2", "text", "text=1,text=2", "text=1,colour=2"] {
                #expect(try await device.fails("import", file, "--columns", columns).contains("--columns"))
            }
            #expect(try await device.fails("import", file, "--no-header").contains("--no-header needs --columns"))
            let other = try await device.fails("import", file, "--columns", "text=1", "--as", "json")
            #expect(other.contains("--columns is for CSV"))
        }
    }

    @Test func `a bad file is refused in a sentence and changes nothing`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            let file = "\(directory)/list.csv"
            for (text, sentence) in [
                ("a,b\n1,2\n", "names no column"), ("text\n\"milk\n", "isn't closed"),
                ("text\nmilk\n\(String(repeating: "x", count: 5000))\n", "can't be used"),
            ] {
                try Data(text.utf8).write(to: URL(filePath: file))
                #expect(try await device.fails("import", file).contains(sentence), "\(sentence)")
            }
            #expect(try await device("lists", "--json").ranges(of: #""id""#).count == 1)
        }
    }
}
