import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct TripsCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "trips",
            abstract: localized(
                "Show a list's shopping trips, newest first; show one pick by pick; or repeat one.",
                de: """
                    Die Einkäufe einer Liste zeigen, neue zuerst; einen Haken für Haken zeigen; oder einen wiederholen.
                    """),
            discussion: discussion(
                """
                A trip is a time in which people marked off at least three items without a pause of 45 minutes. Trips are named by
                number or by date. 'repeat' puts a trip's items on the list again; 'trolley undo' reverts that.
                """,
                de: """
                    Ein Einkauf ist eine Zeit, in der mindestens drei Einträge abgehakt wurden, ohne eine Pause von 45 \
                    Minuten. Einkäufe nennst du mit Nummer oder Datum. „repeat“ setzt alles von einem Einkauf wieder auf die \
                    Liste; „trolley undo“ nimmt das zurück.
                    """,
                examples: """
                    trolley trips
                    trolley trips 1
                    trolley trips repeat 2026-09-03
                    """))
    }

    @Argument(
        help: .localized(
            "A trip to show, by number or date; or 'repeat' and the trip.",
            de: "Der Einkauf, der gezeigt wird, mit Nummer oder Datum; oder „repeat“ und der Einkauf."))
    var words: [String] = []

    @Option(
        help: ArgumentHelp(
            localized("The maximum number of trips.", de: "So viele Einkäufe höchstens."), valueName: "number"),
        transform: { try wholeNumber($0, from: 1, suchAs: 20) })
    var limit: Int = 20

    @Flag(help: .localized("Use only this device's data.", de: "Nur die Daten dieses Geräts nehmen."))
    var offline = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    /// Whether a trip is to be repeated.
    private var isRepeat: Bool { words.first == "repeat" }

    func validate() throws {
        guard words.count == (isRepeat ? 2 : min(words.count, 1)) else {
            throw ValidationError(
                localized(
                    "Name one trip, as in 'trolley trips 1' or 'trolley trips repeat 1'.",
                    de: "Nenne einen Einkauf, wie in „trolley trips 1“ oder „trolley trips repeat 1“."))
        }
        if let name = words.last { _ = try TripName(name) }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        guard let name = words.last else { return try await showAll(of: list, on: device, console) }
        let trip = try await device.trip(named: TripName(name), of: list)
        if !isRepeat { return try await console.show(trip, of: list, on: device, offline: offline) }
        let added = try await device.list(list.id).repeatTrip(trip.trip)
        let report = try await device.syncAfterChange()
        try console.finishAdding(added, to: list.id, report)
    }

    private func showAll(of list: ListSummary, on device: Device, _ console: Console) async throws {
        let (trips, names) = try await (device.numberedTrips(of: list), device.list(list.id).names())
        let now = Timestamp.now()
        let cells = trips.prefix(limit).map { trip in
            [
                "\(trip.number).", trip.trip.start.words, console.count(trip.trip.picks.count, .item),
                trip.trip.lengthInWords, trip.people(names, of: list),
                trip.trip.isOver(at: now) ? "" : localized("going on", de: "läuft noch"),
                trip.trip.place ?? "",
            ]
        }
        for line in console.lines(of: Table(cells, shrinkableColumn: 4)) { console.say(line) }
        if trips.isEmpty {
            console.say(
                localized(
                    "No trips yet. A trip is at least three items, marked off without a pause of 45 minutes.",
                    de: """
                        Noch keine Einkäufe. Ein Einkauf sind mindestens drei Einträge, ohne eine Pause von 45 Minuten abgehakt.
                        """))
        }
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("total", trips.count)
            writer.key("trips")
            writer.array { writer in
                for trip in trips.prefix(limit) {
                    writer.object { trip.writeMembers(to: &$0, names, at: now) }
                }
            }
        }
    }
}
