import FoundationEssentials

/// The web app in memory, as `script/web` has built it.
package struct WebSite: Sendable {
    /// By path, without the first slash.
    private let files: [String: WebFile]
    /// The bytes of all files and their compressed forms.
    package let size: Int

    /// Reads all files, so that an update of the directory doesn't mix two versions.
    /// - Parameter directory: a directory that `script/web` wrote. Its file `files` lists the others, one per line.
    package init(directory: String) throws(WebSiteError) {
        try self.init(named: directory + "/") { path in
            (try? Data(contentsOf: URL(filePath: path))).map { Array($0) }
        }
    }

    /// - Parameter archive: the same directory as a tar archive, `web/app.tar`.
    package init(archive: [UInt8]) throws(WebSiteError) {
        guard let files = TarArchive(archive)?.files else { throw .damaged }
        try self.init(named: "") { path in files[path].map { Array($0) } }
    }

    private init(named base: String, _ read: (String) -> [UInt8]?) throws(WebSiteError) {
        let index = base + "files"
        guard let names = read(index) else { throw .unreadable(index) }
        var files: [String: WebFile] = [:]
        var size = 0
        for name in String(decoding: names, as: UTF8.self).split(separator: "\n") {
            let path = base + name
            guard let plain = read(path) else { throw .unreadable(path) }
            let (gzip, brotli) = (read(path + ".gz"), read(path + ".br"))
            size += plain.count + (gzip?.count ?? 0) + (brotli?.count ?? 0)
            // Everything below app/ has its content's hash in its path.
            files[String(name)] = WebFile(
                type: Self.type(of: name), isImmutable: name.hasPrefix("app/"), plain: plain, gzip: gzip,
                brotli: brotli)
        }
        guard files["index.html"] != nil else { throw .unreadable(base + "index.html") }
        self.files = files
        self.size = size
    }

    subscript(path: String) -> WebFile? { files[path] }

    /// The files that keep their addresses, besides the page.
    func files(besides page: String) -> [String] { files.keys.filter { !$0.contains("/") && $0 != page }.sorted() }

    private static func type(of name: Substring) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "wasm": "application/wasm"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "json": "application/json"
        case "txt": "text/plain; charset=utf-8"
        case "webmanifest": "application/manifest+json"
        default: "application/octet-stream"
        }
    }
}

/// Why the web app can't be served.
package enum WebSiteError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(String)
    case damaged

    package var description: String {
        switch self {
        case .unreadable(let path):
            "The web app can't be served: \(path) can't be read. Run script/web, and give its directory in --web-directory."
        case .damaged:
            "The web app inside this program is damaged. Run script/web and build again, or give --web-directory."
        }
    }
}
