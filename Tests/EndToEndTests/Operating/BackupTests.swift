import FoundationEssentials
import Subprocess
import Testing

/// `trolleyd backup` and `restore`, on trolleyd's own PostgreSQL.
@Suite(.timeLimit(.minutes(20))) struct BackupTests {
    @Test
    func `a backup of a running service is restored elsewhere, all sessions end, and devices heal it once signed in`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let file = "\(directory)/trolley.dump"
            let port = try await RunningService.run(dataDirectory: "\(directory)/data") { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await alice("new", "Orchard")
                try await alice("add", "quince")
                let backup = try await trolleyd("backup", file, "--json", "--data-directory", "\(directory)/data")
                #expect(backup.succeeded, "\(backup.errors)")
                let report = try JSONDecoder().decode(Report.self, from: Data(backup.output.utf8))
                #expect(report.file == file && report.tables > 10)
                #expect(try report.bytes == Data(contentsOf: URL(filePath: file)).count)
                try await alice("add", "medlar")
                return service.port
            }
            let restored = try await trolleyd("restore", file, "--data-directory", "\(directory)/new")
            #expect(restored.succeeded && restored.output.contains("has begun"), "\(restored.errors)")
            #expect(restored.output.contains("All sessions have ended"))
            try await RunningService.run(dataDirectory: "\(directory)/new", port: port) { service in
                // The device keeps its list, also one that the service doesn't have, and takes changes.
                #expect(try await alice.fails("sync").contains("trolley sign-in \(service.address)"))
                try await alice("add", "sloe")
                #expect(try await alice("show").contains("medlar"))
                try await alice("sign-in", service.address, "--email", "alice@example.com")
                for _ in 1...2 { try await alice("sync") }
                let bob = CommandLineDevice(home: "\(directory)/bob")
                try await bob("sign-in", service.address, "--email", "alice@example.com")
                try await bob("sync")
                try await bob("use", "Orchard")
                let shown = try await bob("show")
                for text in ["quince", "medlar", "sloe"] { #expect(shown.contains(text)) }
            }
        }
    }

    @Test func `what was ended since the backup is not valid again, unless the operator keeps the sessions`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (alice, lost) = (
                CommandLineDevice(home: "\(directory)/alice"), CommandLineDevice(home: "\(directory)/lost")
            )
            let (data, file) = ("\(directory)/data", "\(directory)/trolley.dump")
            try await RunningService.run(dataDirectory: data) { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await lost("sign-in", service.address, "--email", "alice@example.com")
                try await lost("new", "Orchard")
                let code =
                    try await trolleyd("reset-password", "alice@example.com", "--data-directory", data).output
                    .split(separator: "\n").first.map(String.init) ?? ""
                #expect(try await trolleyd("backup", file, "--data-directory", data).succeeded)
                let ended = try await trolleyd("accounts", "--sign-out", "alice@example.com", "--data-directory", data)
                #expect(ended.succeeded, "\(ended.errors)")

                #expect(try await trolleyd("restore", file, "--replace", "--data-directory", data).succeeded)
                // The device must not lose its lists, whatever is done with it then.
                #expect(try await lost.fails("sync").contains("no longer knows this device"))
                try await lost("sign-out")
                #expect(try await lost("lists").contains("Orchard"))
                let used = try await alice.run(
                    "password", "--server", service.address, "--email", "alice@example.com", "--code", code)
                #expect(used.status != .exited(0), "the code may have been used since")

                let kept = try await trolleyd(
                    "restore", file, "--replace", "--keep-sessions", "--json", "--data-directory", data)
                #expect(kept.succeeded && kept.output.contains(#""sessionsKept":2"#), "\(kept.output)")
                try await alice("sync")
            }
        }
    }

    @Test func `a service that runs goes on with what is put in the place of its database`() async throws {
        try await withTemporaryDirectory { directory in
            let alice = CommandLineDevice(home: "\(directory)/alice")
            let (data, file) = ("\(directory)/data", "\(directory)/trolley.dump")
            try await RunningService.run(dataDirectory: data) { service in
                try await alice("sign-up", service.address, "--email", "alice@example.com", "--name", "Alice")
                try await alice("new", "Orchard")
                try await alice("add", "quince")
                #expect(try await trolleyd("backup", file, "--data-directory", data).succeeded)
                try await alice("add", "medlar")

                let refused = try await trolleyd("restore", file, "--json", "--data-directory", data)
                #expect(!refused.succeeded && refused.output.contains("--replace"))
                let restored = try await trolleyd(
                    "restore", file, "--replace", "--keep-sessions", "--data-directory", data)
                #expect(restored.succeeded, "\(restored.errors)")
                try await alice("sync")
                try await alice("add", "sloe")
                for _ in 1...2 { try await alice("sync") }
                let bob = CommandLineDevice(home: "\(directory)/bob")
                try await bob("sign-in", service.address, "--email", "alice@example.com")
                try await bob("sync")
                try await bob("use", "Orchard")
                let shown = try await bob("show")
                for text in ["quince", "medlar", "sloe"] { #expect(shown.contains(text)) }
            }
        }
    }

    @Test func `a backup overwrites nothing, and a restore refuses what is no whole backup, and touches nothing`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (data, file) = ("\(directory)/data", "\(directory)/trolley.dump")
            #expect(try await trolleyd("migrate", "--data-directory", data).succeeded)
            let before = try await trolleyd("epoch", "--data-directory", data).output
            try Data("mine".utf8).write(to: URL(filePath: file))
            let backup = try await trolleyd("backup", file, "--json", "--data-directory", data)
            #expect(!backup.succeeded && backup.output.contains("exists already"))
            #expect(try Data(contentsOf: URL(filePath: file)) == Data("mine".utf8))

            func refuse(_ sentence: String) async throws {
                let outcome = try await trolleyd("restore", file, "--replace", "--json", "--data-directory", data)
                #expect(!outcome.succeeded && outcome.output.contains(sentence), "\(outcome.output)")
            }
            try await refuse("is not a file of trolleyd backup")
            try FileManager.default.removeItem(atPath: file)
            try await refuse("can't be read")
            #expect(try await trolleyd("backup", file, "--data-directory", data).succeeded)
            let whole = try Data(contentsOf: URL(filePath: file))
            try whole.prefix(whole.count - 100).write(to: URL(filePath: file))
            try await refuse("is incomplete or damaged")
            #expect(try await trolleyd("epoch", "--data-directory", data).output == before)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["data", "trolley.dump"])
        }
    }

    private struct Report: Decodable {
        let file: String
        let bytes, tables: Int
        let seconds: Double
    }

    private func trolleyd(_ arguments: String...) async throws -> (succeeded: Bool, output: String, errors: String) {
        let result = try await Subprocess.run(
            Programs.trolleyd, arguments: Arguments(arguments), input: .none, output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        return (result.terminationStatus.isSuccess, result.standardOutput, result.standardError)
    }
}
