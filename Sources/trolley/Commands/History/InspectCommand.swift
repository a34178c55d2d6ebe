public import ArgumentParser
import TrolleyClient
import TrolleyJournal
public import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Folds, compresses and digests a file of entries, and compares two diagnostic files. For developers and operators.
struct InspectCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "inspect",
            abstract: localized(
                "Show or compare diagnostic files without a service.",
                de: "Diagnosedateien ohne Dienst zeigen oder vergleichen."),
            discussion: discussion(
                """
                A file is the output of 'trolley diagnostics' or 'trolleyd diagnostics --json', or {"entries": [entries as
                the service sends them]}. A file of entries is folded: its state, its digest, and the entries that
                compression would discard, with reasons. Several files are compared, each with the first, up to the first
                entry that differs.
                """,
                de: """
                    Eine Datei ist die Ausgabe von „trolley diagnostics“ oder „trolleyd diagnostics --json“ oder {"entries": \
                    [Änderungen, wie der Dienst sie sendet]}. Eine Datei mit Änderungen wird gefaltet: ihr Stand, ihre \
                    Prüfsumme und die Änderungen, die das Verdichten verwerfen würde, mit Gründen. Mehrere Dateien werden \
                    verglichen, jede mit der ersten, bis zur ersten Änderung, die verschieden ist.
                    """,
                examples: """
                    trolley inspect entries.json
                    trolley inspect entries.json --older-than 14d --now 2026-03-01T09:30:00.000Z --json
                    trolley inspect my-phone.json service.json
                    """))
    }

    @Argument(help: .localized("The files.", de: "Die Dateien."))
    var files: [String]

    @Option(
        help: ArgumentHelp(
            localized(
                "The age from which entries are compressed: 14d, 3h, 30m or 90s.",
                de: "Das Alter, ab dem verdichtet wird: 14d, 3h, 30m oder 90s."), valueName: "age"))
    var olderThan = Age(days: 14)

    @Option(
        help: ArgumentHelp(
            localized("The present time to assume (RFC 3339).", de: "Die Zeit, die als jetzt gilt (RFC 3339)."),
            valueName: "time"),
        transform: InspectCommand.time)
    var now: Timestamp?

    @Option(
        help: ArgumentHelp(
            localized("Ignore entries with a later sequence.", de: "Änderungen mit einer höheren Nummer weglassen."),
            valueName: "sequence"),
        transform: { Int64(try wholeNumber($0, from: 0, suchAs: 42)) })
    var through: Int64?

    @Flag(help: .localized("Print one JSON document.", de: "Ein JSON-Dokument ausgeben."))
    var json = false

    private static func time(_ text: String) throws -> Timestamp {
        guard let time = Timestamp(text) else {
            throw ValidationError(
                localized(
                    "'\(text)' is not a time like 2026-03-01T09:30:00Z.",
                    de: "„\(text)“ ist keine Zeit wie 2026-03-01T09:30:00Z."))
        }
        return time
    }

    func run() throws {
        var dumps: [Dump] = []
        for file in files {
            do {
                let bytes = Array(try Data(contentsOf: URL(filePath: file)))
                guard bytes.isObject else {
                    return try fail(
                        localized(
                            "\(file) is not a diagnostic file of Trolley.",
                            de: "\(file) ist keine Diagnosedatei von Trolley."))
                }
                dumps.append(try Dump(json: bytes))
            } catch let error as ExitCode {
                throw error
            } catch let error as WireError {
                return try fail("\(file): \(error.words)")
            } catch {
                return try fail(
                    localized(
                        "\(file) can't be read. Check that it exists and that you may read it.",
                        de: "\(file) lässt sich nicht lesen. Gibt es die Datei, und darfst du sie lesen?"))
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
        Terminal.print(
            terminal.bold(inspection.state.name ?? ListSummary.unnamed) + "  \(inspection.state.colour ?? "")")
        for item in inspection.state.items { Terminal.print(item.inspectedLine(terminal)) }
        Terminal.print(localized("digest \(inspection.digest)", de: "Prüfsumme \(inspection.digest)"))
        Terminal.print(
            localized(
                "compression discards \(inspection.compression.discarded.count)",
                de: "das Verdichten verwirft \(inspection.compression.discarded.count)"))
        for discard in inspection.compression.discarded { Terminal.print("  \(discard.id)  \(discard.why.rawValue)") }
        for anchor in inspection.compression.anchors {
            let after = anchor.after?.description
            Terminal.print(
                localized(
                    "  \(anchor.id)  now follows \(after ?? "the top")",
                    de: "  \(anchor.id)  steht jetzt \(after.map { "hinter \($0)" } ?? "ganz oben")"))
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
        Terminal.print(
            localized(
                "\(dump.source), \(dump.lists.count) lists",
                de: "\(dump.source), \(Noun.list.counted(dump.lists.count))"))
        for list in dump.lists {
            Terminal.print("\(list.id?.description ?? localized("a list", de: "eine Liste")): \(list.facts)")
        }
    }

    private func fail(_ sentence: String) throws {
        Terminal.warn(localized("Error: \(sentence)", de: "Fehler: \(sentence)"))
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
