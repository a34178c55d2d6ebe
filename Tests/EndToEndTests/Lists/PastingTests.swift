import FoundationEssentials
import Testing

/// Lists pasted into `trolley add`.
@Suite(.timeLimit(.minutes(20))) struct PastingTests {
    private let pasted = "- milk\n* 2x eggs\n[x] sugar\n\n1. salt\n2 × 500 g pasta\nbutter, 250 g\n7 up\n"
    private let shown = [
        "[ ] milk", "[ ] eggs × 2", "[x] sugar", "[ ] salt", "[ ] pasta, 2 × 500 g", "[ ] butter, 250 g", "[ ] 7 up",
    ]

    @Test(arguments: ["input", "argument", "file"])
    func `a pasted list is understood, and one undo takes it back`(way: String) async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            try await device("add", "bread")
            switch way {
            case "input": try await device("add", "-", input: pasted)
            case "argument": try await device("add", pasted)
            default:
                try Data(pasted.utf8).write(to: URL(filePath: "\(directory)/list.txt"))
                try await device("add", "--file", "\(directory)/list.txt")
            }
            let lines = try await device("show").split(separator: "\n").dropFirst()
            #expect(lines.map { String($0.split(separator: ". ", maxSplits: 1)[1]) } == ["[ ] bread"] + shown)
            let json = try await device("show", "--json")
            #expect(json.contains(#""fields":{"quantity":"2 × 500 g","text":"pasta"}"#))
            try await device("undo")
            #expect(try await device("show").split(separator: "\n").count == 2)
        }
    }

    @Test func `a quantity that is given apart and --as-written leave the text alone`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            try await device("add", "- 2x eggs", "--as-written")
            try await device("add", "- 2 l milk", "--quantity", "3")
            let shown = try await device("show")
            #expect(shown.contains("[ ] - 2x eggs") && shown.contains("[ ] 2 l milk × 3"))
            #expect(try await device.fails("add", "- \n[ ]").contains("There is nothing to add"))
            #expect(try await device.fails("add", "--file", "\(directory)/nothing").contains("it can't be read"))
        }
    }
}
