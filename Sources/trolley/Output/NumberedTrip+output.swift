import TrolleyClient
import TrolleyJournal
import TrolleyWire

extension Console {
    /// Shows a trip pick by pick, and whether all of its marks have arrived.
    func show(_ trip: NumberedTrip, of list: ListSummary, on device: Device, offline: Bool) async throws {
        let names = try await device.list(list.id).names()
        let replay = try await ProgressBar(device: device).during {
            try await device.list(list.id).replay(trip.trip, offline: offline)
        }
        let picks = trip.trip.picks
        let people = trip.people(names, of: list)
        say(
            terminal.bold("\(trip.trip.start.words)  \(count(picks.count, .item))")
                + "  \(trip.trip.lengthInWords)" + (people.isEmpty ? "" : "  \(people)")
                + (trip.trip.place.map { "  \($0)" } ?? ""))
        let cells = picks.enumerated().map { index, pick in
            [
                String(repeating: " ", count: String(picks.count).count - String(index + 1).count) + "\(index + 1).",
                LocalTime(pick.at).clock, name(of: pick.author, names, list), pick.text, pick.quantity ?? "",
                pick.aisle.map { "@\($0)" } ?? "",
            ]
        }
        for line in lines(of: Table(cells, shrinkableColumn: 3)) { say(line) }
        let added = trip.trip.added.map { "\($0.text) (\(name(of: $0.by, names, list)), \(LocalTime($0.at).clock))" }
        if !added.isEmpty {
            say(
                localized(
                    "Added while shopping: \(added.joined(separator: ", "))",
                    de: "Beim Einkaufen dazugekommen: \(added.joined(separator: ", "))"))
        }
        if !list.isLocal { say(replay.completenessInWords(names)) }
        answer { writer in
            writer.member("list", list.id)
            trip.writeMembers(to: &writer, names, at: .now())
            writer.key("picks")
            writer.array { writer in
                for pick in picks { writer.object { pick.writeMembers(to: &$0, names) } }
            }
            writer.key("addedWhileShopping")
            writer.array { writer in
                for added in trip.trip.added { writer.object { added.writeMembers(to: &$0, names) } }
            }
            replay.writeMembers(to: &writer, names)
        }
    }

    /// Shows the list as it was after a pick.
    /// - Parameter number: the pick's, from 1.
    /// - Throws: `CommandError.noSuchPick`.
    func show(
        _ trip: NumberedTrip, afterPick number: Int, of list: ListSummary, on device: Device, offline: Bool
    ) async throws {
        let picks = trip.trip.picks
        guard number <= picks.count else { throw CommandError.noSuchPick(number, of: picks.count) }
        let pick = picks[number - 1]
        let names = try await device.list(list.id).names()
        let replayed = try await ProgressBar(device: device).during {
            try await device.list(list.id).replay(after: pick, offline: offline)
        }
        let place = localized("\(number) of \(picks.count)", de: "\(number) von \(picks.count)")
        say("\(place): \(pick.text), \(name(of: pick.author, names, list)), \(pick.at.words)")
        replayed.show(self)
        answer { writer in
            replayed.write(to: &writer)
            writer.member("number", trip.number)
            writer.member("at", number)
            writer.member("picks", picks.count)
            writer.key("pick")
            writer.object { pick.writeMembers(to: &$0, names) }
        }
    }

    /// The lines of a table: as wide as the terminal, and without one as wide as they are.
    func lines(of table: Table) -> [String] {
        table.lines(width: terminal.isTerminal ? Terminal.size.columns : .max).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// The name of a person who is no longer on a list.
    static var formerPerson: String { localized("Somebody who left", de: "Ein früheres Mitglied") }

    private func name(of author: AccountID?, _ names: [AccountID: String], _ list: ListSummary) -> String {
        guard let author else { return list.isLocal ? localized("You", de: "Du") : localized("Somebody", de: "Jemand") }
        return names[author] ?? Self.formerPerson
    }
}

extension NumberedTrip {
    /// The people who picked something: 'Alice, Bob'. Empty on a list of this device alone.
    func people(_ names: [AccountID: String], of list: ListSummary) -> String {
        trip.people.map { names[$0] ?? Console.formerPerson }.joined(separator: ", ")
    }

    func writeMembers(to writer: inout JSONWriter, _ names: [AccountID: String], at now: Timestamp) {
        writer.member("number", number)
        writer.member("start", trip.start)
        writer.member("end", trip.end)
        writer.member("seconds", Int(clamping: trip.duration / 1000))
        writer.key("isOver")
        writer.bool(trip.isOver(at: now))
        writer.member("shop", ifAny: trip.shop)
        writer.member("items", trip.picks.count)
        writer.member("added", trip.added.count)
        writer.key("people")
        writer.array { writer in
            for person in trip.people {
                writer.object { writer in
                    writer.member("account", person)
                    writer.member("name", names[person])
                    writer.member("picks", trip.picks.count { $0.author == person })
                }
            }
        }
    }
}

extension Trip {
    /// Where it was: 'at Corner shop'.
    var place: String? { shop.map { localized("at \($0)", de: "bei \($0)") } }

    /// The duration: '38 minutes', '1 hour 5 minutes'.
    var lengthInWords: String {
        let minutes = (duration + 30_000) / 60_000
        if minutes == 0 { return localized("less than a minute", de: "weniger als eine Minute") }
        let (hours, rest) = (minutes / 60, minutes % 60)
        let parts = [hours > 0 ? Noun.hour.counted(hours) : "", rest > 0 ? Noun.minute.counted(rest) : ""]
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension Purchase {
    fileprivate func writeMembers(to writer: inout JSONWriter, _ names: [AccountID: String]) {
        writer.member("text", text)
        writer.member("quantity", quantity)
        writer.member("aisle", aisle)
        writer.member("at", at)
        writer.member("account", author)
        writer.member("name", author.flatMap { names[$0] })
        writer.member("item", item)
        writer.member("entry", entry)
    }
}

extension Trip.Added {
    fileprivate func writeMembers(to writer: inout JSONWriter, _ names: [AccountID: String]) {
        writer.member("text", text)
        writer.member("at", at)
        writer.member("account", by)
        writer.member("name", by.flatMap { names[$0] })
        writer.member("item", item)
    }
}

extension TripReplay {
    fileprivate func completenessInWords(_ names: [AccountID: String]) -> String {
        guard let waitingFor else {
            return localized(
                "The service can't be reached, so marks of other devices may be missing.",
                de: "Der Dienst ist nicht zu erreichen. Haken anderer Geräte können fehlen.")
        }
        if waitingFor.isEmpty {
            return localized(
                "Complete: every device has sent its marks.", de: "Vollständig: Alle Geräte haben ihre Haken gesendet.")
        }
        return localized(
            "Perhaps not complete. Waiting for \(waitingFor.inWords(names)).",
            de: "Vielleicht nicht vollständig. Es fehlt noch: \(waitingFor.inWords(names)).")
    }

    fileprivate func writeMembers(to writer: inout JSONWriter, _ names: [AccountID: String]) {
        guard let waitingFor else { return writer.member("status", "unknown") }
        writer.member("status", waitingFor.isEmpty ? "ready" : "waiting")
        if waitingFor.isEmpty { return }
        writer.write(waitingFor, names)
    }
}
