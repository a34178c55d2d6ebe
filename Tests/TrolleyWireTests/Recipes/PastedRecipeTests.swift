import Testing
import TrolleyJournal
import TrolleyWire

@Suite("Pasted recipes", .timeLimit(.minutes(20)))
struct PastedRecipeTests {
    private func page(_ json: String) -> String {
        """
        <!DOCTYPE html><html><head><title>Soup</title><script>var a = "<b>";</script>
        <script type="application/ld+json" class="x">\(json)</script></head><body><p>1 long story</p></body></html>
        """
    }

    private let soup = """
        {"@context":"https://schema.org","@graph":[{"@type":"Person","name":"Ann"},{"@type":["Recipe"],"name":"Soup &amp; bread",
        "author":{"name":"Ann"},"recipeYield":["4","4 servings"],
        "recipeIngredient":["400 g tinned tomatoes, chopped","&frac12; onion","1<sup>1</sup>/<sub>2</sub> cups&nbsp;milk","For the topping:"]}]}
        """

    @Test("the recipe of a page's JSON-LD comes out, as does the JSON by itself")
    func json() throws {
        for text in [page(soup), soup, "\u{FEFF}\(soup)", page("\n//<![CDATA[\n\(soup)\n//]]>\n")] {
            let recipe = try Recipe(pasted: text)
            #expect(recipe.name == "Soup & bread" && recipe.portions == 4)
            #expect(
                recipe.lines.map(\.ingredient) == [
                    IngredientLine(text: "tinned tomatoes", quantity: "400 g", note: "chopped"),
                    IngredientLine(text: "onion", quantity: "½"), IngredientLine(text: "milk", quantity: "1 1/2 cups"),
                    IngredientLine(text: "For the topping:"),
                ])
            #expect(recipe.lines.map(\.isProposed) == [true, true, true, false])
        }
    }

    @Test("yields and ingredients of other forms are understood")
    func forms() throws {
        #expect(try Recipe(pasted: #"[{"recipeYield":6,"recipeIngredient":"1 egg\n2 l milk"}]"#).portions == 6)
        let items = #"{"recipeIngredient":{"@type":"ItemList","itemListElement":[{"name":"1 egg"},{"text":"milk"}]}}"#
        #expect(try Recipe(pasted: items).proposed.map(\.text) == ["egg", "milk"])
        let markup =
            #"<ul><li itemprop="recipeIngredient"><b>2</b> eggs</li><li itemprop='recipeIngredient'>milk</li></ul>"#
        #expect(try Recipe(pasted: markup).proposed.map(\.text) == ["eggs", "milk"])
    }

    @Test("a line feed within a string, which JSON doesn't have, does no harm")
    func invalid() throws {
        #expect(try Recipe(pasted: page("{\"recipeIngredient\":[\"1 egg\nbeaten\"]}")).proposed[0].text == "egg beaten")
    }

    @Test("text stays text, also when it begins like JSON")
    func text() throws {
        #expect(try Recipe(pasted: "[ ] 2 eggs\n[x] milk").proposed.map(\.text) == ["eggs", "milk"])
        #expect(try Recipe(pasted: "2 eggs").proposed.map(\.text) == ["eggs"])
    }

    @Test("a page without a recipe is told from one, and nothing of markup is run or kept")
    func none() throws {
        for text in [
            "<html><body>no recipe</body></html>", page("{}"), page("no json"), page(#"{"name":"a"}"#), "{}", "[1,2]",
        ] {
            #expect(throws: RecipeError.noRecipeInPage, "\(text)") { try Recipe(pasted: text) }
        }
        let hostile = #"{"recipeIngredient":["<script>alert(1)</script>1 egg","&#0;&#x110000;&#99999999999;milk"]}"#
        #expect(
            try Recipe(pasted: hostile).proposed.map(\.text) == ["alert(1)1 egg", "&#0;&#x110000;&#99999999999;milk"])
    }

    @Test("what is made to take long takes no longer: endless lists, open tags, deep nesting")
    func bounded() throws {
        let start = ContinuousClock.now
        let lines = String(repeating: "\"1 egg\",", count: 50_000)
        #expect(throws: RecipeError.tooManyLines) { try Recipe(pasted: "{\"recipeIngredient\":[\(lines)\"milk\"]}") }
        let deep = String(repeating: "[", count: 10_000)
        #expect(throws: Never.self) { _ = try Recipe(pasted: deep) }
        for piece in ["<script", "<a itemprop", "itemprop", "<script>", "itemprop=\"recipeIngredient\">", "&", "<a"] {
            let page = "<html>" + String(repeating: piece, count: 20_000)
            #expect(throws: RecipeError.noRecipeInPage, "\(piece)") { try Recipe(pasted: page) }
        }
        let text = String(repeating: "<a", count: 20_000)
        #expect(try Recipe(pasted: "{\"recipeIngredient\":[\"\(text)\"]}").lines.count == 1)
        #expect(throws: RecipeError.tooLarge) { try Recipe(pasted: String(repeating: "a", count: Recipe.maxBytes + 1)) }
        #expect(ContinuousClock.now - start < .seconds(120))
    }
}
