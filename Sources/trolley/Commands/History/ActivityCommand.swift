import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ActivityCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "activity",
            abstract: localized(
                "Show a list's whole Activity, newest first, including compressed entries.",
                de: "Den ganzen Verlauf einer Liste zeigen, Neues zuerst, auch verdichtete Änderungen."),
            discussion: discussion(
                """
                Sync errors of this device and its unsent changes are listed, too. Your own changes say how far they have
                come: on the service, on somebody's device, or seen. If the service can't be reached, and for a list on this
                device alone, it shows the changes that the device knows.
                """,
                de: """
                    Auch Fehler beim Abgleich dieses Geräts und seine nicht gesendeten Änderungen stehen darin. Deine eigenen \
                    Änderungen sagen, wie weit sie sind: beim Dienst, auf dem Gerät von jemandem oder gesehen. Ist der Dienst \
                    nicht zu erreichen, und bei einer Liste nur auf diesem Gerät, zeigt der Befehl die Änderungen, die das \
                    Gerät kennt.
                    """,
                examples: """
                    trolley activity --limit 20
                    trolley activity --person bob@example.com
                    """))
    }

    @Option(
        help: ArgumentHelp(
            localized("The maximum number of changes.", de: "So viele Änderungen höchstens."), valueName: "number"),
        transform: { try wholeNumber($0, from: 1, suchAs: 20) })
    var limit: Int = 50

    @Option(
        help: ArgumentHelp(
            localized(
                "Only older changes: the place that the previous page ended with.",
                de: "Nur ältere Änderungen: die Stelle, mit der die Seite davor endet."), valueName: "place"))
    var before: String?

    @Option(
        help: .localized(
            "Only changes by this person, or to their participation; by email or name.",
            de: "Nur Änderungen von dieser Person oder an ihrer Teilnahme; mit E-Mail-Adresse oder Namen."))
    var person: String?

    @Option(
        help: .localized(
            "Only changes of this item; by text, position or id. The item may be gone: see 'trolley where'.",
            de: """
                Nur Änderungen an diesem Eintrag; mit Text, Nummer oder Kennung. Er kann auch weg sein: siehe „trolley \
                where“.
                """),
        completion: .items)
    var item: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        // Only lists on the service have people.
        let list = try await person == nil ? device.list(list) : device.listOnService(list)
        let progress = ProgressBar(device: device)
        var account: AccountID?
        if let person {
            let participants = try await progress.during { try await device.list(list.id).participants() }
            account = try participants.person(named: person).knownAccount()
        }
        var wanted: ItemID?
        if let item { wanted = try await console.find(item, everOn: list.id, of: device) }
        var page = ActivityPage(activity: [], next: nil)
        var isOffline = false
        // Changes that are here and not shown, because they are beyond the limit.
        var hasOlder = false
        if !list.isLocal {
            do {
                page = try await progress.during { [account, wanted] in
                    try await device.list(list.id).activity(limit: limit, before: before, by: account, item: wanted)
                }
            } catch let error as DeviceError where before == nil && error.isWithoutService {
                page = try await device.list(list.id).knownActivity(
                    limit: min(limit, .max - 1) + 1, by: account, item: wanted)
                hasOlder = page.activity.count > limit
                page.activity = Array(page.activity.prefix(limit))
                isOffline = true
            } catch let error as DeviceError {
                // The service refuses an invalid place like a change token, so report the place instead.
                if let before, error.problem?.code == .changeTokenExpired { throw CommandError.noSuchPage(before) }
                throw error
            }
        }
        var pending: [PendingChange] = []
        if before == nil {
            // Accepted changes are already on the service's page.
            pending = try await device.list(list.id).pendingChanges(by: account, item: wanted)
                .filter { isOffline || list.isLocal || !$0.isSent }
            if list.isLocal {
                hasOlder = pending.count > limit
                pending = Array(pending.prefix(limit))
            }
        }
        var errors: [DeviceEvent] = []
        if account == nil, wanted == nil, !list.isLocal {
            errors = try await device.events(of: list).filter { $0.isOn(page, isFirst: before == nil) }
        }
        let ticks = isOffline ? nil : await Ticks(for: page, of: list, on: device)
        if console.json {
            return Terminal.print(json: page.json(with: pending, isLocal: list.isLocal, errors, ticks))
        }
        let former = try await device.list(list.id).textsBefore()
        for change in pending { console.say(change.line(isLocal: list.isLocal, former, console.terminal)) }
        for item in page.activity {
            while let error = errors.first, error.at > item.at {
                console.say(error.line(console.terminal))
                errors.removeFirst()
            }
            console.say(item.line(former, console.terminal) + (ticks?.words(for: item) ?? ""))
        }
        for error in errors { console.say(error.line(console.terminal)) }
        if isOffline {
            let reason = try await device.withoutService
            let lacks = try await device.list(list.id).lacksChanges()
            console.say(
                "\(reason) "
                    + (lacks
                        ? localized(
                            "This is what this device has: compressed entries and changes of participants are missing.",
                            de:
                                "Das sind die Änderungen, die dieses Gerät kennt: Verdichtete und die an der Teilnahme fehlen."
                        )
                        : localized(
                            "This is what this device has.", de: "Das sind die Änderungen, die dieses Gerät kennt.")))
        }
        if let next = page.next {
            console.say(
                localized(
                    "Older changes: trolley activity --before \(next)",
                    de: "Ältere Änderungen: trolley activity --before \(next)"))
        }
        if hasOlder {
            console.say(
                localized(
                    "Older changes: trolley activity --limit \(2 * limit)",
                    de: "Ältere Änderungen: trolley activity --limit \(2 * limit)"))
        }
    }
}

extension Console {
    /// An item that is on the list, or was. Of several that are gone, the one that changed last.
    fileprivate func find(_ name: String, everOn list: ListID, of device: Device) async throws -> ItemID {
        if let id = ItemID(name) { return id }
        do {
            return try find(name, among: try await device.list(list).shownRows()).id
        } catch let error as CommandError where error.isAboutGoneItem {
            let found = try await device.whereabouts(of: name, in: list).items
            guard let latest = found.first else { throw error }
            if found.count > 1, !json {
                say(
                    localized(
                        "\(found.count) items fit '\(name)'; see: trolley where '\(name)'",
                        de: "\(found.count) Einträge passen zu „\(name)“; siehe: trolley where '\(name)'"))
            }
            return latest.trace.id
        }
    }
}

extension CommandError {
    fileprivate var isAboutGoneItem: Bool {
        switch self {
        case .noSuchItem, .struckItem: true
        default: false
        }
    }
}

extension ActivityPage {
    /// The service's page unchanged, with this device's own changes and events added, and how far the others are.
    /// - Parameter isLocal: whether the list is on this device alone.
    fileprivate func json(
        with pending: [PendingChange], isLocal: Bool, _ errors: [DeviceEvent], _ ticks: Ticks?
    ) -> [UInt8] {
        var document = Array(json.dropLast())
        func append(_ name: String, isEmpty: Bool, _ elements: (inout JSONWriter) -> Void) {
            guard !isEmpty else { return }
            var writer = JSONWriter()
            writer.array(elements)
            document += Array(",\"\(name)\":".utf8) + writer.bytes
        }
        append("pending", isEmpty: pending.isEmpty) { writer in
            for change in pending { change.write(isLocal: isLocal, to: &writer) }
        }
        append("onThisDevice", isEmpty: errors.isEmpty) { writer in
            for error in errors { error.write(to: &writer) }
        }
        append("delivery", isEmpty: ticks == nil) { writer in
            for person in ticks?.delivery.people ?? [] {
                writer.object { writer in
                    writer.member("account", person.participant.account)
                    writer.member("received", person.received)
                    writer.member("read", person.read)
                }
            }
        }
        return document + [UInt8(ascii: "}")]
    }
}

extension PendingChange {
    /// - Parameter isLocal: whether the list is on this device alone, where these are all changes.
    fileprivate func line(isLocal: Bool, _ former: [EntryID: String], _ terminal: Terminal) -> String {
        let number = isLocal ? "\(self.number)" : "–"
        let what = entry.sentence(by: (authorName ?? entry.writerName)?.inOneLine, itemText: itemText, former)
        let note =
            isLocal
            ? ""
            : isSent
                ? localized(", not fetched yet", de: ", noch nicht geholt")
                : localized(", not sent yet", de: ", noch nicht gesendet")
        return terminal.dim("\(madeAt.words)  \(number)") + "  \(what)\(note)"
    }

    fileprivate func write(isLocal: Bool, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("madeAt", madeAt.description)
            if isLocal { writer.member("number", number) }
            writer.member("itemText", itemText)
            writer.member("authorName", ifAny: authorName)
            writer.member("isSent", isSent)
            writer.key("entry")
            entry.write(to: &writer)
        }
    }
}

extension ActivityItem {
    /// - Parameter former: the texts before, by the entries that changed them.
    fileprivate func line(_ former: [EntryID: String], _ terminal: Terminal) -> String {
        let start = terminal.dim("\(at.words)  \(sequence.rawValue)") + "  "
        switch event {
        case .entry(let entry):
            let late =
                uploadDelay.map {
                    let time = Self.approximateDuration($0)
                    return localized(", made offline \(time) earlier", de: ", \(time) vorher offline gemacht")
                } ?? ""
            let sender = (authorName ?? Console.formerPerson) + (deviceName.map { " (\($0.inOneLine))" } ?? "")
            let who = entry.entry.writerName?.inOneLine ?? sender
            let bringer = who == sender ? "" : localized(", brought by \(sender)", de: ", gebracht von \(sender)")
            return start + entry.entry.sentence(by: who, itemText: itemText, former) + late + bringer
        case .participant(let change): return start + change.sentence
        }
    }
}

extension JournalEntry {
    /// The name of the person whose words these are, if somebody else brought them.
    fileprivate var writerName: String? {
        fields[Fields.writtenAt] == nil ? nil : fields[Fields.writtenBy]?.string
    }
}

extension ActivityItem {
    /// A duration in milliseconds, in words.
    private static func approximateDuration(_ milliseconds: Int64) -> String {
        let units: [(noun: Noun, milliseconds: Int64)] = [
            (.day, 86_400_000), (.hour, 3_600_000), (.minute, 60_000),
        ]
        let unit = units.first { milliseconds >= 2 * $0.milliseconds } ?? units[2]
        return unit.noun.counted(milliseconds / unit.milliseconds)
    }
}
