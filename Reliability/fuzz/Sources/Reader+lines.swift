import TrolleyJournal

extension Reader {
    /// Lines that people type and paste.
    static let lines = [
        Reader(name: "item-line") { bytes in
            let text = bytes.text
            let lines = ItemLine.lines(of: text)
            for line in lines {
                require(!line.text.isEmpty, "a line without a text: \(text)")
                let bytes = line.text.utf8.count + (line.quantity?.utf8.count ?? 0)
                require(bytes <= text.utf8.count, "a line grows: \(text)")
            }
            // What has no quantity is taken as it stands.
            for line in ItemLine.lines(of: text, quantities: false) {
                require(line.quantity == nil, "a quantity, where none was looked for: \(text)")
            }
        },
        Reader(name: "ingredient-line") { bytes in
            let text = bytes.text
            guard let line = IngredientLine(text) else { return }
            require(!line.text.isEmpty, "an ingredient without a name: \(text)")
            let recipe = Recipe(portions: 4, lines: [RecipeLine(ingredient: line, isProposed: true)])
            for portions in [1, 3, 7, Recipe.maxPortions] {
                let scaled = recipe.scaled(to: portions).lines[0].ingredient
                require(scaled.text == line.text && scaled.note == line.note, "scaling changes a name: \(text)")
            }
        },
    ]
}
