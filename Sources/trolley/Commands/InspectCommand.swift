public import ArgumentParser
import TrolleyJournal
public import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Folds, compresses and digests a file of entries; for developers, and for what a diagnostic export holds.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Fold a file of entries, without any service: state, digest, what compression would discard and why.",
        discussion: """
            The file is {"entries": [entries as the service sends them]}.

            Example:
              trolley inspect entries.json
              trolley inspect entries.json --older-than 14d --now 2026-03-01T09:30:00.000Z --json
            """)

    @Argument(help: "The file.")
    var file: String

    @Option(help: ArgumentHelp("What compression takes for old: 14d, 3h, 30m or 90s.", valueName: "age"))
    var olderThan = Age(days: 14)

    @Option(
        help: ArgumentHelp("Reckon from this moment (RFC 3339), not from now.", valueName: "time"),
        transform: InspectCommand.time)
    var now: Timestamp?

    @Option(help: ArgumentHelp("Pass over entries of a later sequence.", valueName: "sequence"))
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
        do {
            let bytes = Array(try Data(contentsOf: URL(filePath: file)))
            let document = try JSONReader.read(bytes) { reader throws(WireError) in
                try EntriesDocument(from: &reader)
            }
            let now = now ?? Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            show(
                Inspection(
                    of: document.entries, through: through.map { SequenceNumber(rawValue: $0) },
                    olderThan: now.advanced(byMilliseconds: -olderThan.milliseconds)))
        } catch let error as WireError {
            fail("\(file): \(error)")
            throw ExitCode.failure
        } catch {
            fail("\(file) can't be read. Check that it is there and is yours to read.")
            throw ExitCode.failure
        }
    }

    private func show(_ inspection: Inspection) {
        if json {
            var writer = JSONWriter()
            inspection.write(to: &writer)
            return Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
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

    private func fail(_ sentence: String) {
        Terminal.warn("Error: \(sentence)")
        guard json else { return }
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("error")
            writer.object { writer in
                writer.key("message")
                writer.string(sentence)
            }
        }
        Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension Item {
    /// The item with all its fields, for a developer.
    fileprivate func inspectedLine(_ terminal: Terminal) -> String {
        var writer = JSONWriter()
        fields.write(to: &writer)
        let line = "  \(id)  \(markedOff ? "[x]" : "[ ]")  \(String(decoding: writer.bytes, as: UTF8.self))"
        return markedOff ? terminal.dim(line) : line
    }
}

extension Age: ExpressibleByArgument {}
