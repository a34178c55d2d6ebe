public import TrolleyJournal

/// A file, or a pasted text, that a person wants on a list: a recipe, or lists of this or another program.
public enum ImportedFile: Hashable, Sendable {
    case recipe(Recipe)
    /// Each has at least one item.
    case lists([ListDocument])

    /// Reads a text. It is a recipe where it says so itself (``Recipe/isEvident``), and a page is one or nothing.
    /// - Parameters:
    ///   - bytes: the text.
    ///   - file: the file's name, which tells its format; empty: detected from the content.
    ///   - columns: what the columns of a table mean; nil: by their names.
    /// - Throws: `DocumentError`, when any part can't be read; then import nothing.
    public init(
        reading bytes: [UInt8], file: String = "", columns: CSVColumns.Choice? = nil
    ) throws(DocumentError) {
        let text = try ListDocument.text(of: bytes)
        let isPage = bytes.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF } == UInt8(ascii: "<")
        if columns == nil {
            var recipe: Recipe?
            do throws(RecipeError) { recipe = try Recipe(pasted: text) } catch { recipe = nil }
            if let recipe, recipe.isEvident {
                self = .recipe(recipe)
                return
            }
        }
        // A checklist of Trolley's begins with a comment.
        if isPage, !bytes.starts(with: "<!--".utf8) { throw .noRecipeInPage }
        self = .lists(try ListDocument.read(bytes, file: file, columns: columns))
    }
}
