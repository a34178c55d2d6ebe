import FoundationEssentials
import Testing

/// 'Where has my milk gone?'
@Suite(.timeLimit(.minutes(20))) struct WhereCommandTests {
    @Test func `where and activity find an item by name, wherever it has gone, also without a network`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let bob = CommandLineDevice(home: "\(directory)/bob")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                for (device, name) in [(alice, "Alice"), (bob, "Bob")] {
                    try await device("sign-up", service.address, "--email", "\(name)@example.com", "--name", name)
                }
                try await alice("new", "Party")
                try await alice("add", "milk", "oat milk", "beer")
                let invitation = try await alice("invite", "bob@example.com", "--json")
                let link = try #require(invitation.firstMatch(of: /"link":"([^"]+)"/)?.output.1)
                try await bob("join", String(link))
                try await bob("off", "oat milk")
                try await bob("delete", "beer")
                try await bob("edit", "milk", "--text", "butter")
                try await alice("sync")

                let milk = try await alice("where", "milk").recent
                #expect(milk.contains("Party: 'butter' is on the list, added by you just now, called 'milk' before"))
                #expect(milk.contains("Party: 'oat milk' was marked off by Bob just now, added by you just now"))
                #expect(
                    try await bob("where", "beer").recent.contains(
                        "Party: 'beer' was deleted by you just now, added by Alice"))
                let json = try await alice("where", "BEER", "--json")
                #expect(json.contains(#""total":1"#) && json.contains(#""status":"deleted""#))
                #expect(json.contains(#""byName":"Bob""#) && json.contains(#""source":"list""#))
                #expect(try await alice("activity", "--item", "beer").contains("Bob deleted 'beer'"))
                #expect(try await alice("suggest", "but").contains("'butter' is on the list already."))

                // While shopping, what others change waits.
                try await alice("shopping", "on")
                try await bob("add", "wine")
                try await alice("sync")
                #expect(
                    try await alice("where", "wine").recent.contains("added by Bob just now (waits until you apply it"))
                #expect(try await alice("where", "gin").contains("Nothing by the name 'gin' was ever on these lists"))
            }
            // `off` is done here, and says that it could not be sent.
            _ = try await alice.run("off", "butter")
            #expect(try await alice("where", "butter").recent.contains("was marked off by you just now"))
            #expect(try await alice("where", "butter").contains("(not confirmed yet)"))
            let nothing = try await alice("where", "gin")
            #expect(
                nothing.contains("The service can't be reached. Items that were compressed can't be looked up now."))
            #expect(try await alice("where", "gin", "--json").contains(#""isWhole":false,"total":0,"items":[]"#))
            #expect(try await alice.fails("where", " ").contains("Name an item, as in 'trolley where milk'."))
            #expect(try await alice.fails("where", "milk", "--list", "Nowhere").contains("Nowhere"))
        }
    }
}
