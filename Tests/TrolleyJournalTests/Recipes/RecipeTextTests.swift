import Testing
import TrolleyJournal

@Suite("Recipes as text", .timeLimit(.minutes(20)))
struct RecipeTextTests {
    private let english = """
        Tomato soup

        Serves 4

        Ingredients
        - 400 g tinned tomatoes, chopped
        - 2 cloves garlic

        For the topping:
        - 1 handful of basil
        - Salt

        Method
        1. Chop the garlic.
        2. Boil all of it for 20 minutes.
        """
    private let german = """
        Zutaten für 2 Personen:
        ½ Zwiebel, gewürfelt
        2 Knoblauchzehen
        Zubereitung:
        Alles anbraten.
        """

    @Test("headings begin and end the ingredients; every line is offered")
    func headings() throws {
        let recipe = try Recipe(text: english)
        #expect(recipe.name == "Tomato soup" && recipe.portions == 4)
        #expect(recipe.proposed.map(\.text) == ["tinned tomatoes", "garlic", "basil", "Salt"])
        #expect(recipe.lines.count == 11)
        #expect(recipe.scaled(to: 6).proposed.map(\.quantity) == ["600 g", "3 cloves", "1½ handful", nil])
        let soup = try Recipe(text: german)
        #expect(soup.portions == 2 && soup.name == nil)
        #expect(
            soup.proposed == [
                IngredientLine(text: "Zwiebel", quantity: "½", note: "gewürfelt"),
                IngredientLine(text: "Knoblauchzehen", quantity: "2"),
            ])
    }

    @Test("lines alone are all ingredients, except what is a heading or a sentence")
    func lines() throws {
        let recipe = try Recipe(
            text:
                "200 g flour\nFor the sauce:\n1 onion\nolive oil\nHeat the oven to 200 degrees and butter a tin.\nServes 2 to 4"
        )
        #expect(recipe.proposed.map(\.text) == ["flour", "onion", "olive oil"])
        #expect(recipe.portions == 2 && recipe.lines.count == 6)
    }

    @Test(
        "portions are found in words of six languages, and not in ingredients",
        arguments: [
            ("Serves 4", 4), ("Makes 12 cookies", 12), ("4 servings", 4), ("Für 3 Personen", 3),
            ("Zutaten für 4 Portionen", 4),
            ("Pour 6 personnes", 6), ("Para 4 personas", 4), ("Per 4 persone", 4), ("Voor 4 personen", 4),
            ("Yield: 8 servings", 8),
            ("4 portions of salmon", nil), ("2 people carriers and more", nil), ("Serves 5000", nil), ("4 eggs", nil),
        ])
    func portions(_ line: String, expected: Int?) throws {
        #expect(try Recipe(text: "\(line)\n1 onion").portions == expected)
    }

    @Test("a recipe of a million lines, or of one endless line, gets a sentence at once")
    func bounded() throws {
        let start = ContinuousClock.now
        #expect(throws: RecipeError.tooManyLines) { try Recipe(text: String(repeating: "1 egg\n", count: 1_000_000)) }
        #expect(throws: RecipeError.tooManyLines) { try Recipe(text: String(repeating: "1 egg\r\n", count: 1001)) }
        #expect(try Recipe(text: String(repeating: "1 egg\r\n\r\n", count: 1000)).lines.count == 1000)
        #expect(throws: RecipeError.tooLarge) { try Recipe(text: String(repeating: "a", count: Recipe.maxBytes + 1)) }
        #expect(throws: RecipeError.noLines) { try Recipe(text: " \n\t\r\n") }
        let long = String(repeating: "1/2 ((( 2 x ", count: 10_000)
        #expect(try Recipe(text: long).lines.first?.ingredient.quantity == nil)
        let nested = String(repeating: "(", count: 1000)
        #expect(IngredientLine("1 \(nested)")?.text.isEmpty == false)
        #expect(ContinuousClock.now - start < .seconds(60))
        for error in [RecipeError.tooManyLines, .tooLarge, .noLines, .noRecipeInPage] {
            #expect(error.description.count > 10)
        }
    }
}
