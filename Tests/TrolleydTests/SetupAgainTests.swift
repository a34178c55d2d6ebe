import ArgumentParser
import Foundation
import Testing
import TrolleyWire

@testable import trolleyd

#if canImport(Glibc)
    import Glibc
#endif

/// `trolleyd setup` where a file of settings is there already.
@Suite(.timeLimit(.minutes(20))) struct SetupAgainTests {
    private let folder: TemporaryFolder
    private var directory: String { folder.path }
    private var file: String { "\(directory)/trolleyd.env" }

    init() throws { folder = try TemporaryFolder() }

    private static let settings = """
        # Ours.
        TROLLEY_ADDRESS=http://127.0.0.1:9000
        TROLLEY_HOST=127.0.0.1
        TROLLEY_PORT=9000
        TROLLEY_TRUSTED_PROXIES=10.0.0.0/8
        TROLLEY_REGISTRATION=closed
        TROLLEY_MAIL_COMMAND=msmtp -t
        TROLLEY_MAIL_FROM='Trolley <lists@example.com>'
        TROLLEY_BACKUP_DIRECTORY=/srv/backups
        TROLLEY_CONNECTIONS=500

        """

    private func write(_ text: String) throws { try text.write(toFile: file, atomically: true, encoding: .utf8) }

    private var text: String { get throws { try String(contentsOfFile: file, encoding: .utf8) } }

    /// Runs setup without asking.
    private func setUp(_ arguments: String...) async throws {
        let command = try SetupCommand.parse(["--file", file, "--defaults", "--json"] + arguments)
        try await command.run(Questions(isAsking: false), units: [])
    }

    /// Runs setup as at a terminal.
    /// - Parameter answers: the lines that a person types; then the input ends.
    /// - Returns: how many of them were read.
    @discardableResult private func setUpTyping(_ answers: String...) async throws -> Int {
        var rest = answers[...]
        let command = try SetupCommand.parse(["--file", file])
        try await command.run(Questions(isAsking: true) { rest.popFirst() }, units: [])
        return answers.count - rest.count
    }

    @Test func `empty answers leave every setting as it is, and so does asking nothing`() async throws {
        try write(Self.settings)
        #expect(try await setUpTyping("", "", "", "", "") == 5)
        #expect(try text == Self.settings)
        try await setUp()
        #expect(try text == Self.settings)
    }

    @Test func `one new answer changes nothing else`() async throws {
        try write(Self.settings)
        try await setUp("--registration", "open")
        #expect(try text == Self.settings.replacing("closed", with: "open"))
        try await setUpTyping("", "", "closed", "", "")
        #expect(try text == Self.settings)
    }

    @Test func `a dash takes mail and backups away, with the sender`() async throws {
        try write(Self.settings)
        try await setUpTyping("", "", "", "-", "-")
        let expected = ["TROLLEY_MAIL_COMMAND", "TROLLEY_MAIL_FROM", "TROLLEY_BACKUP_DIRECTORY"]
            .reduce(Self.settings) { $0.replacing($1, with: "#\($1)") }
        #expect(try text == expected)
    }

    @Test func `a file of an earlier setup tells its address by its certificate`() async throws {
        try await setUp("--address", "https://kitchen.local:8443", "--registration", "closed")
        let made = try text
        try write(made.replacing("TROLLEY_ADDRESS=https://kitchen.local:8443\n", with: ""))
        try await setUpTyping("", "", "", "", "")
        #expect(try Set(text.split(separator: "\n")) == Set(made.split(separator: "\n")))
    }

    @Test func `the port counts that the file has now`() async throws {
        try write(Self.settings.replacing("TROLLEY_PORT=9000", with: "TROLLEY_PORT=9001"))
        try await setUp()
        #expect(try text == Self.settings.replacing("9000", with: "9001"))
    }

    @Test func `a certificate of the operator's own stays, unless the person wants another way`() async throws {
        let settings = """
            TROLLEY_ADDRESS=https://lists.example.com
            TROLLEY_HOST=192.168.1.5
            TROLLEY_PORT=443
            TROLLEY_TLS_CERTIFICATE=/etc/letsencrypt/fullchain.pem
            TROLLEY_TLS_KEY=/etc/letsencrypt/privkey.pem
            TROLLEY_REGISTRATION=invitation

            """
        try write(settings)
        try await setUpTyping("", "", "", "", "")
        #expect(try text == settings)
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/certificates"))
        try await setUp("--tls", "caddy")
        let changed = try text
        #expect(changed.contains("#TROLLEY_TLS_KEY=") && changed.contains("TROLLEY_HOST=127.0.0.1\n"))
        await #expect(throws: ValidationError.self) { try await setUp("--tls", "keep") }
    }

    @Test func `a link to the settings stays, and nobody else can read them now`() async throws {
        let target = "\(directory)/target.env"
        try Self.settings.write(toFile: target, atomically: true, encoding: .utf8)
        try #require(chmod(target, 0o640) == 0)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
        try await setUp("--registration", "open")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file) == target)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == Self.settings.replacing("closed", with: "open"))
        let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test(.enabled(if: geteuid() == 0)) func `the settings stay their owner's and their group's`() async throws {
        try write(Self.settings)
        try #require(chown(file, 4321, 4322) == 0 && chmod(file, 0o640) == 0)
        try await setUp("--registration", "open")
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_uid == 4321 && status.st_gid == 4322)
        #expect(status.st_mode & 0o777 == 0o640)
    }

    @Test func `a new certificate keeps the names that the last one had`() async throws {
        try await setUp("--address", "https://kitchen.local:8443")
        let certificates = CertificateFiles(directory: "\(directory)/certificates")
        let names = [try #require(CertifiedName("kitchen.local")), try #require(CertifiedName("10.9.8.7"))]
        _ = try await certificates.make(names, days: 397, newAuthority: false, at: Date())
        try await setUp("--registration", "closed")
        let present = PresentSettings(of: try EnvironmentFile(text, of: file), own: certificates)
        #expect(present.certified.contains(names[1]))
    }

    @Test func `a port behind Caddy stays, and Caddy is told of it`() throws {
        var present = PresentSettings()
        present.tls = .caddy
        present.host = "0.0.0.0"
        present.port = 9000
        present.trustedProxies = "10.0.0.1"
        let address = try #require(PublicAddress("https://lists.example.com"))
        let answers = SetupAnswers(address: address, tls: .caddy, registration: .open, present: present)
        #expect(answers.listening.host == "0.0.0.0" && answers.listening.port == 9000)
        #expect(answers.caddyfile?.contains("reverse_proxy 127.0.0.1:9000 {") == true)
        let names = answers.settings(certificate: "/c", key: "/k").map(\.name)
        #expect(!names.contains("TROLLEY_TRUSTED_PROXIES"))
    }

    @Test func `an invalid value is told, and never becomes an answer by itself`() async throws {
        let valid = Self.settings.replacing("TROLLEY_TRUSTED_PROXIES=10.0.0.0/8\n", with: "")
        for (setting, flag) in [
            ("TROLLEY_ADDRESS=kitchen/path", ["--address", "http://127.0.0.1:9000"]),
            ("TROLLEY_REGISTRATION=everybody", ["--registration", "closed"]),
            ("TROLLEY_MAIL_COMMAND=\"'msmtp\"", ["--mail-command", "msmtp -t"]),
            ("TROLLEY_BACKUP_DIRECTORY=backups", ["--backup-directory", "/srv/backups"]),
        ] {
            let name = String(setting.prefix { $0 != "=" })
            let lines = valid.split(separator: "\n").map { $0.hasPrefix("\(name)=") ? setting : String($0) }
            let invalid = lines.joined(separator: "\n") + "\n"
            try write(invalid)
            let error = await #expect(throws: CommandError.self, "\(setting)") { try await setUp() }
            #expect(error?.description.contains(name) == true)
            #expect(try text == invalid)
            let command = try SetupCommand.parse(["--file", file, "--defaults", "--json"] + flag)
            try await command.run(Questions(isAsking: false), units: [])
            #expect(try text.replacing("\"msmtp -t\"", with: "msmtp -t") == valid)
            // A person gets the usual default instead.
            try write(invalid)
            try await setUpTyping(flag[0] == "--address" ? flag[1] : "", "", "", "", "")
            #expect(try !text.contains("\n\(setting)\n"))
        }
    }

    @Test func `a bad answer is asked for again`() async throws {
        try await setUpTyping(
            "https://kitchen.local:8443/path", "https://kitchen.local:8443", "keep", "caddy", "own", "perhaps",
            "closed", "'msmtp", "msmtp -t", "backups", "/srv/../etc", "/srv/backups/")
        let lines = try text.split(separator: "\n")
        for line in [
            "TROLLEY_PORT=8443", "TROLLEY_TLS_KEY=\(directory)/certificates/key.pem", "TROLLEY_REGISTRATION=closed",
            "TROLLEY_MAIL_COMMAND=\"msmtp -t\"", "TROLLEY_BACKUP_DIRECTORY=/srv/backups",
        ] {
            #expect(lines.contains(Substring(line)), "\(line)")
        }
    }

    @Test func `an input that ends changes nothing`() async throws {
        try write(Self.settings)
        for answers in [[], ["", "", "open"], ["http://127.0.0.1:1", "", "", "-"]] {
            var rest = answers[...]
            let command = try SetupCommand.parse(["--file", file])
            await #expect(throws: CommandError.self, "\(answers)") {
                try await command.run(Questions(isAsking: true) { rest.popFirst() }, units: [])
            }
            #expect(rest.isEmpty)
        }
        #expect(try text == Self.settings)
    }

    @Test func `a file that can't be read is refused before anything is asked, and stays`() async throws {
        let bytes = Data("TROLLEY_MAIL_FROM=J\u{FC}rgen\n".unicodeScalars.map { UInt8($0.value) })
        for content in [bytes, Data("TROLLEY_X=\"open\nTROLLEY_PORT=1\n".utf8)] {
            try content.write(to: URL(filePath: file))
            let error = await #expect(throws: CommandError.self) { try await setUpTyping("", "", "", "", "") }
            #expect(error?.description.contains(file) == true && error?.description.contains("changed") == true)
            #expect(try Data(contentsOf: URL(filePath: file)) == content)
        }
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        await #expect(throws: CommandError.self) { try await setUp("--address", "http://127.0.0.1:1") }
        await #expect(throws: CommandError.self) { try await setUpTyping("", "", "", "", "") }
    }
}
