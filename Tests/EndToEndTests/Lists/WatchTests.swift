import FoundationEssentials
import Subprocess
import Testing
import TrolleyTestSupport

/// `trolley watch` in a terminal, which is tmux.
@Suite(.timeLimit(.minutes(20))) struct WatchTests {
    private struct Terminal {
        let socket: String

        @discardableResult
        func callAsFunction(_ arguments: String...) async throws -> String {
            let result = try await Subprocess.run(
                .name("tmux"), arguments: Arguments(["-S", socket] + arguments), output: .string(limit: 1 << 20),
                error: .string(limit: 1 << 16))
            return result.standardOutput + result.standardError
        }

        /// The screen, once it contains all of these texts.
        func screen(_ parts: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
            try await eventually(
                "a screen with \(parts)", every: .milliseconds(100), sourceLocation: sourceLocation
            ) {
                try await self("capture-pane", "-p", "-t", "watch")
            } until: {
                parts.allSatisfy($0.contains)
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `it takes the screen, follows the list and the window's size, and gives the screen back`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Weekly shop", "--local")
            try await device("add", "milk", "bread")
            let terminal = Terminal(socket: "\(directory)/tmux")
            let command = "env TROLLEY_HOME=\(device.home) TROLLEY_LANGUAGE=none PS1='ready> ' NO_COLOR=1 bash --norc"
            try await terminal("new-session", "-d", "-s", "watch", "-x", "80", "-y", "24", command)
            do {
                _ = try await terminal.screen("ready>")
                try await terminal("send-keys", "-t", "watch", "\(Programs.directory)/trolley watch --every 1", "Enter")
                let shown = try await terminal.screen("Weekly shop  2 to buy", "1.  ·  milk", "q leave")
                #expect(!shown.contains("ready>"), "another screen")

                try await device("off", "milk")
                _ = try await terminal.screen("Weekly shop  1 to buy", "1.  ✓  milk")
                try await terminal("resize-window", "-t", "watch", "-x", "30", "-y", "10")
                _ = try await terminal.screen("Weekly shop  1 to buy", "q leave · t show what is new …")

                try await terminal("send-keys", "-t", "watch", "q")
                _ = try await terminal.screen("ready>")
                try await terminal("send-keys", "-t", "watch", "stty -a | grep -c -- ' -icanon'; echo left=$?", "Enter")
                _ = try await terminal.screen("left=1")

                try await terminal("send-keys", "-t", "watch", "clear; \(Programs.directory)/trolley watch", "Enter")
                _ = try await terminal.screen("Weekly shop  1 to buy")
                try await terminal("send-keys", "-t", "watch", "C-c")
                _ = try await terminal.screen("ready>")
            } catch {
                try await terminal("kill-server")
                throw error
            }
            try await terminal("kill-server")
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `a key just after somebody else's mark confirms it, and the double buy is told without a room`() async throws {
        try await withTemporaryDirectory { directory in
            try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                let alice = CommandLineDevice(home: "\(directory)/alice")
                let bob = CommandLineDevice(home: "\(directory)/bob")
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await alice("new", "Weekly shop")
                try await alice("add", "milk", "bread")
                let invitation = try await alice("invite", "bob@example.com", "--json")
                let link = try #require(
                    JSONDecoder().decode([String: String?].self, from: Data(invitation.utf8))["link"] ?? nil)
                try await bob("sign-up", service.address, "--email", "bob@example.com", "--name", "Bob")
                try await bob("join", link)

                let terminal = Terminal(socket: "\(directory)/tmux")
                let watch = "\(Programs.directory)/trolley watch --every 1"
                try await terminal(
                    "new-session", "-d", "-s", "watch", "-x", "80", "-y", "24",
                    "env TROLLEY_HOME=\(alice.home) TROLLEY_LANGUAGE=none NO_COLOR=1 \(watch)")
                do {
                    _ = try await terminal.screen("Weekly shop  2 to buy", "1.  ·  milk")
                    try await terminal("send-keys", "-t", "watch", "n")
                    _ = try await terminal.screen("▸ milk (x marks it off)")
                    // Bob has no room: his mark comes by the journal alone.
                    try await bob("off", "milk")
                    _ = try await terminal.screen("Weekly shop  1 to buy", "1.  ✓  milk")
                    try await terminal("send-keys", "-t", "watch", "x")
                    _ = try await terminal.screen("Bob marks off milk, too", "1.  ✓  milk")
                } catch {
                    try await terminal("kill-server")
                    throw error
                }
                try await terminal("kill-server")
            }
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `in a pipe it ends when its reader has gone, though nothing changes any more`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Weekly shop", "--local")
            let script = "\(Programs.directory)/trolley watch --json --every 1 --home \(device.home) | head -n 1"
            let output = try await Programs.output(of: .name("sh"), "-c", script)
            #expect(output.contains(#""name":"Weekly shop""#) && output.last == "\n")
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `in a terminal it asks which item is meant; in a pipe it says which fit`() async throws {
        try await withTemporaryDirectory { directory in
            let device = CommandLineDevice(home: "\(directory)/home")
            try await device("new", "Weekly shop", "--local")
            try await device("add", "milk", "oat milk")
            let piped = try await Subprocess.run(
                Programs.trolley, arguments: ["off", "mil", "--json", "--home", "\(directory)/home"],
                input: .none, output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
            #expect(!piped.terminationStatus.isSuccess)
            #expect(piped.standardOutput.contains(#""candidates":[{"id":""#))
            #expect(piped.standardOutput.contains(#""position":2,"text":"oat milk""#))

            let terminal = Terminal(socket: "\(directory)/tmux")
            let command = "env TROLLEY_HOME=\(device.home) TROLLEY_LANGUAGE=none PS1='ready> ' bash --norc"
            try await terminal("new-session", "-d", "-s", "watch", "-x", "80", "-y", "24", command)
            do {
                _ = try await terminal.screen("ready>")
                try await terminal("send-keys", "-t", "watch", "\(Programs.directory)/trolley off mil", "Enter")
                _ = try await terminal.screen("1. milk", "2. oat milk", "Which one?")
                try await terminal("send-keys", "-t", "watch", "2", "Enter")
                _ = try await terminal.screen("Marked off oat milk.")
            } catch {
                try await terminal("kill-server")
                throw error
            }
            try await terminal("kill-server")
        }
    }
}
