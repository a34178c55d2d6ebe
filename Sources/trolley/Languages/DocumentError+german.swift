import TrolleyJournal
import TrolleyWire

// Why a file can't be used, as the part of a sentence.

extension DocumentError {
    var words: String { localized(description, de: german) }

    private var german: String {
        switch self {
        case .notUTF8: "Das ist kein Text in UTF-8. Exportiere es noch einmal als Text, CSV oder JSON"
        case .notText: "Das ist kein Text: Es enthält ein NUL-Zeichen"
        case .empty: "Darin ist kein Eintrag"
        case .tooManyItems: "Das sind mehr als \(ListDocument.mostItems) Einträge"
        case .tooManyLists: "Das sind mehr als \(ListDocument.mostLists) Listen"
        case .tooLarge: "Das sind mehr als \(ListDocument.maxBytes >> 20) MB"
        case .notJSON: "Das ist kein JSON, oder es ist abgeschnitten"
        case .laterVersion: "Das hat eine neuere Version, als dieses Programm kennt: Aktualisiere es"
        case .unknown: "Darin ist keine Liste, die dieses Programm kennt"
        case .namesMissing:
            """
            Die Einträge haben Nummern von Produkten, aber nicht deren Namen: Füge die Objekte „shopping_list“ und „products“ \
            in eine Datei
            """
        case .noRecipeInPage: RecipeError.noRecipeInPage.german
        case .noItemColumn:
            """
            Die erste Zeile nennt keine Spalte für die Einträge, wie „text“, „item“ oder „name“. Sie muss die Spalten benennen
            """
        case .openQuote(let line): "Das Anführungszeichen in Zeile \(line) wird nicht geschlossen"
        case .tooManyCells(let line): "Zeile \(line) hat mehr Zellen als die erste Zeile Spalten"
        }
    }
}

extension RecipeError {
    var words: String { localized(description, de: german) }

    fileprivate var german: String {
        switch self {
        case .tooManyLines: "Das sind mehr als \(Recipe.maxLines) Zeilen: Nimm nur die Zutaten"
        case .tooLarge: "Das ist zu groß für ein Rezept: Nimm nur die Zutaten"
        case .noLines: "Darin ist keine Zutat"
        case .noRecipeInPage: "In der Seite ist kein Rezept, das Programme lesen können: Kopiere die Zutaten als Text"
        }
    }
}

extension WireError {
    /// What is wrong with a document's JSON is for developers, and stays English.
    var words: String { localized(description, de: "Der Inhalt ist nicht zu verstehen (auf Englisch: \(description))") }
}
