import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct AddCommand: ListCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "add",
            abstract: localized(
                "Add items to the bottom of a list; '-' reads one item per line from standard input.",
                de: "Einträge unten an eine Liste anfügen; „-“ liest einen Eintrag je Zeile von der Standardeingabe."),
            discussion: discussion(
                """
                Bullets, numbers, boxes and quantities are understood: '- milk', '* 2x eggs', '[x] sugar', '1. salt', 'milk, 2 l'.
                Anything else stays text. An item that is already on the list is not added again; a marked-off item comes back. A
                new item gets the aisle that an item of its name had last, otherwise the catalogue's ('trolley aisles --why milk').

                --recipe adds the ingredients of a recipe, each with its quantity and note: '400 g tinned tomatoes, chopped'. It
                understands plain text, and a page or its JSON if it has a recipe of schema.org. --dry-run shows the lines with
                their numbers; without --lines, those marked with 'x' are added. 'trolley undo' takes all of them back.
                """,
                de: """
                    Aufzählungszeichen, Nummern, Kästchen und Mengen werden verstanden: „- Milch“, „* 2x Eier“, „[x] Zucker“, \
                    „1. Salz“, „Milch, 2 l“. Alles andere bleibt Text. Was schon auf der Liste steht, kommt nicht noch einmal \
                    dazu; Abgehaktes kommt zurück. Ein neuer Eintrag bekommt das Regal, das ein Eintrag mit seinem Namen \
                    zuletzt hatte, sonst das des Katalogs („trolley aisles --why Milch“).

                    --recipe fügt die Zutaten eines Rezepts hinzu, jede mit Menge und Notiz: „400 g Tomaten, gehackt“. Es \
                    versteht reinen Text, und eine Seite oder ihr JSON, wenn darin ein Rezept von schema.org ist. --dry-run \
                    zeigt die Zeilen mit ihren Nummern; ohne --lines kommen die mit „x“ dazu. „trolley undo“ nimmt alle \
                    zurück.
                    """,
                examples: """
                    trolley add milk 'brown bread' '2 x 500 g pasta' --aisle Dairy
                    trolley add - < groceries.txt
                    trolley add --file groceries.txt
                    trolley add butter --after milk
                    trolley add --recipe goulash.txt --portions 6 --dry-run
                    trolley add --recipe goulash.txt --portions 6 --lines 1-4,7
                    """))
    }

    @Argument(
        help: .localized(
            "Items to add, one in each argument or line; '-' reads standard input.",
            de: "Neue Einträge, einer in jedem Argument oder jeder Zeile; „-“ liest die Standardeingabe."),
        completion: .suggestions)
    var text: [String] = []

    @Option(
        help: .localized("A text file with one item per line.", de: "Eine Textdatei mit einem Eintrag je Zeile."),
        completion: .file())
    var file: String?

    @OptionGroup var recipe: RecipeOptions

    @Flag(
        help: .localized(
            "Add items even if they are already on the list.",
            de: "Einträge hinzufügen, auch wenn sie schon auf der Liste stehen."))
    var again = false

    @Flag(
        help: .localized(
            "Take each line literally, with bullets and quantities.",
            de: "Jede Zeile wörtlich nehmen, mit Aufzählungszeichen und Mengen."))
    var asWritten = false

    @Option(help: .localized("The quantity.", de: "Die Menge."))
    var quantity: String?

    @Option(help: .localized("A note.", de: "Eine Notiz."))
    var note: String?

    @Option(help: .localized("The aisle where it is found.", de: "Das Regal, in dem es steht."))
    var aisle: String?

    @Option(
        help: ArgumentHelp(
            localized("The only shop where it is bought.", de: "Der einzige Laden, in dem es das gibt."),
            valueName: "shop"))
    var shop: String?

    @Option(
        help: ArgumentHelp(
            localized(
                "How often it is bought: 7d or 2w. 'trolley suggest' shows it on its day.",
                de: "Wie oft es gekauft wird: 7d oder 2w. „trolley suggest“ zeigt es an seinem Tag."), valueName: "days"
        ))
    var every: String?

    @Option(
        help: .localized(
            "Put the first item after this one, and the others after it.",
            de: "Den ersten Eintrag hinter diesen stellen, die anderen hinter ihn."), completion: .items)
    var after: String?

    @Flag(
        help: .localized(
            "Put the first item at the top, and the others after it.",
            de: "Den ersten Eintrag ganz nach oben stellen, die anderen hinter ihn."))
    var top = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if text.isEmpty, file == nil, recipe.recipe == nil {
            throw ValidationError(localized("Name an item to add.", de: "Nenne einen Eintrag, der dazukommt."))
        }
        if recipe.recipe != nil, !text.isEmpty || file != nil || asWritten || quantity != nil {
            throw ValidationError(
                localized(
                    "--recipe takes its items and their quantities from the recipe alone.",
                    de: "--recipe nimmt die Einträge und ihre Mengen nur aus dem Rezept."))
        }
        if let every { _ = try Recurrence.written(every) }
        if let shop { try ShopName.check(shop) }
        if top, after != nil {
            throw ValidationError(localized("Give one of --after and --top.", de: "Gib --after oder --top an."))
        }
    }

    func run(on device: Device, _ console: Console, after opening: DeviceOpening) async throws {
        let recipe = try recipe.read()
        if let recipe, self.recipe.dryRun { return show(recipe, console) }
        let items = if let recipe { try items(of: recipe) } else { try writtenItems() }
        let list = try await device.list(list, in: opening)
        var place = ListEdit.Place.bottom
        if let after {
            place = .after(try console.find(after, among: await list.shownRows()).id)
        } else if top {
            place = .top
        }
        let added = try await list.add(items, at: place, again: again)
        let report = try await device.syncAfterChange()
        try console.finishAdding(added, to: list.id, report)
    }

    /// What to add: each line of the arguments, of standard input where an argument is '-', and of the file.
    private func writtenItems() throws(CommandError) -> [NewItem] {
        var texts: [String] = []
        for argument in text {
            texts.append(argument == "-" ? try Self.decoded(Terminal.readInput()) : argument)
        }
        if let file { texts.append(try Self.decoded(TextFile.read(file))) }
        // Of a quantity that is given apart there is one already.
        let lines = texts.flatMap { text in
            asWritten ? text.plainLines : ItemLine.lines(of: text, quantities: quantity == nil)
        }
        if lines.isEmpty { throw CommandError.nothingToAdd }
        return lines.map { line in
            var item = NewItem(line)
            if let quantity { item.fields[Fields.quantity] = .string(quantity) }
            return completed(item)
        }
    }

    /// The item with the note and the aisle that were given.
    func completed(_ item: NewItem) -> NewItem {
        var item = item
        if let note { item.fields[Fields.note] = .string(note) }
        if let shop { item.fields[Fields.shop] = .string(shop.trimmed) }
        if let every { item.fields[Fields.every] = Recurrence(written: every.trimmed)?.field }
        // An empty one says that it has none, also where it had one last time.
        item.fields[Fields.aisle] = aisle.map(FieldValue.string)
        return item
    }

    static func decoded(_ bytes: [UInt8]) throws(CommandError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw CommandError.notUTF8 }
        return text
    }
}

extension String {
    /// Each line that isn't blank, as an item's text.
    fileprivate var plainLines: [ItemLine] {
        split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }.map { ItemLine(text: $0) }
    }
}
