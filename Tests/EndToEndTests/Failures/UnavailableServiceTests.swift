import FoundationEssentials
import Subprocess
import Testing
import TrolleyTestSupport

/// A device's answers while its service can't answer, and the time that a person waits for them.
@Suite(.timeLimit(.minutes(20))) struct UnavailableServiceTests {
    /// Runs `body` with a device on which Alice is signed in and has a list, and the port of its service, which has ended.
    private func withDevice(_ body: (CommandLineDevice, String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let port = try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await alice("new", "Party")
                try await alice("add", "milk", "tea")
                try await alice("invite", "bob@example.com")
                #expect(try await alice("whoami").contains("Alice <alice@example.com> at \(service.address)"))
                return service.port
            }
            var impatient = alice
            impatient.isPatient = false
            try await body(impatient, port)
        }
    }

    @Test(arguments: [nil, "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"])
    func `a device whose service can't answer tells what it knows, within seconds`(_ status: String?) async throws {
        try await withDevice { alice, port in
            let service = try UnavailableService(port: port, status: status)
            defer { service.close() }
            func timed(_ limit: Duration, _ arguments: String..., contain texts: String...) async throws {
                let (answer, time, slack) = try await alice.timed(arguments)
                #expect(time < limit + slack, "\(arguments) took \(time), of which \(slack) may be the machine's")
                #expect(answer.status == .exited(0))
                for text in texts { #expect(answer.output.contains(text), "\(arguments): \(answer.output)") }
            }
            try await timed(.seconds(5), "add", "eggs", contain: "Added eggs.", "1 change waiting to be sent.")
            try await timed(.seconds(5), "show", contain: "3. [ ] eggs")
            try await timed(
                .seconds(10), "activity", contain: "You added 'eggs', not sent yet", "Alice added 'milk'",
                "This is what this device has")
            try await timed(.seconds(10), "activity", "--json", contain: #""pending":[{"madeAt":"#, #""isSent":false"#)
            try await timed(.seconds(10), "participants", contain: "This is what this device knew last.")
            try await timed(.seconds(10), "participants", "--json", contain: #""offline":true"#)
            try await timed(
                .seconds(10), "messages", contain: "No messages.\n",
                "The service can't be reached. This is what this device knew last.")
            try await timed(.seconds(10), "messages", "--json", contain: #""offline":true"#)
            let moment = try await Programs.moment()
            try await timed(
                .seconds(10), "replay", "--at", moment, contain: "3. [ ] eggs", "This is what this device has",
                "1 change in it not sent yet.")
            // What follows is later.
            try await eventually {
                try await Programs.moment()
            } until: {
                $0 > moment
            }
            try await timed(.seconds(5), "add", "jam", contain: "2 changes waiting to be sent.")
            try await timed(.seconds(5), "delete", "tea", contain: "Deleted tea.")
            // Items that were added before the moment stay, though they are not sent. Removed items are listed.
            try await timed(
                .seconds(15), "restore", "--to", moment, contain: "restores: tea; removes: jam (not sent yet).",
                "Restored.")
            #expect(
                try await alice("show").hasSuffix(
                    "1. [ ] milk\n2. [ ] tea\n3. [ ] eggs\n5 changes waiting to be sent.\n"))
        }
    }

    @Test func `a sync with a service that never answers ends after its limit, and loses nothing`() async throws {
        try await withDevice { alice, port in
            let service = try UnavailableService(port: port, status: nil)
            defer { service.close() }
            try await alice("add", "eggs")
            let (answer, time, slack) = try await alice.timed(["sync"])
            #expect(answer.status == .exited(1) && time < .seconds(45) + slack, "\(time)")
            #expect(try await alice("queue").contains("1 to be sent: 1 add"))
        }
    }

    @Test func `in a terminal it is said what is waited for`() async throws {
        try await withDevice { alice, port in
            let service = try UnavailableService(port: port, status: nil)
            defer { service.close() }
            for command in ["add eggs", "activity", "participants", "replay --through 2", "restore --to 2 --preview"] {
                let shown = try await Programs.output(inTerminal: "trolley \(command)", home: alice.home)
                #expect(shown.contains("Waiting for http://127.0.0.1:\(port) …"), "\(command): \(shown)")
            }
        }
    }

    @Test func `when the next try is due is said in words`() async throws {
        try await withDevice { alice, port in
            let service = try UnavailableService(port: port, status: "429 Too Many Requests\r\nRetry-After: 1200")
            defer { service.close() }
            // It answers, so a busy machine may take its time.
            var patient = alice
            patient.isPatient = true
            #expect(try await patient("add", "eggs").contains("The service is busy"))
            let waiting = try await patient("add", "jam")
            // Between the two changes a busy machine may let minutes pass.
            #expect(waiting.contains(/The next try is due in (1\d|20) minutes; to try now: trolley sync/), "\(waiting)")
        }
    }
}

extension CommandLineDevice {
    /// Runs `trolley ARGUMENTS`.
    /// - Returns: the answer, how long it took, and how much of that may be due to other work on this machine: some starts of
    ///   the program, as long as they take now.
    fileprivate func timed(
        _ arguments: [String]
    ) async throws -> (answer: (status: TerminationStatus, output: String, errors: String), Duration, slack: Duration) {
        let clock = ContinuousClock()
        let before = try await clock.measure { _ = try await run("--version") }
        let start = clock.now
        let answer = try await run(arguments)
        let time = clock.now - start
        let after = try await clock.measure { _ = try await run("--version") }
        return (answer, time, (before + after) * 4)
    }
}
