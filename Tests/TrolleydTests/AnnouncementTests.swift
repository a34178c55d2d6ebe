import Foundation
import Testing

@testable import trolleyd

/// What `serve` prints when it is ready.
@Suite(.timeLimit(.minutes(20))) struct AnnouncementTests {
    private func text(
        host: String, isSecure: Bool = false, hasWebApp: Bool = true, isTerminal: Bool = true, json: Bool = false
    ) -> String {
        Announcement(
            host: host, isSecure: isSecure, hasWebApp: hasWebApp, lacksWebApp: !hasWebApp, isTerminal: isTerminal,
            networkAddress: "192.168.7.9", json: json
        ).text(port: 8080)
    }

    @Test func `on a terminal it has a code for phones, and says what is missing without TLS`() {
        let shown = text(host: "0.0.0.0")
        #expect(shown.contains("Trolley serves at http://localhost:8080\n"))
        #expect(shown.contains("On a phone in the same network: http://192.168.7.9:8080\n"))
        #expect(shown.contains("▀") && shown.contains("Without TLS everybody"))
        #expect(text(host: "10.0.0.5").contains("On a phone in the same network: http://10.0.0.5:8080\n"))
    }

    @Test func `a code is shown only where a phone can use it`() {
        for shown in [
            text(host: "127.0.0.1"), text(host: "0.0.0.0", isSecure: true), text(host: "0.0.0.0", hasWebApp: false),
            text(host: "0.0.0.0", isTerminal: false),
        ] { #expect(!shown.contains("▀"), "\(shown)") }
        #expect(text(host: "127.0.0.1").contains("--host 0.0.0.0"))
        #expect(text(host: "0.0.0.0", isSecure: true).contains("by the name that is in its certificate"))
        #expect(text(host: "0.0.0.0", hasWebApp: false).contains("built without a web app"))
    }

    @Test func `as JSON it is the address alone`() {
        #expect(text(host: "::1", json: true) == #"{"address":"http://[::1]:8080"}"#)
    }

    /// The same text in the web app's encoder, which other tests read with a camera's program.
    @Test(arguments: [
        "a", "http://10.0.0.5:8080", "https://lists.example.com:8443", "http://192.168.178.123:8080/join",
        String(repeating: "q", count: 60), String(repeating: "ü", count: 53),
    ])
    func `a code is the same as the web app's`(text: String) async throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized.path
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "node", "--input-type=module", "--eval",
            """
            import { code } from '\(root)/web/app/ui/qr.js';
            console.log(code(process.argv[1]).map(row => row.map(Number).join('')).join('\\n'));
            """, text,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let expected = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let code = try #require(QRCode(text))
        #expect(code.dark.map { $0.map { $0 ? "1" : "0" }.joined() }.joined(separator: "\n") + "\n" == expected)
    }

    @Test func `a text that is too long has no code`() {
        #expect(QRCode(String(repeating: "q", count: 106)) != nil)
        #expect(QRCode(String(repeating: "q", count: 107)) == nil)
    }
}
