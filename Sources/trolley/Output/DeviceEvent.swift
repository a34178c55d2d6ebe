import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// An event of this device in the Activity: syncing failed, or a change was refused.
struct DeviceEvent: Hashable {
    var at: Timestamp
    var code: String
    /// The event as a line, for a person.
    var sentence: String
}

extension Device {
    /// This device's own events, newest first. Failed syncs concern no single list: they are told once, on the current one.
    func events(of list: ListSummary) async throws -> [DeviceEvent] {
        let failures = list.isCurrent ? try await syncErrors().map { DeviceEvent($0) } : []
        let refused = try await queues().rejected.filter { $0.list == list.id }.map { DeviceEvent($0) }
        return (failures + refused).sorted { $0.at > $1.at }
    }
}

extension DeviceEvent {
    fileprivate init(_ period: SyncErrorPeriod) {
        let end =
            period.isOver
            ? localized("It is over.", de: "Das ist vorbei.")
            : period.tries > 1
                ? localized("Last \(period.until.words).", de: "Zuletzt \(period.until.words).") : ""
        let tries =
            period.tries == 1 ? "" : localized(" (\(period.tries) tries)", de: " (\(period.tries) Versuche)")
        let why = localized(period.sentence, de: period.germanSentence)
        self.init(
            at: period.at, code: period.code,
            sentence: localized("This device could not sync\(tries): ", de: "Der Abgleich ging nicht\(tries): ") + why
                + (end.isEmpty ? "" : " " + end))
    }

    fileprivate init(_ rejected: RejectedEntry) {
        let what =
            rejected.entry.fields[Fields.text]?.string.map { localized("'\($0)'", de: "„\($0)“") }
            ?? localized("a change", de: "eine Änderung")
        let operation = rejected.entry.operation.words
        self.init(
            at: rejected.rejectedAt, code: rejected.code.rawValue,
            sentence: localized(
                "The service refused \(what) (\(operation)). See: trolley queue",
                de: "Der Dienst hat \(what) abgelehnt (\(operation)). Siehe: trolley queue"))
    }

    /// Whether it belongs on a page: not older than the page's oldest change, except on the last page, and not newer than
    /// its newest change, except on the first page.
    func isOn(_ page: ActivityPage, isFirst: Bool) -> Bool {
        if page.next != nil, let last = page.activity.last, at < last.at { return false }
        if !isFirst, let first = page.activity.first, at > first.at { return false }
        return true
    }

    func line(_ terminal: Terminal) -> String { terminal.dim(at.words) + "  " + terminal.yellow(sentence) }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("at")
            writer.timestamp(at)
            writer.member("code", code)
            writer.member("sentence", sentence)
        }
    }
}
