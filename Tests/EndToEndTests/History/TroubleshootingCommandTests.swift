import FoundationEssentials
import Subprocess
import Testing

/// Troubleshooting and moving lists, with the real programs.
@Suite(.timeLimit(.minutes(20))) struct TroubleshootingCommandTests {
    private func trolleyd(
        _ arguments: String..., environment: [Environment.Key: String?] = [:]
    ) async throws -> (code: Bool, output: String) {
        let result = try await Subprocess.run(
            Programs.trolleyd, arguments: Arguments(arguments), environment: .inherit.updating(environment),
            output: .string(limit: 16 << 20), error: .string(limit: 1 << 20))
        return (result.terminationStatus.isSuccess, result.standardOutput + result.standardError)
    }

    @Test func `doctor, diagnostics, inspect, export and import work beside a service that runs`() async throws {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            let (alice, bob) = (
                CommandLineDevice(home: "\(directory)/alice"), CommandLineDevice(home: "\(directory)/bob")
            )
            try await RunningService.run(dataDirectory: data) { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await alice("new", "Orchard")
                try await alice("add", "quince", "medlar")
                try await bob("sign-up", service.address, "--email", "bob@example.com", "--name", "Bob")

                let doctor = try await trolleyd("doctor", "--json", "--data-directory", data, "--host", "0.0.0.0")
                #expect(doctor.code && doctor.output.contains(#""check":"hints","message":"LISTEN and NOTIFY work"#))
                #expect(doctor.output.contains("without TLS at 0.0.0.0"))
                #expect(doctor.output.contains(#""check":"reserve","message":"64 MiB are reserved"#))

                let (phone, service) = ("\(directory)/phone.json", "\(directory)/service.json")
                try Data(try await alice("diagnostics").utf8).write(to: URL(filePath: phone))
                let written = try await trolleyd(
                    "diagnostics", "--account", "alice@example.com", "--json", "--output", service,
                    "--data-directory", data, environment: ["TROLLEY_OIDC_JWKS": "hunter2", "TROLLEY_PORT": "8081"])
                #expect(written.code)
                let document = try String(contentsOfFile: service, encoding: .utf8)
                for secret in ["hunter2", "quince", "Orchard", "alice"] { #expect(!document.contains(secret)) }
                // The settings are the running service's, not those of the command's own environment.
                #expect(!document.contains("8081") && document.contains(#""TROLLEY_PORT":""#), "\(document)")
                let same = try await alice("inspect", phone, service)
                #expect(same.contains("Both show the same") && same.contains("the same entries"))
                // Compression discards entries on one side, and doesn't change the shown list.
                let compressed = "\(directory)/compressed.json"
                let shorter = try String(contentsOfFile: phone, encoding: .utf8)
                    .replacing(/"entries":\[\{[^}]*\},/, with: #""entries":["#, maxReplacements: 1)
                try Data(shorter.utf8).write(to: URL(filePath: compressed))
                let after = try await alice("inspect", phone, compressed)
                #expect(after.contains("Both show the same through change") && after.contains("1 place"), "\(after)")
                #expect(!after.contains("They part at change"))
                let comparison = try await alice("inspect", phone, compressed, "--json")
                #expect(
                    comparison.contains(#""showTheSame":true"#) && comparison.contains(#""differing":1,"first":null"#))
                let readable = try await trolleyd("diagnostics", "--data-directory", data)
                #expect(readable.code && readable.output.contains("totals:") && readable.output.contains("head: 3"))

                let file = "\(directory)/lists.json"
                try await alice("export", "--output", file)
                for _ in 1...2 { try await bob("import", file) }
                #expect(try await bob("lists").ranges(of: "Orchard").count == 1)
                #expect(try await bob("show").contains("medlar"))
                let imported = try await trolleyd(
                    "import", "--account", "bob@example.com", file, "--data-directory", data)
                #expect(imported.code && imported.output.contains("0 changes made, 3 there already"))
            }
        }
    }

    @Test func `an unreachable service and an unreadable file are reported with exit code 1`() async throws {
        try await withTemporaryDirectory { directory in
            let nowhere = "postgresql://x:hunter2@/y?host=\(directory)"
            let doctor = try await trolleyd("doctor", "--database-url", nowhere)
            #expect(!doctor.code && doctor.output.contains("failed") && !doctor.output.contains("hunter2"))
            let file = "\(directory)/bad.json"
            let cut = #"{"format":"trolley-export","version":1,"lists":["#
            try Data(cut.utf8).write(to: URL(filePath: file))
            let imported = try await trolleyd("import", "--account", "x", file, "--database-url", nowhere)
            #expect(!imported.code && imported.output.contains("Nothing was imported"))
        }
    }
}
