public import ArgumentParser
import TrolleyJournal
public import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Folds, compresses and digests a file of entries, and compares two diagnostic files. For developers and operators.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show or compare diagnostic files without a service.",
        discussion: """
            A file is the output of 'trolley diagnostics' or 'trolleyd diagnostics --json', or {"entries": [entries as
            the service sends them]}. A file of entries is folded: its state, its digest, and the entries that
            compression would discard, with reasons. Several files are compared, each with the first, up to the first
            entry that differs.

            Example:
              trolley inspect entries.json
              trolley inspect entries.json --older-than 14d --now 2026-03-01T09:30:00.000Z --json
              trolley inspect my-phone.json service.json
            """)

    @Argument(help: "The files.")
    var files: [String]

    @Option(help: ArgumentHelp("The age from which entries are compressed: 14d, 3h, 30m or 90s.", valueName: "age"))
    var olderThan = Age(days: 14)

    @Option(
        help: ArgumentHelp("The present time to assume (RFC 3339).", valueName: "time"),
        transform: InspectCommand.time)
    var now: Timestamp?

    @Option(
        help: ArgumentHelp("Ignore entries with a later sequence.", valueName: "sequence"),
        transform: { Int64(try wholeNumber($0, from: 0, suchAs: 42)) })
    var through: Int64?

    @Flag(help: "Print one JSON document.")
    var json = false

    private static func time(_ text: String) throws -> Timestamp {
        guard let time = Timestamp(text) else {
            throw ValidationError("'\(text)' is not a time like 2026-03-01T09:30:00Z.")
        }
        return time
    }

    func run() throws {
        var dumps: [Dump] = []
        for file in files {
            do {
                let bytes = Array(try Data(contentsOf: URL(filePath: file)))
                guard bytes.isObject else { return try fail("\(file) is not a diagnostic file of Trolley.") }
                dumps.append(try Dump(json: bytes))
            } catch let error as ExitCode {
                throw error
            } catch let error as WireError {
                return try fail("\(file): \(error)")
            } catch {
                return try fail("\(file) can't be read. Check that it exists and that you may read it.")
            }
        }
        if dumps.count > 1 { return Comparisons(files: files, dumps: dumps).show(json: json) }
        // A file that contains only entries is folded.
        if dumps[0].lists.count == 1, dumps[0].lists[0].id == nil, let entries = dumps[0].lists[0].content {
            let now = now ?? Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            show(
                Inspection(
                    of: entries, through: through.map { SequenceNumber(rawValue: $0) },
                    olderThan: now.advanced(byMilliseconds: -olderThan.milliseconds)))
        } else {
            show(dumps[0])
        }
    }

    private func show(_ inspection: Inspection) {
        if json {
            var writer = JSONWriter()
            inspection.write(to: &writer)
            return Terminal.print(json: writer.bytes)
        }
        let terminal = Terminal()
        Terminal.print(terminal.bold(inspection.state.name ?? "(no name)") + "  \(inspection.state.colour ?? "")")
        for item in inspection.state.items { Terminal.print(item.inspectedLine(terminal)) }
        Terminal.print("digest \(inspection.digest)")
        Terminal.print("compression discards \(inspection.compression.discarded.count)")
        for discard in inspection.compression.discarded { Terminal.print("  \(discard.id)  \(discard.why.rawValue)") }
        for anchor in inspection.compression.anchors {
            Terminal.print("  \(anchor.id)  now follows \(anchor.after?.description ?? "the top")")
        }
    }

    /// Shows the contents of one diagnostic file.
    private func show(_ dump: Dump) {
        if json {
            var writer = JSONWriter()
            writer.object { writer in
                writer.member("source", dump.source)
                writer.key("lists")
                writer.array { writer in
                    for list in dump.lists { writer.object { list.writeFacts(to: &$0) } }
                }
            }
            return Terminal.print(json: writer.bytes)
        }
        Terminal.print("\(dump.source), \(dump.lists.count) lists")
        for list in dump.lists { Terminal.print("\(list.id?.description ?? "a list"): \(list.facts)") }
    }

    private func fail(_ sentence: String) throws {
        Terminal.warn("Error: \(sentence)")
        if json {
            var writer = JSONWriter()
            writer.object { writer in
                writer.key("error")
                writer.object { $0.member("message", sentence) }
            }
            Terminal.print(json: writer.bytes)
        }
        throw ExitCode.failure
    }
}

extension Item {
    /// The item with all its fields, for developers.
    fileprivate func inspectedLine(_ terminal: Terminal) -> String {
        var writer = JSONWriter()
        fields.write(to: &writer)
        let line = "  \(id)  \(markedOff ? "[x]" : "[ ]")  \(String(decoding: writer.bytes, as: UTF8.self))"
        return markedOff ? terminal.dim(line) : line
    }
}

extension Age: ExpressibleByArgument {}
