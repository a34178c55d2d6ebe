import ArgumentParser
import TrolleyClient
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ExportCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write your lists, with their whole Activity, to a file.",
        discussion: """
            It comes from the service: sync first, so that nothing of yours is still on its way.

            With --as it is one list, as this device has it, in a form that other programs read: a Markdown checklist, CSV or JSON.

            Example:
              trolley export --output my-lists.json
              trolley export --as markdown
              trolley export --as csv --list Party --output party.csv
            """)

    @Option(help: "The file, which only you will be able to read; else it goes to standard output.")
    var output: String?

    @Option(
        name: .customLong("as"), help: "One list, in this form: markdown, csv or json.",
        completion: .list(["markdown", "csv", "json"]), transform: { try DocumentForm.named($0) })
    var form: DocumentForm?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if list.list != nil, form == nil { throw ValidationError("Say in which form: --as markdown, csv or json.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        if let form { return try await exportList(as: form, of: device, console) }
        let json = try await device.account.export()
        // Detects a truncated response now rather than at the import.
        let document: ImportDocument
        do {
            document = try ImportDocument(json: json)
        } catch {
            throw CommandError.badFile("the service's answer", "\(error)")
        }
        guard let output else { return Terminal.print(json: json) }
        try write(json, to: output)
        console.say("\(console.count(document.lists.count, "list")) written to \(output).")
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
            console.say("\(console.count(document.items.count, "item")) written to \(output).")
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
        guard isWritten else { throw .badFile(file, "it can't be written") }
    }
}

extension DocumentForm {
    /// The form that an option names.
    static func named(_ text: String) throws(ValidationError) -> DocumentForm {
        guard let form = DocumentForm(rawValue: text.lowercased()) else {
            throw ValidationError("Give one of markdown, csv and json.")
        }
        return form
    }
}
