import ArgumentParser
import TrolleyClient
import TrolleyJournal

/// The name of a trip: its number, counted from the newest, or its local date: '2026-09-03', 'today', 'yesterday'.
enum TripName: Hashable {
    case number(Int)
    case date(String)

    /// - Throws: `ValidationError`, which is wrong use.
    init(_ text: String, now: Timestamp = .now()) throws(ValidationError) {
        switch text.lowercased() {
        case "today", "heute": self = .date(LocalTime(now).date)
        case "yesterday", "gestern":
            let today = Terminal.localTime(now.milliseconds / 1000)
            // Noon, because not all days have 24 hours.
            let noon = Terminal.seconds(year: today[0], month: today[1], day: today[2] - 1, hour: 12, minute: 0)
            self = .date(LocalTime(Timestamp(milliseconds: noon * 1000)).date)
        case let text:
            if let number = Int(text), number > 0 {
                self = .number(number)
                return
            }
            guard let date = CalendarDate(text) else {
                throw ValidationError(
                    localized(
                        "Name a trip by its number or its date: '1', 'yesterday', '2026-09-03'.",
                        de: "Nenne einen Einkauf mit seiner Nummer oder seinem Datum: „1“, „gestern“, „03.09.2026“."))
            }
            self = .date(date.description)
        }
    }
}

/// A trip with its number, counted from the newest, which is 1.
struct NumberedTrip: Hashable {
    var number: Int
    var trip: Trip
}

extension Device {
    /// A list's trips, newest first.
    func numberedTrips(of list: ListSummary) async throws -> [NumberedTrip] {
        try await self.list(list.id).trips().enumerated().map { NumberedTrip(number: $0 + 1, trip: $1) }
    }

    func trip(named name: TripName, of list: ListSummary) async throws -> NumberedTrip {
        let trips = try await numberedTrips(of: list)
        switch name {
        case .number(let number):
            guard number <= trips.count else { throw CommandError.noSuchTrip("\(number)") }
            return trips[number - 1]
        case .date(let date):
            let found = trips.filter { LocalTime($0.trip.start).date == date }
            guard let trip = found.first else { throw CommandError.noSuchTrip(date) }
            guard found.count == 1 else {
                throw CommandError.ambiguousTrip(
                    date,
                    found.map { trip in
                        let items = localized(
                            "\(trip.trip.picks.count) items", de: Noun.item.counted(trip.trip.picks.count))
                        let place = trip.trip.place.map { ", \($0)" } ?? ""
                        return "  \(trip.number). \(trip.trip.start.words), \(items)\(place)"
                    })
            }
            return trip
        }
    }
}
