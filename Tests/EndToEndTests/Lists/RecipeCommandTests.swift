import FoundationEssentials
import Subprocess
import Testing

/// `trolley add --recipe`, and `trolley new --invite`, with the real programs.
@Suite(.timeLimit(.minutes(20))) struct RecipeCommandTests {
    private struct Answer: Decodable {
        struct Line: Decodable, Equatable {
            let number: Int
            let chosen: Bool
            let text: String
            let quantity: String?
            let note: String?
        }
        struct Failure: Decodable { let message: String }
        let portions: Int?
        let lines: [Line]?
        let error: Failure?
    }

    private let recipe = """
        Tomato soup
        Serves 4
        Ingredients:
        400 g tinned tomatoes, chopped
        ½ onion
        salt to taste
        Method:
        Boil all of it for twenty minutes.
        """

    @Test func `a recipe is shown, scaled, chosen from and added, and one undo takes it back`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            let file = "\(directory)/soup.txt"
            try Data(recipe.utf8).write(to: URL(filePath: file))
            let shown = try JSONDecoder().decode(
                Answer.self,
                from: Data(try await device("add", "--recipe", file, "--portions", "6", "--dry-run", "--json").utf8))
            #expect(shown.portions == 6)
            #expect(
                shown.lines?.filter(\.chosen) == [
                    .init(number: 4, chosen: true, text: "tinned tomatoes", quantity: "600 g", note: "chopped"),
                    .init(number: 5, chosen: true, text: "onion", quantity: "¾", note: nil),
                    .init(number: 6, chosen: true, text: "salt", quantity: nil, note: "to taste"),
                ])
            #expect(shown.lines?.count == 8, "every line is offered")

            try await device("new", "Shop", "--local")
            try await device("add", "bread")
            try await device("add", "--recipe", file, "--lines", "4-5,8")
            let list = try await device.show()
            #expect(list.contains(#""fields":{"note":"chopped","quantity":"400 g","text":"tinned tomatoes"}"#))
            #expect(list.contains("Boil all of it") && !list.contains("salt"))
            try await device("undo")
            #expect(try await device("show").split(separator: "\n").count == 2, "only the bread is left")
            try await device("add", "--recipe", "-", input: #"{"recipeIngredient":["2 eggs","1 l milk"]}"#)
            #expect(try await device.show().contains(#""fields":{"quantity":"1 l","text":"milk"}"#))
        }
    }

    @Test func `what can't be is told, and adds nothing`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Shop", "--local")
            func file(_ name: String, _ text: String) throws -> String {
                try Data(text.utf8).write(to: URL(filePath: "\(directory)/\(name)"))
                return "\(directory)/\(name)"
            }
            let eggs = try file("eggs", "2 eggs")
            for (arguments, sentence) in [
                (
                    ["--recipe", try file("long", String(repeating: "1 egg\n", count: 1_000_000))],
                    "more than 1000 lines"
                ),
                (["--recipe", try file("page", "<html></html>")], "copy its ingredients as text"),
                (["--recipe", eggs, "--portions", "6"], "--makes"), (["--recipe", eggs, "--lines", "2"], "no line 2"),
                (["--recipe", eggs, "--lines", "3-1"], "invalid"),
                (["--recipe", eggs, "milk"], "from the recipe alone"),
                (["--recipe", eggs, "--makes", "0"], "1 to 1000"), (["milk", "--portions", "2"], "--recipe FILE"),
                (["--recipe", "\(directory)/nothing"], "can't be read"),
                (["--recipe", try file("heading", "Zutaten:")], "nothing to add"),
            ] {
                let answer = try await device.run(["add"] + arguments)
                #expect(
                    !answer.status.isSuccess && answer.errors.contains(sentence),
                    "\(arguments.dropFirst(2)): \(answer.errors)")
            }
            #expect(try await device("show").split(separator: "\n").count == 1)
            try await device("add", "--recipe", eggs, "--makes", "2", "--portions", "3")
            #expect(try await device.show().contains(#""quantity":"3""#))
        }
    }
}
