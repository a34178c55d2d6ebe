import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ActivityCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract: "Show everything that happened to a list, newest first, also what was compressed away.",
        discussion: """
            Example:
              trolley activity --limit 20
            """)

    @Option(help: "How much of it.")
    var limit: Int = 50

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if limit < 1 { throw ValidationError("Give at least 1.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let page = try await device.activity(of: list.id, limit: limit)
        if console.json { return Terminal.print(String(decoding: page.json, as: UTF8.self)) }
        var texts = try await device.state(of: list.id).items.reduce(into: [:]) { $0[$1.id] = $1.text }
        for case .entry(let entry) in page.activity.map(\.event) {
            guard let item = entry.entry.item, texts[item] == nil else { continue }
            texts[item] = entry.entry.fields[Fields.text]?.string
        }
        for item in page.activity { console.say(item.line(texts, console.terminal)) }
    }
}

extension ActivityItem {
    fileprivate func line(_ texts: [ItemID: String], _ terminal: Terminal) -> String {
        let start = terminal.dim("\(at)  \(sequence.rawValue)") + "  "
        switch event {
        case .entry(let entry):
            let what = entry.entry.item.map { texts[$0] ?? "an item" } ?? entry.entry.fields[Fields.text]?.string ?? ""
            let cause = entry.entry.cause == .edit ? "" : " (\(entry.entry.cause.rawValue))"
            return start + "\(authorName ?? "Somebody") \(entry.entry.operation.inThePast) '\(what)'\(cause)"
        case .participant(let change):
            let name = change.participant.name ?? change.participant.email ?? "Somebody"
            return start + "\(name): \(change.kind.rawValue)"
        }
    }
}

extension Operation {
    fileprivate var inThePast: String {
        switch self {
        case .add: "added"
        case .edit: "changed"
        case .markOff: "marked off"
        case .unmark: "unmarked"
        case .move: "moved"
        case .delete: "deleted"
        case .renameList: "called the list"
        case .recolourList: "coloured the list"
        }
    }
}
