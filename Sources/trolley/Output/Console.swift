import ArgumentParser
import Synchronization
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// The output of a command: text for a person, or one JSON document for a program.
struct Console {
    /// Takes a document instead of standard output.
    final class Capture: Sendable {
        private let state = Mutex("")

        var document: String { state.withLock { $0 } }

        fileprivate func take(_ document: [UInt8]) {
            state.withLock { $0 = String(decoding: document, as: UTF8.self) }
        }
    }

    let json: Bool
    var capture: Capture?
    let terminal = Terminal()

    /// Prints text, unless the output is JSON.
    func say(_ text: @autoclosure () -> String) {
        if !json { Terminal.print(text()) }
    }

    /// Prints a list's rows, unless the output is JSON.
    func say(_ rows: [ShownRow]) {
        if json { return }
        for line in ItemTable(rows: rows, terminal: terminal).lines() { Terminal.print(line) }
    }

    /// Prints the JSON document with these members, if the output is JSON.
    func answer(_ members: (inout JSONWriter) -> Void) {
        guard json else { return }
        var writer = JSONWriter()
        writer.object { members(&$0) }
        if let capture { capture.take(writer.bytes) } else { Terminal.print(json: writer.bytes) }
    }

    /// Prints an error on standard error, and in the JSON document.
    func fail(_ error: any Error) {
        let sentence = (error as? any Advised)?.sentence ?? "\(error)"
        Terminal.warn(localized("Error: \(sentence)", de: "Fehler: \(sentence)"))
        answer { writer in
            writer.key("error")
            writer.object { writer in
                if let code = (error as? any Advised)?.message.code { writer.member("code", code.rawValue) }
                writer.key("message")
                writer.string(sentence)
                if let error = error as? CommandError { error.writeCandidates(to: &writer) }
            }
        }
    }
}

extension CommandError {
    /// The candidates for an ambiguous name.
    fileprivate func writeCandidates(to writer: inout JSONWriter) {
        switch self {
        case .ambiguousItem(_, let candidates):
            writer.key("candidates")
            writer.array { writer in
                for candidate in candidates {
                    writer.object { writer in
                        writer.member("id", candidate.item.id)
                        writer.member("position", candidate.position)
                        writer.member("text", candidate.item.text)
                    }
                }
            }
        case .ambiguousList(_, let candidates):
            writer.key("candidates")
            writer.array { writer in
                for candidate in candidates {
                    writer.object { writer in
                        writer.member("id", candidate.id)
                        writer.member("name", candidate.name)
                    }
                }
            }
        default: break
        }
    }
}

extension Console {
    /// Prints, after a change, how many changes wait or were refused, and why.
    func say(_ report: SyncReport) {
        sayRefused(report)
        guard report.waiting > 0 else { return }
        sayWaiting(report.waiting, report.failure?.words() ?? "")
    }

    func sayRefused(_ report: SyncReport) {
        guard report.rejected > 0 else { return }
        let changes = count(report.rejected, .change)
        say(localized("\(changes) refused. See: trolley queue", de: "Abgelehnt: \(changes). Siehe: trolley queue"))
    }

    /// - Parameter why: a sentence; nil if the number alone is said.
    func sayWaiting(_ waiting: Int, _ why: String? = nil) {
        let changes = count(waiting, .change)
        say(
            localized("\(changes) waiting to be sent.", de: "Noch zu senden: \(changes).")
                + (why.map { " \($0)" } ?? ""))
    }

    /// Fetches others' changes if possible, because they count, for a command that goes back. It sends what waits, too: if any of
    /// that is refused on the list, the command ends here, because the last change is no longer the one that the person means.
    func fetchFirst(for list: ListSummary, on device: Device) async throws {
        let earlier = Set(try await device.queues().rejected.map(\.entry.id))
        let report = try await device.syncAfterChange()
        if report.rejected == 0 { return }
        let refused = try await device.queues().rejected.filter { $0.list == list.id }
        if earlier.isSuperset(of: refused.map(\.entry.id)) { return }
        say(report)
        say(
            localized(
                "Nothing else was done. Look at that first.",
                de: "Sonst ist nichts passiert. Sieh dir das erst an."))
        answer { writer in
            writer.member("list", list.id)
            writer.waiting(report)
        }
        try finishChange(report)
    }

    /// Ends a command that has made a change: it fails if the service refused it.
    func finishChange(_ report: SyncReport) throws(ExitCode) {
        if report.rejected > 0 { throw .failure }
    }

    func count(_ number: Int, _ noun: Noun) -> String { noun.counted(number) }
}

extension JSONWriter {
    /// The member `waiting`: entries that the service has not confirmed yet, on all lists.
    mutating func waiting(_ report: SyncReport) {
        member("waiting", report.waiting)
        guard report.rejected > 0 else { return }
        member("refused", report.rejected)
        key("error")
        object { $0.member("message", "The service refused \(report.rejected) of the changes. See: trolley queue") }
    }
}
