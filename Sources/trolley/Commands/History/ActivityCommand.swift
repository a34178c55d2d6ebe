import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ActivityCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract: "Show a list's whole Activity, newest first, including compressed entries.",
        discussion: """
            Sync errors of this device are listed, too.

            Example:
              trolley activity --limit 20
              trolley activity --person bob@example.com
            """)

    @Option(
        help: ArgumentHelp("The maximum number of changes.", valueName: "number"),
        transform: { try wholeNumber($0, from: 1, suchAs: 20) })
    var limit: Int = 50

    @Option(help: ArgumentHelp("Only older changes: the place that the previous page ended with.", valueName: "place"))
    var before: String?

    @Option(help: "Only changes by this person, or to their participation; by email or name.")
    var person: String?

    @Option(help: "Only changes of this item; by text, position or id.", completion: .items)
    var item: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        var account: AccountID?
        if let person {
            account = try await device.participants(of: list.id).person(named: person).knownAccount()
        }
        var wanted: ItemID?
        if let item {
            // An id may also name an item that is no longer on the list.
            let rows = try await device.shownRows(of: list.id)
            wanted = try ItemID(item) ?? console.find(item, among: rows).id
        }
        let page: ActivityPage
        var isOffline = false
        do throws(DeviceError) {
            page = try await device.activity(of: list.id, limit: limit, before: before, by: account, item: wanted)
        } catch  where before == nil && error.isUnreachable {
            page = try await device.knownActivity(of: list.id, limit: limit, by: account, item: wanted)
            isOffline = true
        } catch {
            // The service refuses an invalid place like a change token, so report the place instead.
            if let before, error.problem?.code == .changeTokenExpired { throw CommandError.noSuchPage(before) }
            throw error
        }
        var errors: [DeviceEvent] = []
        if account == nil, wanted == nil {
            errors = try await device.events(of: list.id).filter { $0.isOn(page, isFirst: before == nil) }
        }
        if console.json {
            // The service's page unchanged, with this device's own events added.
            var writer = JSONWriter()
            writer.array { writer in
                for error in errors { error.write(to: &writer) }
            }
            let onDevice = errors.isEmpty ? [] : Array(",\"onThisDevice\":".utf8) + writer.bytes
            return Terminal.print(
                String(decoding: page.json.dropLast() + onDevice + [UInt8(ascii: "}")], as: UTF8.self))
        }
        for item in page.activity {
            while let error = errors.first, error.at > item.at {
                console.say(error.line(console.terminal))
                errors.removeFirst()
            }
            console.say(item.line(console.terminal))
        }
        for error in errors { console.say(error.line(console.terminal)) }
        if isOffline {
            console.say(
                "The service can't be reached. This is what this device has: "
                    + "compressed entries and changes of participants are missing."
            )
        }
        if let next = page.next { console.say("Older changes: trolley activity --before \(next)") }
    }
}

extension ActivityItem {
    fileprivate func line(_ terminal: Terminal) -> String {
        let start = terminal.dim("\(at.words)  \(sequence.rawValue)") + "  "
        switch event {
        case .entry(let entry):
            let text = entry.entry.item == nil ? entry.entry.fields[Fields.text]?.string : itemText
            if entry.entry.isOrderOfAisles {
                return start + "\(authorName ?? "Somebody who left") changed the order of the aisles"
            }
            let what = text.map { "'\($0)'" } ?? "an item"
            let cause = entry.entry.cause == .edit ? "" : " (\(entry.entry.cause.rawValue))"
            let late = uploadDelay.map { ", made offline \(Self.approximateDuration($0)) earlier" } ?? ""
            let who = authorName ?? "Somebody who left"
            return start + "\(who) \(entry.entry.operation.pastTense) \(what)\(cause)\(late)"
        case .participant(let change): return start + change.sentence
        }
    }
}

extension JournalEntry {
    /// Whether it only sets the order of the aisles.
    fileprivate var isOrderOfAisles: Bool { item == nil && fields[Fields.aisles] != nil && fields[Fields.text] == nil }
}

extension ActivityItem {
    /// A duration in milliseconds, in words.
    private static func approximateDuration(_ milliseconds: Int64) -> String {
        let units: [(name: String, milliseconds: Int64)] = [
            ("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000),
        ]
        let unit = units.first { milliseconds >= 2 * $0.milliseconds } ?? units[2]
        let number = milliseconds / unit.milliseconds
        return "\(number) \(unit.name)\(number == 1 ? "" : "s")"
    }
}

extension ParticipantChange {
    fileprivate var sentence: String {
        let who = participant.displayName
        return switch kind {
        case .invited: "\(who) was invited"
        case .joined: "\(who) joined"
        case .declined: "\(who) declined"
        case .left: "\(who) left"
        case .removed: "\(who) was removed"
        case .permissionChanged where participant.permission == .readOnly: "\(who) may only look from now on"
        case .permissionChanged: "\(who) may change the list from now on"
        case .becameOwner: "\(who) owns the list from now on"
        case .invitationEnded: "the invitation of \(who) ended"
        case .accountDeleted: "Somebody deleted their account"
        }
    }
}

extension Operation {
    fileprivate var pastTense: String {
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
