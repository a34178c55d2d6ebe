import ArgumentParser
import TrolleyClient
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ExportCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "export",
            abstract: localized(
                "Write your lists, with their whole Activity, to a file.",
                de: "Deine Listen mit ihrem ganzen Verlauf in eine Datei schreiben."),
            discussion: discussion(
                """
                It comes from the service: sync first, so that nothing of yours is still on its way.

                With --as it is one list, as this device has it, in a form that other programs read: a Markdown checklist, CSV or JSON.
                """,
                de: """
                    Das kommt vom Dienst: Gleiche zuerst ab, damit von dir nichts mehr unterwegs ist.

                    Mit --as ist es eine Liste, wie dieses Gerät sie hat, in einer Form, die andere Programme lesen: eine \
                    Checkliste in Markdown, CSV oder JSON.
                    """,
                examples: """
                    trolley export --output my-lists.json
                    trolley export --as markdown
                    trolley export --as csv --list Party --output party.csv
                    """))
    }

    @Option(
        help: .localized(
            "The file, which only you will be able to read; else it goes to standard output.",
            de: "Die Datei, die nur du lesen kannst; sonst geht es auf die Standardausgabe."))
    var output: String?

    @Option(
        name: .customLong("as"),
        help: .localized(
            "One list, in this form: markdown, csv or json.", de: "Eine Liste, in dieser Form: markdown, csv oder json."
        ),
        completion: .list(["markdown", "csv", "json"]), transform: { try DocumentForm.named($0) })
    var form: DocumentForm?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if list.list != nil, form == nil {
            throw ValidationError(
                localized(
                    "Say in which form: --as markdown, csv or json.",
                    de: "Sag, in welcher Form: --as markdown, csv oder json."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        if let form { return try await exportList(as: form, of: device, console) }
        let json = try await device.account.export()
        // Detects a truncated response now rather than at the import.
        let document: ImportDocument
        do {
            document = try ImportDocument(json: json)
        } catch {
            throw CommandError.badFile(
                localized("the service's answer", de: "Die Antwort des Dienstes"), error.words)
        }
        guard let output else { return Terminal.print(json: json) }
        try write(json, to: output)
        let lists = console.count(document.lists.count, .list)
        console.say(localized("\(lists) written to \(output).", de: "\(lists) in \(output) geschrieben."))
        console.answer { writer in
            writer.member("file", output)
            writer.member("lists", document.lists.count)
        }
    }

    private func exportList(as form: DocumentForm, of device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let document = try await device.list(list.id).document()
        let text = document.text(as: form)
        if let output {
            try write(Array(text.utf8), to: output)
            let items = console.count(document.items.count, .item)
            console.say(localized("\(items) written to \(output).", de: "\(items) in \(output) geschrieben."))
        } else if !console.json {
            Terminal.write(document: text)
        }
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("form", form.rawValue)
            writer.member("items", document.items.count)
            if let output { writer.member("file", output) } else { writer.member("text", text) }
        }
    }

    private func write(_ bytes: [UInt8], to file: String) throws(CommandError) {
        let isWritten = FileManager.default.createFile(
            atPath: file, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        guard isWritten else {
            throw .badFile(file, localized("it can't be written", de: "Sie lässt sich nicht schreiben"))
        }
    }
}

extension DocumentForm {
    /// The form that an option names.
    static func named(_ text: String) throws(ValidationError) -> DocumentForm {
        guard let form = DocumentForm(rawValue: text.lowercased()) else {
            throw ValidationError(
                localized("Give one of markdown, csv and json.", de: "Gib markdown, csv oder json an."))
        }
        return form
    }
}
