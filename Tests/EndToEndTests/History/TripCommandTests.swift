import FoundationEssentials
import Subprocess
import Testing

/// A shopping trip of two people, with the real programs.
@Suite(.timeLimit(.minutes(20))) struct TripCommandTests {
    private struct Trips: Decodable {
        struct Trip: Decodable {
            struct Person: Decodable {
                let name: String?
                let picks: Int
            }
            let items: Int
            let added: Int
            let isOver: Bool
            let people: [Person]
        }
        let trips: [Trip]
    }

    @Test func `both people see who picked what, whether that is complete, and can repeat it`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party")
                try await alice("add", "milk, 2 l", "eggs", "bread")
                let invitation = try await alice("invite", "bob@example.com", "--json")
                try await bob("join", String(#require(invitation.firstMatch(of: /"link":"([^"]+)"/)?.output.1)))
                #expect(try await alice("trips").contains("No trips yet."))

                try await bob("off", "bread")
                try await bob("add", "jam")
                try await alice("sync")
                try await alice("off", "milk")
                try await bob("off", "jam")
                try await alice("sync")
                try await bob("sync")
                for device in [alice, bob] {
                    let answer = try await device("trips", "--json")
                    let trips = try JSONDecoder().decode(Trips.self, from: Data(answer.utf8)).trips
                    #expect(trips.count == 1 && trips[0].items == 3 && trips[0].added == 1 && !trips[0].isOver)
                    #expect(trips[0].people.map(\.name) == ["Bob", "Alice"])
                    #expect(trips[0].people.map(\.picks) == [2, 1])
                }
                // Bob's device made the last mark, so it holds back none from before it.
                let complete = try await alice("replay", "--trip", "1")
                let scrubbed = try await alice("replay", "--trip", "1", "--at", "1")
                #expect(
                    scrubbed.contains("1 of 3: bread, Bob") && scrubbed.contains("[x] bread")
                        && !scrubbed.contains("[x] milk"))
                #expect(try await alice.fails("replay", "--trip", "1", "--at", "4").contains("--at is from 1 to 3"))
                let order = ["bread", "milk", "jam"].compactMap { complete.firstRange(of: "  \($0)")?.lowerBound }
                #expect(order.count == 3 && order == order.sorted())
                #expect(complete.contains("Added while shopping: jam (Bob"))
                #expect(complete.contains("Complete: every device has sent its marks."))
                try await alice("off", "eggs")
                let waiting = try await alice("trips", "today")
                #expect(waiting.contains("Waiting for Bob's '") && waiting.contains("(last here "), "\(waiting)")
                #expect(try await alice("trips", "1", "--json").contains(#""status":"waiting","waitingFor":[{"#))
                let last = try #require(try await alice("activity").firstMatch(of: #/  (\d+)  /#)?.output.1)
                let replayed = try await alice("replay", "--through", String(last))
                #expect(replayed.contains("Waiting for Bob's '"), "\(replayed)")
                let json = try await alice("replay", "--through", String(last), "--json")
                #expect(json.contains(#""deviceName":""#) && json.contains(#""lastSeenAt":""#), "\(json)")
                let planned = try await alice("restore", "--to", String(last), "--preview")
                #expect(planned.contains("Waiting for Bob's '"), "\(planned)")

                try await bob("sync")
                let before = try await bob("show")
                // They were marked off a moment ago: unmarking them would say that they were not bought.
                #expect(try await bob("trips", "repeat", "1").contains("Added 4 items."))
                #expect(try await bob("trips", "1").contains("4 items"))
                #expect(try await bob("show").contains("4 to buy"))
                try await bob("undo")
                #expect(try await bob("show") == before)
            }
            #expect(try await alice("trips", "1").contains("The service can't be reached, so marks"))
            #expect(try await alice("trips", "1", "--offline", "--json").contains(#""status":"unknown""#))
            #expect(try await alice.fails("trips", "2020-01-01").contains("There is no trip '2020-01-01'"))
            #expect(try await alice.run("trips", "repeat").status == .exited(64))

            #expect(try await alice("shopping", "--order", "list").contains("the items are in the list's order"))
            #expect(try await alice("shopping", "on", "--json").contains(#""shopping":true,"order":"list""#))
        }
    }
}
