import FoundationEssentials
import Testing
import TrolleyClient
import TrolleyJournal

@testable import trolley

/// Names of lists and people in commands.
@Suite(.timeLimit(.minutes(20))) struct NamesTests {
    @Test func `a list's whole name goes before the beginning of another's`() async throws {
        let home = FileManager.default.temporaryDirectory.path() + "/trolley-names-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: home) }
        let device = try Device(directory: home)
        for name in ["Party", "Party in May", "Weekly shop"] { _ = try await device.makeList(named: name) }
        let lists = try await device.lists()
        await device.close()
        #expect(try lists.named("party").name == "Party")
        #expect(try lists.named("party in").name == "Party in May")
        #expect(try lists.named("WEEK").name == "Weekly shop")
        #expect(throws: CommandError.self) { try lists.named("par") }
        #expect(throws: CommandError.self) { try lists.named("shop") }
    }

    @Test func `a person's email goes before another's name`() throws {
        func person(_ number: UInt64, _ email: String, _ name: String) -> Participant {
            Participant(account: AccountID(UUIDBits(high: 0, low: number)), email: email, name: name, status: .accepted)
        }
        let share = ShareState(participants: [
            person(1, "anna@example.com", "ben@example.com"), person(2, "ben@example.com", "Ben"),
            person(3, "other@example.com", "Carla"), person(4, "another@example.com", "carla"),
        ])
        #expect(try share.person(named: "Ben@Example.com").email == "ben@example.com")
        #expect(try share.person(named: "ben").email == "ben@example.com")
        #expect(throws: CommandError.self) { try share.person(named: "Carla") }
        #expect(throws: CommandError.self) { try share.person(named: "Dan") }
    }
}
