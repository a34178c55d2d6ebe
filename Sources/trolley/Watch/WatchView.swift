import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// The content of `watch`: the list, both queues, the other people on it now, and the state of the sync.
struct WatchView: Hashable {
    var state: ListState
    /// The list's rows in the order of their numbers; nil: the items of `state`.
    var rows: [ShownRow]?
    var upload: [JournalEntry]
    var toApply: [JournalEntry]
    /// Whether the list is only on this device.
    var isLocal: Bool
    /// The number of waiting entries on all lists.
    var waiting: Int
    /// The others who have the list open.
    var peoplePresent: [String]
    /// What the others do right now, one line each: 'Alice is looking at milk', and changes that are not in the list yet.
    var live: [String] = []
    /// Whether others are in the list's room.
    var isInRoom = false
    /// The item that this person looks at, by its row; nil: none.
    var lookingAt: String?
    /// Lists that left the device.
    var notices: [Notice]
    var refused: Int
    /// What others did in sessions that have ended, one line each.
    var summaries: [String] = []
    /// The last messages, one line each.
    var messages: [String] = []
    /// The state of the sync, or its error.
    var sync: String
    /// The number of items above the screen.
    var scrolled = 0

    static let maximumMessages = 3

    /// The lines of the screen, fitted to its size.
    func lines(columns: Int, rows: Int, _ terminal: Terminal) -> [String] {
        let head = headLines(columns, terminal)
        let foot = footLines(columns, terminal)
        let room = max(1, rows - head.count - foot.count)
        let shown = self.rows ?? state.items.map { ShownRow(item: $0) }.byAisle(state.aisles)
        let items = ItemTable(rows: shown, terminal: terminal).lines(width: columns)
        let first = min(scrolled, max(0, items.count - room))
        var body = Array(items.dropFirst(first).prefix(room))
        if first + body.count < items.count, !body.isEmpty {
            body[body.count - 1] = terminal.dim(
                localized(
                    "… and \(items.count - first - body.count + 1) more (j, k)",
                    de: "… und \(items.count - first - body.count + 1) weitere (j, k)"
                ).fitted(to: columns))
        }
        if items.isEmpty { body = [terminal.dim(localized("(nothing on it)", de: "(nichts darauf)"))] }
        let padding = Array(repeating: "", count: max(0, room - body.count))
        return Array((head + body + padding + foot).prefix(rows))
    }

    private func headLines(_ columns: Int, _ terminal: Terminal) -> [String] {
        let wanted = state.items.count { !$0.markedOff }
        let title = "\(state.name ?? ListSummary.unnamed)  \(ListSummary.toBuy(wanted))".fitted(to: columns)
        var lines = [terminal.bold(title), terminal.dim(sync.fitted(to: columns))]
        let new = toApply.filter { $0.operation == .add }
        if !new.isEmpty {
            let texts = new.compactMap { $0.fields[Fields.text]?.string }.joined(separator: ", ")
            lines.append(
                terminal.yellow(
                    localized(
                        "▲ \(new.count) new: \(texts) (t shows them)", de: "▲ \(new.count) neu: \(texts) (t zeigt sie)"
                    ).fitted(to: columns)))
        }
        lines += summaries.prefix(2).map { terminal.yellow($0.fitted(to: columns)) }
        for notice in notices {
            let name = notice.listName ?? notice.list.description
            lines.append(
                terminal.yellow(
                    localized(
                        "'\(name)' left. \(notice.reason.words)",
                        de: "„\(name)“ ist nicht mehr hier. \(notice.reason.words)"
                    ).fitted(to: columns)))
        }
        if !notices.isEmpty {
            lines.append(
                terminal.dim(
                    localized(
                        "To dismiss this: trolley queue --dismiss", de: "Um das auszublenden: trolley queue --dismiss"
                    ).fitted(to: columns)))
        }
        return lines + [""]
    }

    private func footLines(_ columns: Int, _ terminal: Terminal) -> [String] {
        var queues = [
            isLocal
                ? localized("on this device alone", de: "nur auf diesem Gerät")
                : localized("to send: \(upload.shortSummary)", de: "zu senden: \(upload.shortSummary)"),
            localized("to apply: \(toApply.shortSummary)", de: "zu übernehmen: \(toApply.shortSummary)"),
        ]
        if waiting > upload.count, !isLocal {
            queues.append(
                localized(
                    "\(waiting - upload.count) on other lists", de: "\(waiting - upload.count) auf anderen Listen"))
        }
        if refused > 0 {
            queues.append(localized("\(refused) refused (trolley queue)", de: "\(refused) abgelehnt (trolley queue)"))
        }
        var lines = ["", queues.joined(separator: " · ").fitted(to: columns)]
        if !peoplePresent.isEmpty {
            lines.append(
                terminal.green(
                    localized(
                        "here: \(peoplePresent.joined(separator: ", "))",
                        de: "gerade da: \(peoplePresent.joined(separator: ", "))"
                    ).fitted(to: columns)))
        }
        lines += messages.map { $0.fitted(to: columns) }
        lines += live.prefix(4).map { terminal.dim($0.fitted(to: columns)) }
        if let lookingAt {
            lines.append(
                localized("▸ \(lookingAt) (x marks it off)", de: "▸ \(lookingAt) (x hakt ab)").fitted(to: columns))
        }
        lines.append(
            terminal.dim(
                (localized(
                    "q leave · t show what is new · s sync · j k scroll",
                    de: "q beenden · t zeigt Neues · s abgleichen · j k blättern")
                    + (isInRoom ? localized(" · n p look at", de: " · n p ansehen") : ""))
                    .fitted(to: columns)))
        return lines
    }
}

extension [JournalEntry] {
    /// The number of each operation: '2 add, 1 markOff'.
    fileprivate var shortSummary: String {
        isEmpty
            ? localized("nothing", de: "nichts")
            : countsByOperation.map { "\($0.count) \($0.operation.words)" }.joined(separator: ", ")
    }
}
