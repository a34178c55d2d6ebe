/// A recipe's ingredients, to be put on a list.
public struct Recipe: Hashable, Sendable {
    /// nil: the recipe has no name.
    public var name: String?
    /// The number of portions; nil: the recipe doesn't say.
    public var portions: Int?
    /// All lines, in order.
    public var lines: [RecipeLine]
    /// Whether the text says itself that it is a recipe: by a heading of its ingredients, by the number of portions, or as
    /// schema.org has it. Otherwise an app that gets it with other lines takes it for a list.
    public var isEvident = false

    /// The maximum number of lines, blank ones left out.
    public static let maxLines = 1000
    public static let maxPortions = 1000

    public init(name: String? = nil, portions: Int? = nil, lines: [RecipeLine] = []) {
        self.name = name
        self.portions = portions
        self.lines = lines
    }

    /// The ingredients that are proposed, in order.
    public var proposed: [IngredientLine] { lines.filter { $0.isProposed }.map { $0.ingredient } }

    /// The recipe for another number of portions. Without a number of its own it is unchanged, because nothing says by how
    /// much.
    public func scaled(to portions: Int) -> Recipe {
        guard let own = self.portions, own > 0, portions > 0, own != portions else { return self }
        let usesComma = lines.contains { $0.ingredient.quantity?.hasDecimalComma ?? false }
        var recipe = self
        recipe.portions = portions
        for index in recipe.lines.indices {
            recipe.lines[index].ingredient = recipe.lines[index].ingredient.scaled(
                by: portions, of: own, usesComma: usesComma)
        }
        return recipe
    }
}

/// A line of a recipe.
public struct RecipeLine: Hashable, Sendable {
    public var ingredient: IngredientLine
    /// Whether the line looks like an ingredient, and not like a title, a heading or a step. An app offers all lines, and checks
    /// these.
    public var isProposed: Bool

    public init(ingredient: IngredientLine, isProposed: Bool) {
        self.ingredient = ingredient
        self.isProposed = isProposed
    }
}

/// Why a text is no recipe that can be put on a list.
public enum RecipeError: String, Error, Hashable, Sendable {
    /// More than ``Recipe/maxLines`` lines.
    case tooManyLines
    /// More than ``Recipe/maxBytes`` bytes.
    case tooLarge
    /// There are no lines.
    case noLines
    /// A page or a JSON document without a recipe of schema.org.
    case noRecipeInPage
}

extension RecipeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooManyLines:
            String(
                joining: "it has more than ", String(Recipe.maxLines), " lines: give only the recipe's ingredients")
        case .tooLarge: "it is too large for a recipe: give only the recipe's ingredients"
        case .noLines: "there is no ingredient in it"
        case .noRecipeInPage: "the page has no recipe that programs can read: copy its ingredients as text"
        }
    }
}
