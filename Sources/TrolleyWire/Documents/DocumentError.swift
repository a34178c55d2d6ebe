import TrolleyJournal

/// The reason why a file can't be read as lists.
public enum DocumentError: Error, Hashable, Sendable {
    /// It is not UTF-8.
    case notUTF8
    /// There is a NUL character in it.
    case notText
    /// There is no item in it.
    case empty
    /// One of its lists has more than ``ListDocument/mostItems``.
    case tooManyItems
    /// It has more than ``ListDocument/mostLists``.
    case tooManyLists
    /// The file has more than ``ListDocument/maxBytes``.
    case tooLarge
    /// It is not JSON, or was cut off.
    case notJSON
    /// Trolley's own format, of a later version.
    case laterVersion
    /// JSON without a list that this program knows.
    case unknown
    /// Items with the numbers of products, without the products' names (Grocy).
    case namesMissing
    /// A page without a recipe of schema.org.
    case noRecipeInPage
    /// A table whose first row names no column for the items.
    case noItemColumn
    /// A quote that isn't closed, with the line on which it begins.
    case openQuote(line: Int)
    /// A row with more cells than the first one.
    case tooManyCells(line: Int)

    /// Its name, the same in all versions.
    package var code: StaticString {
        switch self {
        case .notUTF8: "notUTF8"
        case .notText: "notText"
        case .empty: "empty"
        case .tooManyItems: "tooManyItems"
        case .tooManyLists: "tooManyLists"
        case .tooLarge: "tooLarge"
        case .notJSON: "notJSON"
        case .laterVersion: "laterVersion"
        case .unknown: "unknown"
        case .namesMissing: "namesMissing"
        case .noRecipeInPage: "noRecipeInPage"
        case .noItemColumn: "noItemColumn"
        case .openQuote: "openQuote"
        case .tooManyCells: "tooManyCells"
        }
    }

    /// The line that it is about; nil: the whole file.
    public var line: Int? {
        switch self {
        case .openQuote(let line), .tooManyCells(let line): line
        default: nil
        }
    }
}

extension DocumentError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notUTF8: "it is not UTF-8 text: export it again as text, CSV or JSON"
        case .notText: "it is no text: there is a NUL character in it"
        case .empty: "there is no item in it"
        case .tooManyItems: String(joining: "it has more than ", String(ListDocument.mostItems), " items")
        case .tooManyLists: String(joining: "it has more than ", String(ListDocument.mostLists), " lists")
        case .tooLarge: String(joining: "it has more than ", String(ListDocument.maxBytes >> 20), " MB")
        case .notJSON: "it is not JSON, or was cut off"
        case .laterVersion: "it is of a later version than this program knows: update it"
        case .unknown: "no list that this program knows is in it"
        case .namesMissing:
            "its items have the numbers of products, but not their names: put the objects 'shopping_list' and 'products' into one file"
        case .noRecipeInPage: RecipeError.noRecipeInPage.description
        case .noItemColumn:
            "its first line names no column for the items, such as 'text', 'item' or 'name'. It has to name the columns"
        case .openQuote(let line): String(joining: "the quote in line ", String(line), " isn't closed")
        case .tooManyCells(let line):
            String(joining: "line ", String(line), " has more cells than the first line has columns")
        }
    }
}
