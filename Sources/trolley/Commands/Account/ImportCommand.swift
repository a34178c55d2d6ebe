import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct ImportCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "import",
            abstract: localized(
                "Create lists from an exported file, or from another program's file.",
                de: "Listen aus einer exportierten Datei oder der eines anderen Programms anlegen."),
            discussion: discussion(
                """
                The new lists are shared with nobody. A file with any error is refused as a whole. An account's export goes to the
                service; importing it again creates nothing twice.

                Formats of other programs: checklists in Markdown or plain text (also text copied from Apple's Reminders and Notes),
                CSV with the names of columns in its first line (also Todoist's), and JSON: Google Takeout of Keep and Tasks, Bring!,
                KitchenOwl, Mealie, AnyList, OurGroceries, and Grocy (the objects 'shopping_list' and 'products' in one file).

                Where a table's columns have other names, --columns says what they mean: text, quantity, unit, note, aisle, mark or
                list, each with the column's name or number.
                """,
                de: """
                    Die neuen Listen sind mit niemandem geteilt. Eine Datei mit einem Fehler wird im Ganzen abgelehnt. Der \
                    Export eines Kontos geht zum Dienst; ihn noch einmal zu importieren legt nichts doppelt an.

                    Formate anderer Programme: Checklisten in Markdown oder reinem Text (auch aus Apples Erinnerungen und \
                    Notizen kopiert), CSV mit den Namen der Spalten in der ersten Zeile (auch von Todoist), und JSON: Google \
                    Takeout von Notizen und Tasks, Bring!, KitchenOwl, Mealie, AnyList, OurGroceries und Grocy (die Objekte \
                    „shopping_list“ und „products“ in einer Datei).

                    Wo die Spalten einer Tabelle andere Namen haben, sagt --columns, was sie bedeuten: text, quantity, unit, \
                    note, aisle, mark oder list, je mit Namen oder Nummer der Spalte.
                    """,
                examples: """
                    trolley import my-lists.json
                    trolley import groceries.md
                    trolley import todoist.csv --into 'Weekly shop'
                    trolley import einkauf.csv --columns text=Artikel,quantity=Menge,aisle=Regal
                    trolley import plain.csv --columns text=2,quantity=1 --no-header
                    """))
    }

    @Argument(
        help: .localized("The file; '-' is standard input.", de: "Die Datei; „-“ ist die Standardeingabe."),
        completion: .file())
    var file: String

    @Option(
        name: .customLong("as"),
        help: .localized(
            "The file's format: markdown, csv or json. (default: detected)",
            de: "Das Format der Datei: markdown, csv oder json. (Vorgabe: erkannt)"),
        completion: .list(["markdown", "csv", "json"]), transform: { try DocumentForm.named($0) })
    var form: DocumentForm?

    @Option(
        help: ArgumentHelp(
            localized(
                "What the columns of a CSV file mean: text=Name,quantity=3.",
                de: "Was die Spalten einer CSV-Datei bedeuten: text=Name,quantity=3."), valueName: "columns"))
    var columns: ColumnMeanings?

    @Flag(
        help: .localized(
            "The first line of the CSV file is an item, too; --columns has numbers.",
            de: "Auch die erste Zeile der CSV-Datei ist ein Eintrag; --columns hat Nummern."))
    var noHeader = false

    @Option(
        help: .localized(
            "Add the items to this list, by name or id, as one gesture. Items that it has are not added again.",
            de: """
                Die Einträge auf diese Liste setzen, mit Namen oder Kennung, in einem Schritt. Was sie schon hat, kommt \
                nicht noch einmal dazu.
                """),
        completion: .lists)
    var into: String?

    @Option(
        help: .localized(
            "The new list's name. (default: from the file)", de: "Der Name der neuen Liste. (Vorgabe: aus der Datei)"))
    var name: String?

    @Flag(
        help: .localized(
            "Keep new lists on this device until 'share' or 'invite'.",
            de: "Neue Listen auf diesem Gerät behalten, bis zu share oder invite."))
    var local = false

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if into != nil, name != nil || local {
            throw ValidationError(
                localized(
                    "Give --into, or --name and --local for a new list.",
                    de: "Gib --into an, oder --name und --local für eine neue Liste."))
        }
        if columns == nil, noHeader {
            throw ValidationError(
                localized(
                    "--no-header needs --columns: --columns text=1,quantity=2 --no-header.",
                    de: "--no-header braucht --columns: --columns text=1,quantity=2 --no-header."))
        }
        if columns != nil, form != nil, form != .csv {
            throw ValidationError(
                localized(
                    "--columns is for CSV: leave --as out, or give --as csv.",
                    de: "--columns ist für CSV: Lass --as weg, oder gib --as csv an."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let bytes = file == "-" ? Terminal.readInput() : try TextFile.read(file)
        if form == nil, columns == nil, bytes.isObject, bytes.firstRange(of: Export.format.utf8) != nil {
            return try await importEverything(bytes, device, console)
        }
        let documents: [ListDocument]
        do {
            let choice = try columns?.choice(of: bytes, file: file, isFirstRowNames: !noHeader)
            documents = try ListDocument.read(bytes, as: form, file: file, columns: choice)
        } catch let error as DocumentError where error == .noItemColumn {
            throw CommandError.badFile(
                file,
                error.words
                    + localized(
                        ", or --columns says what they mean. Nothing was imported",
                        de: ", oder --columns sagt, was sie bedeuten. Nichts wurde importiert"))
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError.badFile(file, nothingImported((error as? DocumentError)?.words ?? "\(error)"))
        }
        let imported = try await into == nil ? makeLists(documents, device) : addItems(documents, device)
        let report = try await device.syncAfterChange()
        for list in imported { for sentence in list.sentences(console) { console.say(sentence) } }
        let leftOut = documents.flatMap(\.leftOut)
        if !leftOut.isEmpty {
            console.say(
                localized(
                    "Left out, because a list can't represent it: \(leftOut.joined(separator: ", ")).",
                    de: "Weggelassen, weil eine Liste das nicht kennt: \(leftOut.joined(separator: ", "))."))
        }
        console.say(report)
        console.answer { writer in
            writer.key("lists")
            writer.array { writer in
                for list in imported { list.write(to: &writer) }
            }
            writer.key("leftOut")
            writer.array { writer in
                for column in leftOut { writer.string(column) }
            }
            writer.waiting(report)
        }
        try console.finishChange(report)
    }

    /// The name of a list that has none in its file.
    private static var unnamed: String { localized("Imported", de: "Importiert") }

    private func makeLists(_ documents: [ListDocument], _ device: Device) async throws -> [Imported] {
        let fileName = file.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? Self.unnamed
        let unnamed = file == "-" ? Self.unnamed : fileName
        let named = documents.map { document in
            var document = document
            document.name = name ?? document.name
            return document
        }
        let lists = try await device.makeLists(of: named, named: unnamed, isLocal: local)
        return zip(lists, named).map { list, document in
            let items = document.items.map {
                AddedItem(item: Item(id: device.identifier(), fields: $0.fields), outcome: .added)
            }
            return Imported(list: list.id, name: document.name ?? unnamed, isNew: true, items: items)
        }
    }

    private func addItems(_ documents: [ListDocument], _ device: Device) async throws -> [Imported] {
        let list = try await device.list(ListOptions(list: into))
        let added = try await device.list(list.id).add(documents.flatMap(\.items))
        return [Imported(list: list.id, name: list.name ?? list.id.description, isNew: false, items: added)]
    }

    private func nothingImported(_ why: String) -> String {
        localized("\(why). Nothing was imported", de: "\(why). Nichts wurde importiert")
    }

    /// Imports an account's export, on the service.
    private func importEverything(_ bytes: [UInt8], _ device: Device, _ console: Console) async throws {
        let document: ImportDocument
        do {
            document = try ImportDocument(json: bytes)
        } catch {
            throw CommandError.badFile(file, nothingImported(error.words))
        }
        let lists = try await device.account.importLists(document)
        for list in lists { console.say("\(list.name ?? ListSummary.unnamed): \(list.words)") }
        let report = try await device.sync(.manual)
        let count = console.count(lists.count, .list)
        console.say(localized("\(count) imported.", de: "\(count) importiert."))
        console.answer { writer in
            writer.key("lists")
            writer.array { writer in
                for list in lists { writer.object { list.write(to: &$0) } }
            }
            writer.waiting(report)
        }
        if lists.contains(where: { $0.refused > 0 }) { throw ExitCode.failure }
    }
}

/// A list that was created from a document, or that got its items.
private struct Imported {
    var list: ListID
    var name: String
    var isNew: Bool
    var items: [AddedItem]

    func sentences(_ console: Console) -> [String] {
        if !isNew { return items.sentences }
        let count = console.count(items.count, .item)
        return [
            localized(
                "Made '\(name)' with \(count). To use it: trolley use '\(name)'",
                de: "„\(name)“ ist angelegt (\(count)). Um sie zu benutzen: trolley use '\(name)'")
        ]
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", list)
            writer.member("name", name)
            writer.key("isNew")
            writer.bool(isNew)
            writer.member("items", items.count)
            if !isNew { writer.outcomes(of: items) }
        }
    }
}

extension [UInt8] {
    /// Whether the first character is that of a JSON object.
    var isObject: Bool { first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{") }
}

extension ImportedList {
    /// What became of the list's changes.
    fileprivate var words: String {
        var german = ["\(Noun.change.counted(added)) gemacht"]
        if present > 0 { german.append("\(present) schon da") }
        if refused > 0 { german.append("\(refused) abgelehnt") }
        return localized(sentence, de: german.joined(separator: ", "))
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("source", source)
        writer.member("id", list)
        writer.member("name", name)
        writer.member("added", added)
        writer.member("present", present)
        writer.member("refused", refused)
    }
}
