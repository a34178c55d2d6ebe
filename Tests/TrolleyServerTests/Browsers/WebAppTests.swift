import Foundation
import Subprocess
import Testing
import TrolleyWire

@testable import TrolleyServer

@Suite("The web app", .timeLimit(.minutes(20)))
struct WebAppTests {
    /// A directory as `script/web` writes it.
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "trolley-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory.appending(path: "app/1a2b"), withIntermediateDirectories: true)
        for (name, text) in [
            ("files", "app/1a2b/main.js\nindex.html\nsw.js\nmanifest.webmanifest\nmanifest.de.webmanifest\n"),
            ("index.html", "<!doctype html>"),
            ("sw.js", "// worker"), ("manifest.webmanifest", "{}"), ("manifest.de.webmanifest", "{}"),
            ("app/1a2b/main.js", "// main"),
            ("app/1a2b/main.js.br", "brotli"), ("secret", "not served"),
        ] {
            try Data(text.utf8).write(to: directory.appending(path: name))
        }
        // The client of these tests decompresses gzip.
        let compressed = try #require(Data(base64Encoded: "H4sIAAAAAAACA0uvyiwAAPJc6ToEAAAA"))
        try compressed.write(to: directory.appending(path: "app/1a2b/main.js.gz"))
    }

    private func withService(_ body: @Sendable (TestService) async throws -> Void) async throws {
        let site = try WebSite(directory: directory.path)
        try await TestService.with(configure: { $0.web = site }, body)
    }

    @Test("the page and what has a content's address come with a strict policy; a link opens the page")
    func page() async throws {
        try await withService { service in
            for path in ["/", "/join"] {
                let answer = try await service.call("GET", path)
                #expect(answer.status == 200 && answer.text == "<!doctype html>")
                #expect(answer.headers["cache-control"] == "no-cache")
                let policy = try #require(answer.headers["content-security-policy"])
                #expect(policy.contains("script-src 'self' 'wasm-unsafe-eval';") && !policy.contains("unsafe-inline"))
                #expect(policy.contains("require-trusted-types-for 'script'"))
            }
            let main = try await service.call("GET", "/app/1a2b/main.js")
            #expect(main.headers["cache-control"] == "public, max-age=31536000, immutable")
            #expect(main.headers["content-type"] == "text/javascript; charset=utf-8")
        }
    }

    @Test("a file comes in the form that the browser takes, and not again when it is known")
    func forms() async throws {
        try await withService { service in
            let path = "/app/1a2b/main.js"
            for (accepted, text, encoding) in [
                ("gzip, deflate, br, zstd", "brotli", "br" as String?), ("gzip", "gzip", "gzip"),
                ("br;q=0, gzip;q=0.5", "gzip", "gzip"), ("br;q=0.0", "// main", nil), ("", "// main", nil),
            ] {
                let answer = try await service.call("GET", path, headers: ["accept-encoding": accepted])
                #expect(answer.text == text && answer.headers["content-encoding"] == encoding, "\(accepted)")
                let tag = try #require(answer.headers["etag"])
                let again = try await service.call(
                    "GET", path, headers: ["accept-encoding": accepted, "if-none-match": "\"other\", \(tag)"])
                #expect(again.status == 304 && again.text.isEmpty)
            }
        }
    }

    @Test("HEAD of a page and of a file has the headers of GET, and no content")
    func heads() async throws {
        try await withService { service in
            for path in ["/", "/join", "/app/1a2b/main.js", "/nonsense"] {
                // The client of these tests takes an answer without content for a damaged one, if gzip was possible.
                let accepted = ["accept-encoding": "br"]
                let get = try await service.call("GET", path, headers: accepted)
                let head = try await service.call("HEAD", path, headers: accepted)
                #expect(head.status == get.status && head.body.isEmpty, "\(path)")
                for name in ["content-type", "content-length", "etag", "cache-control", "content-security-policy"] {
                    #expect(head.headers[name] == get.headers[name], "\(path): \(name)")
                }
            }
        }
    }

    @Test("nothing but the app's files is served")
    func others() async throws {
        try await withService { service in
            for path in ["/secret", "/files", "/app/1a2b/main.js.br", "/app/1a2b/../../secret", "/app/%2e%2e/secret"] {
                let answer = try await service.call("GET", path)
                #expect(answer.status == 404, "\(path)")
            }
        }
    }

    @Test("at an address where nothing is, a person sees the app, and a program an error")
    func nothing() async throws {
        try await withService { service in
            let page = try await service.call("GET", "/nonsense/too", headers: ["accept": "text/html,*/*;q=0.8"])
            #expect(page.status == 404 && page.text == "<!doctype html>")
            #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
            for (path, accepted) in [
                ("/nonsense", "*/*"), ("/nonsense", ""), ("/v1/nonsense", "text/html"), ("/app/no.js", "text/html"),
            ] {
                let answer = try await service.call("GET", path, headers: ["accept": accepted])
                #expect(answer.status == 404 && answer.headers["content-type"] == "application/problem+json", "\(path)")
            }
            #expect(try await service.call("POST", "/nonsense", headers: ["accept": "text/html"]).status >= 400)
            // What is there stays as it is.
            #expect(try await service.call("GET", "/healthz", headers: ["accept": "text/html"]).status == 200)
            #expect(try await service.call("GET", "/v1/lists", headers: ["accept": "text/html"]).status == 401)
        }
    }

    /// The directory as the archive that `script/web` packs.
    private func archive() async throws -> [UInt8] {
        let result = try await Subprocess.run(
            .name("tar"),
            arguments: [
                "--create", "--format=ustar", "--file=-", "--transform=s|^[.]/||", "--directory", directory.path, ".",
            ], output: .bytes(limit: 1 << 20))
        return result.standardOutput
    }

    @Test("an archive of the directory is the same site")
    func packed() async throws {
        let site = try WebSite(archive: try await archive())
        #expect(site.size == (try WebSite(directory: directory.path)).size)
        try await TestService.with(configure: { $0.web = site }) { service in
            let page = try await service.call("GET", "/")
            #expect(page.status == 200 && page.text == "<!doctype html>")
            for (accepted, text) in [("br", "brotli"), ("gzip", "gzip"), ("", "// main")] {
                let answer = try await service.call("GET", "/app/1a2b/main.js", headers: ["accept-encoding": accepted])
                #expect(answer.text == text, "\(accepted)")
            }
            #expect(try await service.call("GET", "/secret").status == 404)
        }
    }

    @Test("an archive that was cut off or damaged is refused")
    func damaged() async throws {
        let whole = try await archive()
        let end = try #require(whole.lastIndex { $0 != 0 }) / 512 * 512 + 512
        for length in stride(from: 0, through: end, by: 512) {
            #expect(throws: WebSiteError.self, "\(length) bytes") { try WebSite(archive: Array(whole[..<length])) }
        }
        var other = whole
        other[124] = 0x39
        #expect(throws: WebSiteError.damaged) { try WebSite(archive: other) }
        #expect(throws: WebSiteError.unreadable("files")) { try WebSite(archive: [UInt8](repeating: 0, count: 1024)) }
    }

    @Test("a directory that script/web didn't write is refused")
    func refused() throws {
        #expect(throws: WebSiteError.unreadable("/nowhere/files")) { try WebSite(directory: "/nowhere") }
    }
}
