import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct ImportCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make lists of your own from the file that an export wrote, this program's or another's.",
        discussion: """
            They are shared with nobody. A file with anything wrong in it is refused whole. Everything that 'trolley export' wrote of
            yours goes to the service, and doing it again doubles nothing.

            Of other programs it reads checklists in Markdown or plain text (also what is copied out of Apple's Reminders and Notes), CSV
            whose first line names the columns (also Todoist's), and JSON (also Google's takeouts of Keep and Tasks, and Bring!).

            Example:
              trolley import my-lists.json
              trolley import groceries.md
              trolley import todoist.csv --into 'Weekly shop'
            """)

    @Argument(help: "The file; '-' is standard input.", completion: .file())
    var file: String

    @Option(
        name: .customLong("as"), help: "What the file is: markdown, csv or json. Else it is told by how it looks.",
        completion: .list(["markdown", "csv", "json"]), transform: { try DocumentForm.named($0) })
    var form: DocumentForm?

    @Option(
        help: "Put the items on this list, by name or id, as one gesture. What is there already is not doubled.",
        completion: .lists)
    var into: String?

    @Option(help: "What the new list is called; else what the file says, or what it is called itself.")
    var name: String?

    @Flag(help: "Keep new lists on this device alone, until 'share' or 'invite'.")
    var local = false

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if into != nil, name != nil || local {
            throw ValidationError("Give --into, or --name and --local for a new list.")
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let bytes = file == "-" ? Terminal.readInput() : try TextFile.read(file)
        if form == nil, bytes.isObject, bytes.firstRange(of: Export.format.utf8) != nil {
            return try await importEverything(bytes, device, console)
        }
        let documents: [ListDocument]
        do {
            documents = try ListDocument.read(bytes, as: form, file: file)
        } catch {
            throw CommandError.badFile(file, "\(error). Nothing was imported")
        }
        let imported = try await into == nil ? makeLists(documents, device) : addItems(documents, device)
        let report = try await device.syncAfterChange()
        for list in imported { for sentence in list.sentences(console) { console.say(sentence) } }
        let leftOut = documents.flatMap(\.leftOut)
        if !leftOut.isEmpty {
            console.say("Left out, since a list has no place for it: \(leftOut.joined(separator: ", ")).")
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
            imported.append(Imported(list: list, name: name, isNew: true, items: items))
        }
        return imported
    }

    private func addItems(_ documents: [ListDocument], _ device: Device) async throws -> [Imported] {
        let list = try await device.list(ListOptions(list: into))
        let added = try await device.add(documents.flatMap(\.items), to: list.id)
        return [Imported(list: list.id, name: list.name ?? list.id.description, isNew: false, items: added)]
    }

    /// Imports what 'trolley export' has written of all lists, on the service.
    private func importEverything(_ bytes: [UInt8], _ device: Device, _ console: Console) async throws {
        let document: ImportDocument
        do {
            document = try ImportDocument(json: bytes)
        } catch {
            throw CommandError.badFile(file, "\(error). Nothing was imported")
        }
        let lists = try await device.importLists(document)
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

/// A list that was made of a document, or took it in.
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
    /// Whether it begins as a JSON object does.
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
