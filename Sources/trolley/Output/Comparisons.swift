import TrolleyJournal
import TrolleyWire

/// Compares several diagnostic files, each with the first.
struct Comparisons {
    let files: [String]
    let dumps: [Dump]

    func show(json: Bool) {
        guard json else {
            for index in dumps.indices.dropFirst() { say(index) }
            return
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("comparisons")
            writer.array { writer in
                for index in dumps.indices.dropFirst() { writer.object { write(index, to: &$0) } }
            }
        }
        Terminal.print(json: writer.bytes)
    }

    // MARK: For a person

    private func say(_ index: Int) {
        let (left, right) = (dumps[0], dumps[index])
        Terminal.print(localized("left:  \(files[0]) (\(left.source))", de: "links:  \(files[0]) (\(left.source))"))
        Terminal.print(
            localized("right: \(files[index]) (\(right.source))", de: "rechts: \(files[index]) (\(right.source))"))
        let (both, onlyLeft, onlyRight) = ListComparison.of(left, right)
        for (side, lists) in [
            (localized("left", de: "links"), onlyLeft), (localized("right", de: "rechts"), onlyRight),
        ] {
            for list in lists {
                let id = list.id?.description ?? "?"
                Terminal.print(
                    "\n" + localized("list \(id) is only on the \(side)", de: "Die Liste \(id) ist nur \(side)"))
            }
        }
        for comparison in both {
            let id = (comparison.left.id ?? comparison.right.id)?.description
            Terminal.print(
                "\n"
                    + localized(
                        "list \(id ?? "of entries")", de: id.map { "Liste \($0)" } ?? "Liste aus Einträgen"))
            Terminal.print(localized("  left:  \(comparison.left.facts)", de: "  links:  \(comparison.left.facts)"))
            Terminal.print(localized("  right: \(comparison.right.facts)", de: "  rechts: \(comparison.right.facts)"))
            for line in comparison.verdict { Terminal.print("  \(line)") }
        }
    }

    // MARK: For a program

    private func write(_ index: Int, to writer: inout JSONWriter) {
        let (both, onlyLeft, onlyRight) = ListComparison.of(dumps[0], dumps[index])
        writer.member("left", files[0])
        writer.member("right", files[index])
        for (name, lists) in [("onlyLeft", onlyLeft), ("onlyRight", onlyRight)] {
            writer.key(name)
            writer.array { writer in
                for list in lists { if let id = list.id { writer.identifier(id) } else { writer.null() } }
            }
        }
        writer.key("lists")
        writer.array { writer in
            for comparison in both { writer.object { comparison.write(to: &$0) } }
        }
    }
}

extension ListComparison {
    /// The result of the comparison, in sentences.
    fileprivate var verdict: [String] {
        var lines: [String] = []
        switch hasSameState {
        case true:
            lines.append(
                localized(
                    "Both show the same through change \(through.rawValue).",
                    de: "Beide zeigen dasselbe bis zur Änderung \(through.rawValue)."))
        case false:
            lines.append(
                localized(
                    "They show different lists through change \(through.rawValue).",
                    de: "Sie zeigen verschiedene Listen bis zur Änderung \(through.rawValue)."))
        case nil:
            lines.append(
                localized(
                    "One side has more changes, so their states can't be compared. Sync both, or use --with-content.",
                    de: """
                        Eine Seite hat mehr Änderungen, darum lassen sich die Stände nicht vergleichen. Gleiche beide ab, oder nimm \
                        --with-content.
                        """))
        }
        guard let first = divergences.first else {
            lines.append(
                localized(
                    "They have the same entries as far as both go.",
                    de: "Sie haben dieselben Änderungen, so weit beide reichen."))
            return lines
        }
        if hasSameState == true {
            lines.append(
                localized(
                    "Their entries differ in \(divergences.count) places: compression removed entries on one side.",
                    de: """
                        Ihre Änderungen unterscheiden sich an \(divergences.count) Stellen: Auf einer Seite wurde verdichtet.
                        """))
            return lines
        }
        lines.append(
            localized(
                "They part at change \(first.sequence.rawValue): \(first.sentence) (\(operation(of: first))).",
                de: """
                    Sie trennen sich bei der Änderung \(first.sequence.rawValue): \(first.sentence) (\(operation(of: first))).
                    """))
        if divergences.count > 1 {
            lines.append(
                localized(
                    "After it \(divergences.count - 1) more entries differ.",
                    de: "Danach unterscheiden sich \(divergences.count - 1) weitere."))
        }
        if let firstShown {
            lines.append(
                localized(
                    "They show different lists from change \(firstShown.rawValue) on.",
                    de: "Von der Änderung \(firstShown.rawValue) an zeigen sie verschiedene Listen."))
        }
        return lines
    }

    private func operation(of divergence: Divergence) -> String {
        (left.entries + right.entries).first { $0.id == divergence.id }?.operation ?? "?"
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("list", left.id ?? right.id)
        writer.key("left")
        writer.object { left.writeFacts(to: &$0) }
        writer.key("right")
        writer.object { right.writeFacts(to: &$0) }
        writer.member("through", Int(through.rawValue))
        writer.member("showTheSame", hasSameState)
        writer.member("showDifferentFrom", firstShown)
        writer.member("differing", divergences.count)
        writer.key("first")
        guard hasSameState != true, let first = divergences.first else { return writer.null() }
        writer.object { writer in
            writer.member("sequence", Int(first.sequence.rawValue))
            writer.member("entry", first.id)
            writer.member("operation", operation(of: first))
            writer.member("what", first.kind.rawValue)
        }
    }
}

extension Divergence {
    fileprivate var sentence: String {
        switch kind {
        case .missingLeft: localized("entry \(id) is missing on the left", de: "die Änderung \(id) fehlt links")
        case .missingRight: localized("entry \(id) is missing on the right", de: "die Änderung \(id) fehlt rechts")
        case .differs: localized("entry \(id) differs", de: "die Änderung \(id) ist verschieden")
        }
    }
}

extension Dump.List {
    /// The list's facts in one line.
    var facts: String {
        let entries = localized(
            "\(entries.count) entries\(omitted > 0 ? " (\(omitted) older ones not in the file)" : "")",
            de: Noun.change.counted(entries.count) + (omitted > 0 ? " (\(omitted) ältere nicht in der Datei)" : ""))
        return localized(
            "through change \(through.rawValue), \(entries), digest \(digest?.description ?? "not known")",
            de: "bis zur Änderung \(through.rawValue), \(entries), Prüfsumme \(digest?.description ?? "unbekannt")")
    }

    func writeFacts(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("through", Int(through.rawValue))
        writer.member("entries", entries.count)
        writer.member("entriesOmitted", omitted)
        writer.member("digest", digest?.description)
    }
}
