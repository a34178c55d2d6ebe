import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

/// Counts the round trips to the database for a hosted device's calls. The process does nothing else.
@Suite(
    "Round trips of hosted devices", .enabled(if: TestNodes.shared == nil, "for one server"),
    .timeLimit(.minutes(20)))
struct HostedRoundTripTests {
    @Test(
        "adding an item to a list by its name takes at most 6 round trips, however many lists the device has and however long they are"
    )
    func adding() async throws {
        // Nothing looks at all devices by itself within the test's time: both would drive the device at once.
        try await BackgroundWork.$backstop.withValue(.seconds(3600)) { try await expectFewTrips() }
    }

    private func expectFewTrips() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            var lists: [ListID] = []
            for name in ["Weekly shop", "Party", "Garden"] {
                let list = try await service.list(of: anna)
                let rename = JournalEntry(
                    id: .random(), operation: .renameList, fields: ["text": .string(name)], deviceSequence: 1)
                let items = (2...50).map { JournalEntry.add("item \($0)", Int64($0)) }
                _ = try await service.upload([rename] + items, to: list, by: anna)
                lists.append(list)
            }
            let speaker = try await service.hosted(of: anna)
            try await service.rest()
            try await CountedService.with(service) { counted in
                let url = "\(Path.hosted)/\(speaker.device)"
                for (index, text) in ["milk", "bread", "jam", "tea"].enumerated() {
                    let before = counted.roundTrips
                    let answer = await counted.post("\(url)/add", #"{"text":"\#(text)","list":"party"}"#, speaker.token)
                    #expect(answer.status == 200 && answer.text.contains(#""waiting":0"#), "\(answer.text)")
                    let trips = counted.roundTrips - before
                    #expect(trips <= 6, "add \(index)")
                }
                let names = try await service.changes(lists[1], for: anna).entries.suffix(4).map(\.entry.fields["text"])
                #expect(names == ["milk", "bread", "jam", "tea"].map { .string($0) })
                for (name, body) in [
                    ("off", #"{"text":"milk","list":"party"}"#), ("unmark", #"{"text":"milk","list":"party"}"#),
                    ("edit", #"{"text":"milk","list":"party","fields":{"note":"x"}}"#),
                    ("delete", #"{"text":"milk","list":"party"}"#),
                ] {
                    let before = counted.roundTrips
                    let answer = await counted.post("\(url)/\(name)", body, speaker.token)
                    #expect(answer.status == 200 && answer.text.contains(#""waiting":0"#), "\(answer.text)")
                    #expect(counted.roundTrips - before <= 6, "\(name)")
                }
            }
        }
    }
}

extension TestService {
    /// Waits until no hosted device is driven or has work.
    func rest() async throws {
        let store = Store(pool: pool)
        try await eventually("no hosted device is driven or has work") {
            let isDriven = try await pool.withConnection { connection in
                try await !connection.execute("SELECT FROM hosted_device WHERE driven_until > now()").isEmpty
            }
            let work = try await store.hostedDevicesWithWork(limit: 1)
            return !isDriven && work.isEmpty
        }
    }
}
