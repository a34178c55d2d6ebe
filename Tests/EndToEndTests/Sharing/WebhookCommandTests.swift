import Subprocess
import Testing

/// `webhooks`, with the real programs.
@Suite(.timeLimit(.minutes(20))) struct WebhookCommandTests {
    @Test func `webhooks are added with their secret, shown without it, and removed by address or id`() async throws {
        try await withTemporaryDirectory { directory in
            let anna = CommandLineDevice(home: "\(directory)/anna")
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await anna("sign-up", service.address, "--email", "anna@example.com", "--name", "Anna")
                #expect(try await anna("webhooks") == "There are no webhooks.\n")
                #expect(try await anna("webhooks", "--json").contains(#""webhooks":[]"#))
                let url = "https://hooks.example.com/trolley"
                let added = try await anna("webhooks", "add", url, "--content")
                #expect(added.contains(url) && added.firstMatch(of: /whsec_[A-Za-z0-9+\/]{43}=/) != nil)
                let other = try await anna("webhooks", "add", "https://hooks.example.com/other", "--json")
                let id = try #require(other.firstMatch(of: /"id":"([0-9a-f-]{36})"/)?.output.1)
                #expect(other.contains(#""secret":"whsec_"#) && other.contains(#""content":false"#))
                let shown = try await anna("webhooks")
                #expect(shown.contains("with content") && shown.contains("without content"))
                #expect(!shown.contains("whsec_"))
                #expect(try await anna("webhooks", "remove", url).contains("No more messages go to \(url)"))
                #expect(try await anna("webhooks", "remove", String(id), "--json").contains(#""webhooks":[]"#))

                let gone = try await anna.run("webhooks", "remove", url, "--json")
                #expect(gone.status == .exited(1) && gone.output.contains("no webhook"))
                for bad in ["https://127.0.0.1/", "http://hooks.example.com/", "https://a@hooks.example.com/"] {
                    let refused = try await anna.run("webhooks", "add", bad, "--json")
                    #expect(refused.status == .exited(1) && refused.output.contains("url"), "\(bad): \(refused.output)")
                }
                #expect(try await anna.run("webhooks", "add", "nonsense").status == .exited(64))
            }
        }
    }
}
