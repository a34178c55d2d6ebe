import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct ImportCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Create lists from an exported file, or from another program's file.",
        discussion: """
            The new lists are shared with nobody. A file with any error is refused as a whole. An account's export goes to the
            service; importing it again creates nothing twice.

            Formats of other programs: checklists in Markdown or plain text (also text copied from Apple's Reminders and Notes),
            CSV with the names of columns in its first line (also Todoist's), and JSON: Google Takeout of Keep and Tasks, Bring!,
            KitchenOwl, Mealie, AnyList, OurGroceries, and Grocy (the objects 'shopping_list' and 'products' in one file).

            Where a table's columns have other names, --columns says what they mean: text, quantity, unit, note, aisle, mark or
            list, each with the column's name or number.

            Example:
              trolley import my-lists.json
              trolley import groceries.md
              trolley import todoist.csv --into 'Weekly shop'
              trolley import einkauf.csv --columns text=Artikel,quantity=Menge,aisle=Regal
              trolley import plain.csv --columns text=2,quantity=1 --no-header
            """)

    @Argument(help: "The file; '-' is standard input.", completion: .file())
    var file: String

    @Option(
        name: .customLong("as"), help: "The file's format: markdown, csv or json. (default: detected)",
        completion: .list(["markdown", "csv", "json"]), transform: { try DocumentForm.named($0) })
    var form: DocumentForm?

    @Option(
        help: ArgumentHelp("What the columns of a CSV file mean: text=Name,quantity=3.", valueName: "columns"))
    var columns: ColumnMeanings?

    @Flag(help: "The first line of the CSV file is an item, too; --columns has numbers.")
    var noHeader = false

    @Option(
        help: "Add the items to this list, by name or id, as one gesture. Items that it has are not added again.",
        completion: .lists)
    var into: String?

    @Option(help: "The new list's name. (default: from the file)")
    var name: String?

    @Flag(help: "Keep new lists on this device until 'share' or 'invite'.")
    var local = false

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if into != nil, name != nil || local {
            throw ValidationError("Give --into, or --name and --local for a new list.")
        }
        if columns == nil, noHeader {
            throw ValidationError("--no-header needs --columns: --columns text=1,quantity=2 --no-header.")
        }
        if columns != nil, form != nil, form != .csv {
            throw ValidationError("--columns is for CSV: leave --as out, or give --as csv.")
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
            throw CommandError.badFile(file, "\(error), or --columns says what they mean. Nothing was imported")
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError.badFile(file, "\(error). Nothing was imported")
        }
        let imported = try await into == nil ? makeLists(documents, device) : addItems(documents, device)
        let report = try await device.syncAfterChange()
        for list in imported { for sentence in list.sentences(console) { console.say(sentence) } }
        let leftOut = documents.flatMap(\.leftOut)
        if !leftOut.isEmpty {
            console.say("Left out, because a list can't represent it: \(leftOut.joined(separator: ", ")).")
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

    private func makeLists(_ documents: [ListDocument], _ device: Device) async throws -> [Imported] {
        let fileName = String(file.split(separator: "/").last?.split(separator: ".").first ?? "Imported")
        var imported: [Imported] = []
        for document in documents {
            let name = name ?? document.name ?? (file == "-" ? "Imported" : fileName)
            var document = document
            document.name = name
            let list = try await device.makeList(of: document, named: name, isLocal: local)
            let items = document.items.map {
                AddedItem(item: Item(id: device.identifier(), fields: $0.fields), outcome: .added)
            }
            imported.append(Imported(list: list.id, name: name, isNew: true, items: items))
        }
        return imported
    }

    private func addItems(_ documents: [ListDocument], _ device: Device) async throws -> [Imported] {
        let list = try await device.list(ListOptions(list: into))
        let added = try await device.list(list.id).add(documents.flatMap(\.items))
        return [Imported(list: list.id, name: list.name ?? list.id.description, isNew: false, items: added)]
    }

    /// Imports an account's export, on the service.
    private func importEverything(_ bytes: [UInt8], _ device: Device, _ console: Console) async throws {
        let document: ImportDocument
        do {
            document = try ImportDocument(json: bytes)
        } catch {
            throw CommandError.badFile(file, "\(error). Nothing was imported")
        }
        let lists = try await device.account.importLists(document)
        for list in lists { console.say("\(list.name ?? "(no name)"): \(list.sentence)") }
        let report = try await device.sync(.manual)
        console.say("\(console.count(lists.count, "list")) imported.")
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
        isNew
            ? ["Made '\(name)' with \(console.count(items.count, "item")). To use it: trolley use '\(name)'"]
            : items.sentences
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
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("source", source)
        writer.member("id", list)
        writer.member("name", name)
        writer.member("added", added)
        writer.member("present", present)
        writer.member("refused", refused)
    }
}
