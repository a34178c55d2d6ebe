import ArgumentParser
import TrolleyClient
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ImportCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make lists of your own from the file that an export wrote.",
        discussion: """
            They show what the lists in the file showed, and are shared with nobody. Doing it again doubles nothing. A file with
            anything wrong in it is refused whole.

            Example:
              trolley import my-lists.json
            """)

    @Argument(help: "The file.")
    var file: String

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let document: ImportDocument
        do {
            let bytes = Array(try Data(contentsOf: URL(filePath: file)))
            guard bytes.isObject else {
                throw CommandError.badFile(file, "it is not what 'trolley export' writes. Nothing was imported")
            }
            document = try ImportDocument(json: bytes)
        } catch let error as CommandError {
            throw error
        } catch let error as WireError {
            throw CommandError.badFile(file, "\(error). Nothing was imported")
        } catch {
            throw CommandError.badFile(file, "it can't be read; check that it is there and is yours to read")
        }
        let lists = try await device.importLists(document)
        for list in lists { console.say("\(list.name ?? "(no name)"): \(list.sentence)") }
        let report = try await device.sync(.byHand)
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
