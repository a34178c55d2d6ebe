import Foundation
import Subprocess
import Testing

/// Compares the settings in docs/operations.md with trolleyd's.
@Suite(.timeLimit(.minutes(20))) struct OperationsDocumentTests {
    private struct Help: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable {
                    let kind: String
                    let name: String
                }
                let names: [Name]?
                let abstract: String?
            }
            let commandName: String
            let arguments: [Argument]?
            let subcommands: [Command]?
        }
        let command: Command
    }

    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    /// The table's rows, by flag: the other columns.
    private static func rows() throws -> [String: [String]] {
        let text = try String(contentsOf: root.appending(path: "docs/operations.md"), encoding: .utf8)
        var rows: [String: [String]] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| `--") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            rows[cells[0].trimmingCharacters(in: ["`"])] = Array(cells.dropFirst())
        }
        return rows
    }

    @Test func `the table has every flag of every command, with its default, and no other`() async throws {
        let result = try await Subprocess.run(
            Programs.trolleyd, arguments: ["--experimental-dump-help"], output: .string(limit: 4 << 20))
        let help = try JSONDecoder().decode(Help.self, from: Data(result.standardOutput.utf8))
        let rows = try Self.rows()
        var flags: Set<String> = []
        for command in help.command.subcommands ?? [] where command.commandName != "help" {
            for argument in command.arguments ?? [] {
                guard let name = argument.names?.first(where: { $0.kind == "long" })?.name,
                    !["help", "version"].contains(name)
                else { continue }
                flags.insert("--\(name)")
                let row = try #require(rows["--\(name)"], "\(command.commandName) --\(name) is not in the table")
                guard let named = argument.abstract?.firstMatch(of: /\(default: (.+)\)/)?.1 else { continue }
                #expect(row[1].contains(named), "--\(name): the default is \(named)")
            }
        }
        #expect(flags.count >= 10)
        #expect(Set(rows.keys).subtracting(flags) == [], "there are no such flags")
    }

    @Test func `docker-compose.yml passes every setting of a running service on from .env`() throws {
        let compose = try String(contentsOf: Self.root.appending(path: "docker-compose.yml"), encoding: .utf8)
        // The container fixes these, or they belong to commands that people run by hand.
        let others = [
            "HOST", "PORT", "DATABASE_URL", "DATA_DIRECTORY", "LIST", "ACCOUNT", "WITH_CONTENT", "OUTPUT", "DRY_RUN",
            "STATUS", "EMAIL", "INVITE_EXPIRES", "RESET_VALID_FOR", "JSON", "WEB_DIRECTORY", "CERTIFICATE_DIRECTORY",
            "CERTIFICATE_DAYS",
        ].map { "TROLLEY_\($0)" }
        for row in try Self.rows().values {
            let name = row[0].trimmingCharacters(in: ["`"])
            if name == "by flag only" || others.contains(name) { continue }
            #expect(compose.contains("    \(name): ${\(name):-"), "\(name)")
        }
        #expect(compose.contains(#"- "${TROLLEY_BIND:-127.0.0.1}:${TROLLEY_PORT:-8080}:8080""#))
    }

    @Test func `the database's role in docker-compose.yml is not the image's superuser`() throws {
        func read(_ name: String) throws -> String {
            try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
        }
        let compose = try read("docker-compose.yml")
        let superuser = try #require(compose.firstMatch(of: /POSTGRES_USER: (\w+)/)?.1)
        let url = try #require(compose.firstMatch(of: /TROLLEY_DATABASE_URL: postgresql:\/\/(\w+)@postgres\/(\w+)/))
        #expect(url.1 != superuser)
        let script = try read("deploy/postgres-init.sh")
        #expect(compose.contains("./deploy/postgres-init.sh:/docker-entrypoint-initdb.d/"))
        #expect(script.contains("CREATE ROLE \(url.1) LOGIN PASSWORD") && !script.contains(" SUPERUSER"))
        #expect(script.contains("CREATE DATABASE \(url.2) OWNER \(url.1)"))
    }

    @Test func `docker-compose.yml builds from the images that the Dockerfile names, or from those in .env`() throws {
        func read(_ name: String) throws -> String {
            try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
        }
        let (dockerfile, compose) = (try read("Dockerfile"), try read("docker-compose.yml"))
        let images = dockerfile.matches(of: /(?m)^ARG (\w+_IMAGE)=(.+)$/)
        #expect(images.count == 2)
        for image in images {
            #expect(compose.contains("      \(image.1): ${\(image.1):-\(image.2)}\n"), "\(image.1)")
            #expect(dockerfile.contains("FROM ${\(image.1)}"))
        }
    }

    @Test func `the manifest for Kubernetes has the image's user and port, and settings and probes that there are`()
        throws
    {
        func read(_ name: String) throws -> String {
            try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
        }
        let page = try read("docs/kubernetes.md")
        let manifest = try #require(page.firstMatch(of: /(?s)```yaml\n(.+?)```/)?.1)
        let dockerfile = try read("Dockerfile")
        let settings = Set(try Self.rows().values.map { $0[0].trimmingCharacters(in: ["`"]) })
        let named = Set(manifest.matches(of: /TROLLEY_[A-Z_]+/).map { String($0.0) })
        #expect(named.count >= 4 && named.subtracting(settings) == [], "there are no such settings")
        let user = try #require(dockerfile.firstMatch(of: /useradd --system --uid (\d+)/)?.1)
        let users = manifest.matches(of: /runAs(?:User|Group): (\d+)/).map(\.1)
        #expect(users.count == 4 && users.allSatisfy { $0 == user })
        let port = try #require(dockerfile.firstMatch(of: /EXPOSE (\d+)/)?.1)
        #expect(manifest.contains("containerPort: \(port) }"))
        let description = try read("openapi.yaml")
        let probes = manifest.matches(of: /httpGet: \{ path: ([^,]+),/).map(\.1)
        #expect(probes == ["/healthz", "/healthz", "/readyz"])
        for probe in probes { #expect(description.contains("\n  \(probe):\n"), "\(probe)") }
    }

    @Test func `the table has every environment variable that the program reads, and no other`() throws {
        let directory = Self.root.appending(path: "Sources/trolleyd")
        var read: Set<String> = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: directory.path) where file.hasSuffix(".swift") {
            let source = try String(contentsOf: directory.appending(path: file), encoding: .utf8)
            for match in source.matches(of: /(?:value|optional|isOn|positive|limit|timeout)\(\s*[^"\n]*"([a-z.]+)"/) {
                // Only a build for tests knows these.
                if match.1.hasPrefix("test.") { continue }
                read.insert("TROLLEY_" + match.1.uppercased().replacing(".", with: "_"))
            }
        }
        let named = try Self.rows().values.map { $0[0].trimmingCharacters(in: ["`"]) }
            .filter { $0 != "by flag only" }
        #expect(read.subtracting(named) == [], "not in the table")
        #expect(Set(named).subtracting(read) == [], "not read")
    }
}
