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

            Example:
              trolley export --output my-lists.json
            """)

    @Option(help: "The file, which only you will be able to read; else it goes to standard output.")
    var output: String?

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let json = try await device.export()
        // Detects a truncated response now rather than at the import.
        let document: ImportDocument
        do {
            document = try ImportDocument(json: json)
        } catch {
            throw CommandError.badFile("the service's answer", "\(error)")
        }
        guard let output else { return Terminal.print(String(decoding: json, as: UTF8.self)) }
        let isWritten = FileManager.default.createFile(
            atPath: output, contents: Data(json), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw CommandError.badFile(output, "it can't be written") }
        console.say("\(console.count(document.lists.count, "list")) written to \(output).")
        console.answer { writer in
            writer.member("file", output)
            writer.member("lists", document.lists.count)
        }
    }
}
