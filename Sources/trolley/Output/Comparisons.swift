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
        Terminal.print("left:  \(files[0]) (\(left.source))")
        Terminal.print("right: \(files[index]) (\(right.source))")
        let (both, onlyLeft, onlyRight) = ListComparison.of(left, right)
        for (side, lists) in [("left", onlyLeft), ("right", onlyRight)] {
            for list in lists { Terminal.print("\nlist \(list.id?.description ?? "?") is only on the \(side)") }
        }
        for comparison in both {
            Terminal.print("\nlist \((comparison.left.id ?? comparison.right.id)?.description ?? "of entries")")
            Terminal.print("  left:  \(comparison.left.facts)")
            Terminal.print("  right: \(comparison.right.facts)")
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
        case true: lines.append("Both show the same through change \(through.rawValue).")
        case false: lines.append("They show different lists through change \(through.rawValue).")
        case nil:
            lines.append(
                "One side has more changes, so their states can't be compared. Sync both, or use --with-content.")
        }
        guard let first = divergences.first else {
            lines.append("They have the same entries as far as both go.")
            return lines
        }
        if hasSameState == true {
            lines.append(
                "Their entries differ in \(divergences.count) places: compression removed entries on one side.")
            return lines
        }
        lines.append("They part at change \(first.sequence.rawValue): \(first.sentence) (\(operation(of: first))).")
        if divergences.count > 1 { lines.append("After it \(divergences.count - 1) more entries differ.") }
        if let firstShown { lines.append("They show different lists from change \(firstShown.rawValue) on.") }
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
        case .missingLeft: "entry \(id) is missing on the left"
        case .missingRight: "entry \(id) is missing on the right"
        case .differs: "entry \(id) differs"
        }
    }
}

extension Dump.List {
    /// The list's facts in one line.
    var facts: String {
        let entries = "\(entries.count) entries\(omitted > 0 ? " (\(omitted) older ones not in the file)" : "")"
        return "through change \(through.rawValue), \(entries), digest \(digest?.description ?? "not known")"
    }

    func writeFacts(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("through", Int(through.rawValue))
        writer.member("entries", entries.count)
        writer.member("entriesOmitted", omitted)
        writer.member("digest", digest?.description)
    }
}
