import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ReplayCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "replay",
            abstract: localized(
                "Show a list as it was after a change, or at a time; or a trip, pick by pick.",
                de: """
                    Eine Liste zeigen, wie sie nach einer Änderung oder zu einer Zeit war; oder einen Einkauf, Haken für Haken.
                    """),
            discussion: discussion(
                """
                'activity' gives each change's number, 'trips' each trip's. With --trip, --at takes the number of a pick, and shows
                the list as it was after it. If the service can't be reached, the state comes from this device's data, and the
                output says so.
                """,
                de: """
                    „trolley activity“ nennt die Nummer jeder Änderung, „trolley trips“ die jedes Einkaufs. Mit --trip nimmt \
                    --at die Nummer eines Hakens und zeigt die Liste danach. Ist der Dienst nicht zu erreichen, kommt der \
                    Stand aus den Daten dieses Geräts, und die Ausgabe sagt es.
                    """,
                examples: """
                    trolley replay --through 42
                    trolley replay --at 'yesterday 17:40'
                    trolley replay --trip 1
                    trolley replay --trip 1 --at 3
                    """))
    }

    @Option(
        help: ArgumentHelp(localized("The number of the change.", de: "Die Nummer der Änderung."), valueName: "number"),
        transform: { Int64(try wholeNumber($0, from: 0, suchAs: 42)) })
    var through: Int64?

    @Option(
        help: ArgumentHelp(
            localized(
                "The time: '17:40', 'yesterday 17:40', '2026-11-22 17:40'. With --trip: the number of a pick.",
                de: "Die Zeit: „17:40“, „gestern 17:40“, „22.11.2026 17:40“. Mit --trip: die Nummer eines Hakens."),
            valueName: "time"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            localized(
                "The trip, by number or date: who picked what, and when.",
                de: "Der Einkauf, mit Nummer oder Datum: wer wann was genommen hat."), valueName: "trip"))
    var trip: String?

    @Flag(help: .localized("Use only this device's data.", de: "Nur die Daten dieses Geräts nehmen."))
    var offline = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if let trip, through == nil {
            _ = try TripName(trip)
            _ = try pick()
            return
        }
        guard [through != nil, at != nil, trip != nil].count(where: { $0 }) == 1 else {
            throw ValidationError(
                localized(
                    "Give one of --through, --at and --trip.", de: "Gib eines davon an: --through, --at oder --trip."))
        }
        if let at { _ = try PointInTime(at).time() }
    }

    /// The number of the trip's pick, from 1; nil: the whole trip.
    private func pick() throws(ValidationError) -> Int? {
        guard let at else { return nil }
        guard let pick = Int(at), pick > 0 else {
            throw ValidationError(
                localized(
                    "With --trip, --at is the number of a pick, such as 3.",
                    de: "Mit --trip ist --at die Nummer eines Hakens, wie 3."))
        }
        return pick
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        if let trip {
            let trip = try await device.trip(named: TripName(trip), of: list)
            if let pick = try pick() {
                return try await console.show(trip, afterPick: pick, of: list, on: device, offline: offline)
            }
            return try await console.show(trip, of: list, on: device, offline: offline)
        }
        var point = ReplayPoint.change(through ?? 0)
        if let at { point = .time(try PointInTime(at).time()) }
        let replayed = try await ProgressBar(device: device).during { [point] in
            try await device.list(list.id).replay(to: point, offline: offline)
        }
        let names = replayed.waitingFor.isEmpty ? [:] : try await device.list(list.id).names()
        replayed.show(console, names)
        console.answer { replayed.write(to: &$0, names) }
    }
}

extension ReplayedList {
    /// Shows the list as it was, and says how complete that is.
    /// - Parameter names: of the people on the list.
    func show(_ console: Console, _ names: [AccountID: String] = [:]) {
        if through == .start, state == ListState() {
            return console.say(
                isOffline
                    ? localized(
                        "This device knows nothing of the list from then.",
                        de: "Dieses Gerät weiß nichts von der Liste von damals.")
                    : localized("The list did not exist then.", de: "Damals gab es die Liste noch nicht."))
        }
        console.say(console.terminal.bold(state.name ?? ListSummary.unnamed))
        console.say(state.items.map { ShownRow(item: $0) }.byAisle(state.aisles))
        if isWaiting == true {
            console.say(
                localized(
                    "This may lack changes from before then. Waiting for \(waitingFor.inWords(names)).",
                    de: "Änderungen von davor können fehlen. Es fehlt noch: \(waitingFor.inWords(names))."))
        }
        if let retainedFrom {
            console.say(
                localized(
                    "The service has deleted some changes from before \(retainedFrom.words).",
                    de: "Der Dienst hat einige Änderungen von vor dem Zeitpunkt \(retainedFrom.words) gelöscht."))
        }
        if isOffline {
            console.say(
                lacksEntries
                    ? localized(
                        "This is what this device has: it lacks changes that were compressed since.",
                        de: "Das ist, was dieses Gerät weiß: Änderungen, die seitdem verdichtet wurden, fehlen.")
                    : localized("This is what this device has.", de: "Das ist, was dieses Gerät weiß."))
        }
        if unsent > 0 {
            let changes = console.count(unsent, .change)
            console.say(localized("\(changes) in it not sent yet.", de: "Davon noch nicht gesendet: \(changes)."))
        }
    }

    /// The members of the JSON document.
    func write(to writer: inout JSONWriter, _ names: [AccountID: String] = [:]) {
        writer.member("id", list)
        state.writeMembers(to: &writer)
        writer.key("sequence")
        writer.integer(through.rawValue)
        if let isWaiting { writer.member("status", isWaiting ? "waiting" : "ready") }
        if !waitingFor.isEmpty { writer.write(waitingFor, names) }
        if let retainedFrom {
            writer.key("retainedFrom")
            writer.timestamp(retainedFrom)
        }
        if isOffline { writer.member("offline", true) }
        if unsent > 0 { writer.member("unsent", unsent) }
    }
}
