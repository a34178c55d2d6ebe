import Testing
import TrolleyJournal

@Suite("Ingredients for other portions", .timeLimit(.minutes(20)))
struct IngredientScalingTests {
    @Test(
        "a quantity is scaled as a recipe would write it",
        arguments: [
            ("400 g tomatoes", 4, 6, "600 g"), ("1 onion", 4, 2, "½"), ("3 eggs", 2, 1, "1½"),
            ("1½ cups flour", 1, 2, "3 cups"),
            ("1 1/2 cups flour", 2, 3, "2¼ cups"), ("1/3 cup oil", 1, 3, "1 cup"), ("2-3 carrots", 2, 4, "4-6"),
            ("2 to 3 carrots", 2, 1, "1 to 1½"), ("0.5 l milk", 1, 3, "1.5 l"), ("1,5 l Wasser", 2, 1, "0,75 l"),
            ("250 g flour", 3, 1, "83.3 g"), ("1 kg flour", 3, 7, "2⅓ kg"), ("500 g flour", 3, 4, "667 g"),
            ("1 tsp salt", 7, 1, "0.14 tsp"), ("2 x 400 g cans beans", 2, 4, "4 x 400 g cans"),
            ("2 (14 oz) cans beans", 2, 4, "4 (14 oz) cans"), ("½ cup (113 grams) butter", 1, 2, "1 cup (226 grams)"),
            ("200g/7oz chocolate", 2, 4, "400g/14oz"), ("a pinch of salt", 1, 3, "3 pinch"),
            ("2 tablespoons plus 1 teaspoon sugar", 1, 2, "4 tablespoons plus 2 teaspoon"),
            ("half a lemon", 1, 2, "1"), ("two eggs", 2, 3, "3"),
            ("1 sachet de 50 g de soupe", 1, 2, "2 sachet de 50 g"),
            ("1 egg", 1000, 1, "0.01"),
        ])
    func scaled(_ line: String, own: Int, wanted: Int, quantity: String) {
        let read = IngredientLine(line)
        #expect(read?.scaled(by: wanted, of: own).quantity == quantity)
        #expect(read?.scaled(by: wanted, of: own).text == read?.text)
    }

    @Test("without a number nothing changes, and impossible portions change nothing")
    func unscaled() {
        for line in ["salt", "salt to taste", "q.b. sale", "etwas Salz", "00 flour"] {
            #expect(IngredientLine(line)?.scaled(by: 8, of: 2) == IngredientLine(line))
        }
        let milk = IngredientLine("2 l milk")
        #expect(milk?.scaled(by: 3, of: 0) == milk && milk?.scaled(by: 3, of: -1) == milk)
        #expect(milk?.scaled(by: .max, of: 1) == milk, "a number that is too large stays as it was")
    }

    @Test("new decimals of a recipe have its own sign")
    func comma() {
        let recipe = Recipe(
            portions: 4,
            lines: ["250 g Mehl", "1,5 l Wasser"].compactMap { IngredientLine($0) }
                .map { RecipeLine(ingredient: $0, isProposed: true) })
        #expect(recipe.scaled(to: 3).proposed.map(\.quantity) == ["188 g", "1,13 l"])
        #expect(recipe.scaled(to: 1).proposed.map(\.quantity) == ["62,5 g", "0,38 l"])
        #expect(recipe.scaled(to: 1).portions == 1)
        var unknown = recipe
        unknown.portions = nil
        #expect(unknown.scaled(to: 8) == unknown)
    }
}
