import FoundationEssentials
import Subprocess
import Testing
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport

/// Two people who have `trolley watch` open on one list, in two terminals, each at a service process of their own.
@Suite("Rooms in two terminals", .timeLimit(.minutes(20)))
struct RoomWatchTests {
    @Test(
        """
        each sees what the other looks at, and that both mark off one item; a tentative mark becomes real, and one whose device
        is gone never does
        """,
        .timeLimit(.minutes(20)))
    func twoTerminals() async throws {
        try await withTemporaryDirectory { directory in
            let (certificate, key) = try await CertificateTests.makeCertificate(in: directory)
            try await withTestDatabase { url in
                _ = try await Programs.output(of: Programs.trolleyd, "migrate", "--database-url", url)
                let arguments = ["--database-url", url, "--tls-certificate", certificate, "--tls-key", key]
                try await RunningService.run(dataDirectory: "\(directory)/one", arguments: arguments) { one in
                    try await RunningService.run(dataDirectory: "\(directory)/two", arguments: arguments) { two in
                        let alice = CommandLineDevice(home: "\(directory)/alice")
                        let bob = CommandLineDevice(home: "\(directory)/bob")
                        let addresses = [one, two].map { "https://localhost:\($0.port)" }
                        try await alice(
                            "sign-up", addresses[0], "--email", "alice@example.com", "--name", "Alice", "--ca-file",
                            certificate)
                        try await alice("new", "Weekly shop")
                        try await alice("add", "milk", "bread")
                        let invitation = try await alice("invite", "bob@example.com", "--json")
                        let link = try #require(
                            JSONDecoder().decode([String: String?].self, from: Data(invitation.utf8))["link"] ?? nil)
                        try await bob(
                            "sign-up", addresses[1], "--email", "bob@example.com", "--name", "Bob", "--ca-file",
                            certificate)
                        try await bob("join", link.replacing(addresses[0], with: addresses[1]))
                        let terminals = Terminals(socket: "\(directory)/tmux")
                        do {
                            try await watch(alice, bob, on: terminals, url)
                        } catch {
                            try await terminals("kill-server")
                            throw error
                        }
                        try await terminals("kill-server")
                    }
                }
            }
        }
    }

    private func watch(
        _ alice: CommandLineDevice, _ bob: CommandLineDevice, on terminals: Terminals, _ url: String
    ) async throws {
        for (name, device) in [("alice", alice), ("bob", bob)] {
            try await terminals(
                "new-session", "-d", "-s", name, "-x", "100", "-y", "24",
                "env TROLLEY_HOME=\(device.home) TROLLEY_LANGUAGE=none NO_COLOR=1 \(Programs.directory)/trolley watch --every 1"
            )
        }
        _ = try await terminals.screen("alice", "here: Bob", "n p look at")
        _ = try await terminals.screen("bob", "here: Alice", "n p look at")

        try await terminals.type("n", in: "alice")
        _ = try await terminals.screen("alice", "▸ milk (x marks it off)")
        _ = try await terminals.screen("bob", "Alice is looking at milk")

        // The mark can't be appended for as long as the list is locked.
        try await ListLock.with(url) {
            try await terminals.type("x", in: "alice")
            _ = try await terminals.screen("alice", "1.  ✓  milk")
            let seen = try await terminals.screen("bob", "~ Alice marks off milk …")
            #expect(seen.contains("1.  ·  milk"))

            // Bob marks it off, too. Both are told before either mark is in the journal.
            try await terminals.type("n", in: "bob")
            _ = try await terminals.screen("bob", "▸ milk (x marks it off)")
            try await terminals.type("x", in: "bob")
            _ = try await terminals.screen("bob", "Alice marks off milk, too")
            _ = try await terminals.screen("alice", "Bob marks off milk, too")
        }
        let real = try await terminals.screen("bob", "1.  ✓  milk", without: "~ Alice")
        #expect(real.contains("2.  ·  bread"))
        // He still looks at the list. Looking at it moves his read mark.
        while try await !alice("activity").contains("Alice marked off 'milk'  · seen by Bob") {
            try Task.checkCancellation()
        }

        try await ListLock.with(url) {
            try await terminals.type("n", in: "alice")
            try await terminals.type("x", in: "alice")
            _ = try await terminals.screen("bob", "~ Alice marks off bread …")
            // Alice's terminal is gone before the mark was sent.
            try await terminals("kill-session", "-t", "alice")
            let gone = try await terminals.screen("bob", "2.  ·  bread", without: "~ Alice")
            #expect(!gone.contains("Alice is looking at"))
        }
    }
}

private struct Terminals {
    let socket: String

    @discardableResult
    func callAsFunction(_ arguments: String...) async throws -> String {
        let result = try await Subprocess.run(
            .name("tmux"), arguments: Arguments(["-S", socket] + arguments), output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 16))
        return result.standardOutput + result.standardError
    }

    func type(_ key: String, in session: String) async throws {
        try await self("send-keys", "-t", session, key)
    }

    /// A session's screen, once it contains all of these texts and not the other one.
    func screen(
        _ session: String, _ parts: String..., without other: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        try await eventually(
            "a screen of \(session) with \(parts)", every: .milliseconds(100), sourceLocation: sourceLocation
        ) {
            try await self("capture-pane", "-p", "-t", session)
        } until: {
            parts.allSatisfy($0.contains) && !(other.map($0.contains) ?? false)
        }
    }
}

/// A lock on all lists, which lets nobody append.
private enum ListLock {
    static func with(_ url: String, _ body: () async throws -> Void) async throws {
        let pool = Pool(try Store.configuration(url).holdingLocks())
        do {
            try await pool.withConnection { connection in
                _ = try await connection.execute("BEGIN")
                _ = try await connection.execute("SELECT id FROM list FOR UPDATE")
                try await body()
                _ = try await connection.execute("ROLLBACK")
            }
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }
}
