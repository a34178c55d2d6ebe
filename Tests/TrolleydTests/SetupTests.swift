import ArgumentParser
import Foundation
import Testing
import TrolleyWire

@testable import trolleyd

/// `trolleyd setup`: from five answers to a file of settings.
@Suite(.timeLimit(.minutes(20))) struct SetupTests {
    private func answers(_ address: String, _ tls: TLSChoice? = nil) throws -> SetupAnswers {
        let address = try #require(PublicAddress(address), "\(address)")
        return SetupAnswers(
            address: address, tls: tls ?? SetupAnswers.tls(for: address), registration: .invitation)
    }

    private func settings(_ answers: SetupAnswers) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: answers.settings(certificate: "/c.pem", key: "/k.pem").compactMap { name, value in
                value.map { (name, $0) }
            })
    }

    @Test func `an address has a scheme, a host and perhaps a port, and nothing else`() throws {
        #expect(PublicAddress("lists.example.com")?.description == "https://lists.example.com")
        #expect(PublicAddress("HTTPS://Kitchen.local:8443/")?.description == "https://kitchen.local:8443")
        #expect(PublicAddress("http://[::1]:8080")?.description == "http://[::1]:8080")
        #expect(PublicAddress("http://[::1]:8080")?.isLoopback == true)
        #expect(PublicAddress("http://192.168.1.2")?.isLoopback == false)
        for wrong in [
            "", "ftp://x.example.com", "https://x.example.com/path", "https://a b", "https://ann@x.example.com",
            "https://x:99999",
            "https://x.example.com?a", "https://",
        ] {
            #expect(PublicAddress(wrong) == nil, "\(wrong)")
        }
    }

    @Test func `what fits an address: Caddy for public names, an authority of one's own at home`() throws {
        #expect(try answers("https://lists.example.com").tls == .caddy)
        #expect(try answers("https://kitchen.local:8443").tls == .own)
        #expect(try answers("https://192.168.1.20").tls == .own)
        #expect(try answers("http://127.0.0.1:8080").tls == .none)
    }

    @Test func `each way of TLS gives the settings that it needs, and takes away those of the others`() throws {
        let caddy = try answers("https://lists.example.com")
        #expect(
            settings(caddy) == [
                "TROLLEY_ADDRESS": "https://lists.example.com",
                "TROLLEY_HOST": "127.0.0.1", "TROLLEY_PORT": "8080", "TROLLEY_TRUSTED_PROXIES": "127.0.0.1",
                "TROLLEY_REGISTRATION": "invitation",
            ])
        #expect(caddy.caddyfile?.hasPrefix("lists.example.com {") == true)
        let own = try answers("https://kitchen.local:8443")
        #expect(
            settings(own) == [
                "TROLLEY_ADDRESS": "https://kitchen.local:8443",
                "TROLLEY_HOST": "0.0.0.0", "TROLLEY_PORT": "8443", "TROLLEY_TLS_CERTIFICATE": "/c.pem",
                "TROLLEY_TLS_KEY": "/k.pem", "TROLLEY_REGISTRATION": "invitation",
            ])
        #expect(own.caddyfile == nil)
        let plain = settings(try answers("http://127.0.0.1:8080"))
        #expect(plain["TROLLEY_HOST"] == "127.0.0.1" && plain["TROLLEY_TLS_KEY"] == nil)
        var file = try EnvironmentFile("TROLLEY_TRUSTED_PROXIES=127.0.0.1\n", of: "trolleyd.env")
        for (name, value) in own.settings(certificate: "/c", key: "/k") { file.set(name, to: value) }
        #expect(file.text.hasPrefix("#TROLLEY_TRUSTED_PROXIES=127.0.0.1\n"))
    }

    @Test func `answers that contradict each other are refused`() throws {
        for (address, tls) in [
            ("http://lists.example.com", TLSChoice.caddy), ("http://kitchen.local", .own),
            ("https://kitchen.local", .none),
            ("https://kitchen.local", .caddy),
        ] {
            #expect(throws: ValidationError.self, "\(address) \(tls)") { try answers(address, tls).check() }
        }
    }

    @Test func `a file of settings keeps its comments, its order and what setup knows nothing of`() throws {
        var file = try EnvironmentFile(
            """
            # The address.
            #TROLLEY_HOST=127.0.0.1
            TROLLEY_DATABASE_URL=postgresql://db
            TROLLEY_PORT=1
            TROLLEY_PORT=2

            """, of: "trolleyd.env")
        file.set("TROLLEY_HOST", to: "0.0.0.0")
        file.set("TROLLEY_PORT", to: "8443")
        file.set("TROLLEY_MAIL_COMMAND", to: "msmtp -t --file=\"$HOME\"")
        file.set("TROLLEY_TLS_KEY", to: nil)
        #expect(
            file.text == """
                # The address.
                TROLLEY_HOST=0.0.0.0
                TROLLEY_DATABASE_URL=postgresql://db
                TROLLEY_PORT=8443
                TROLLEY_MAIL_COMMAND="msmtp -t --file=\\"\\$HOME\\""

                """)
        let before = file.text
        file.set("TROLLEY_PORT", to: "8443")
        #expect(file.text == before, "the same again changes nothing")
    }

    @Test func `a run writes the file and the certificate, and a bad answer changes nothing`() async throws {
        let directory = "\(NSTemporaryDirectory())/trolley-setup-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let file = "\(directory)/trolleyd.env"
        func run(_ arguments: String...) async throws -> String {
            let command = try SetupCommand.parse(arguments + ["--file", file, "--defaults", "--json"])
            try await command.run()
            return try String(contentsOfFile: file, encoding: .utf8)
        }
        let text = try await run("--address", "https://kitchen.local:8443", "--mail-command", "msmtp -t")
        #expect(text.contains("TROLLEY_TLS_KEY=\(directory)/certificates/key.pem\n"))
        #expect(text.contains("TROLLEY_MAIL_COMMAND=\"msmtp -t\"\n"))
        #expect(FileManager.default.fileExists(atPath: "\(directory)/certificates/authority.pem"))
        for wrong in [
            ["--address", "https://kitchen.local", "--tls", "caddy"], ["--address", "https://lists.example.com/path"],
            ["--address", "https://kitchen.local", "--backup-directory", "here"],
            ["--address", "https://kitchen.local", "--mail-command", "", "--mail-from", "a@example.com"],
        ] {
            await #expect(throws: ValidationError.self, "\(wrong)") {
                let command = try SetupCommand.parse(wrong + ["--file", file, "--defaults"])
                try await command.run()
            }
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        let later = try await run("--address", "https://lists.example.com")
        #expect(later.contains("#TROLLEY_TLS_KEY=") && !later.contains("\nTROLLEY_TLS_KEY="))
        #expect(later.contains("TROLLEY_MAIL_COMMAND=\"msmtp -t\"\n"), "nobody has said that no mail is sent any more")
    }
}
