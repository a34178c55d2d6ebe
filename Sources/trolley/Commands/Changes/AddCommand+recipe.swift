import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

/// The options of `add` for recipes.
struct RecipeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            localized(
                "A file with a recipe; '-' reads standard input.",
                de: "Eine Datei mit einem Rezept; „-“ ist die Standardeingabe."), valueName: "file"),
        completion: .file())
    var recipe: String?

    @Option(help: .localized("The number of portions to add the recipe for.", de: "Für so viele Portionen."))
    var portions: Int?

    @Option(
        help: ArgumentHelp(
            localized(
                "The number of portions that the recipe makes, if it doesn't say.",
                de: "So viele Portionen ergibt das Rezept, wenn es das nicht sagt."), valueName: "portions"))
    var makes: Int?

    @Option(
        help: ArgumentHelp(
            localized("The lines to add, by number: 1-4,7.", de: "Die Zeilen, die dazukommen, mit Nummern: 1-4,7."),
            valueName: "numbers"))
    var lines: LineNumbers?

    @Flag(
        help: .localized(
            "Only show the recipe's lines, without adding any.",
            de: "Die Zeilen des Rezepts nur zeigen, ohne etwas hinzuzufügen."))
    var dryRun = false

    func validate() throws {
        if recipe == nil, portions != nil || makes != nil || lines != nil || dryRun {
            throw ValidationError(
                localized(
                    "--portions, --makes, --lines and --dry-run need a recipe: --recipe FILE.",
                    de: "--portions, --makes, --lines und --dry-run brauchen ein Rezept: --recipe DATEI."))
        }
        for number in [portions, makes] {
            if let number, !(1...Recipe.maxPortions).contains(number) {
                throw ValidationError(
                    localized(
                        "Portions are 1 to \(Recipe.maxPortions).",
                        de: "Portionen gehen von 1 bis \(Recipe.maxPortions)."))
            }
        }
    }

    /// The recipe for the wanted portions; nil if none was given.
    func read() throws(CommandError) -> Recipe? {
        guard let file = recipe else { return nil }
        let text = try AddCommand.decoded(file == "-" ? Terminal.readInput() : TextFile.read(file))
        var read: Recipe
        do { read = try Recipe(pasted: text) } catch {
            throw .badFile(file == "-" ? localized("the input", de: "Die Eingabe") : file, error.words)
        }
        if let makes { read.portions = makes }
        guard let portions else { return read }
        guard read.portions != nil else { throw .noPortions }
        return read.scaled(to: portions)
    }
}

/// Numbers of lines: `1-4,7`.
struct LineNumbers: ExpressibleByArgument {
    let ranges: [ClosedRange<Int>]

    init?(argument: String) {
        var ranges: [ClosedRange<Int>] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first >= 1,
                first <= last
            else { return nil }
            ranges.append(first...last)
        }
        self.ranges = ranges
    }

    func contains(_ number: Int) -> Bool { ranges.contains { $0.contains(number) } }

    /// The highest number.
    var last: Int { ranges.map(\.upperBound).max() ?? 0 }
}

extension AddCommand {
    /// The items of the lines that were chosen, or else of those that look like ingredients.
    func items(of recipe: Recipe) throws(CommandError) -> [NewItem] {
        if let lines = self.recipe.lines, lines.last > recipe.lines.count {
            throw .noSuchLine(lines.last, of: recipe.lines.count)
        }
        let chosen = recipe.lines.enumerated().filter { isChosen($1, number: $0 + 1) }
        if chosen.isEmpty { throw .nothingToAdd }
        return chosen.map { completed(NewItem(fields: $1.ingredient.fields)) }
    }

    private func isChosen(_ line: RecipeLine, number: Int) -> Bool {
        recipe.lines.map { $0.contains(number) } ?? line.isProposed
    }

    /// Prints a recipe's lines.
    func show(_ recipe: Recipe, _ console: Console) {
        if let name = recipe.name { console.say(name.inOneLine) }
        if let portions = recipe.portions {
            let portions = console.count(portions, .portion)
            console.say(localized("For \(portions):", de: "Für \(portions):"))
        }
        for (index, line) in recipe.lines.enumerated() {
            let mark = isChosen(line, number: index + 1) ? "x" : " "
            let ingredient = line.ingredient
            let parts = [ingredient.quantity, ingredient.text].compactMap(\.self).joined(separator: "  ")
            console.say("\(index + 1). [\(mark)] \(parts)\(ingredient.note.map { "  (\($0))" } ?? "")")
        }
        console.answer { writer in
            writer.member("name", recipe.name)
            writer.member("portions", recipe.portions)
            writer.key("lines")
            writer.array { writer in
                for (index, line) in recipe.lines.enumerated() {
                    writer.object { writer in
                        writer.member("number", index + 1)
                        writer.key("chosen")
                        writer.bool(isChosen(line, number: index + 1))
                        writer.member("text", line.ingredient.text)
                        writer.member("quantity", line.ingredient.quantity)
                        writer.member("note", line.ingredient.note)
                    }
                }
            }
        }
    }
}
