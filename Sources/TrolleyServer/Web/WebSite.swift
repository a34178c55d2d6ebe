import FoundationEssentials

/// The web app in memory, as `script/web` has built it.
package struct WebSite: Sendable {
    /// By path, without the first slash.
    private let files: [String: WebFile]

    /// Reads all files, so that an update of the directory doesn't mix two versions.
    /// - Parameter directory: a directory that `script/web` wrote. Its file `files` lists the others, one per line.
    package init(directory: String) throws(WebSiteError) {
        let index = directory + "/files"
        guard let names = Self.bytes(index) else { throw .unreadable(index) }
        var files: [String: WebFile] = [:]
        for name in String(decoding: names, as: UTF8.self).split(separator: "\n") {
            let path = directory + "/" + name
            guard let bytes = Self.bytes(path) else { throw .unreadable(path) }
            // Everything below app/ has its content's hash in its path.
            files[String(name)] = WebFile(
                type: Self.type(of: name), isImmutable: name.hasPrefix("app/"), plain: bytes,
                gzip: Self.bytes(path + ".gz"), brotli: Self.bytes(path + ".br"))
        }
        guard files["index.html"] != nil else { throw .unreadable(directory + "/index.html") }
        self.files = files
    }

    subscript(path: String) -> WebFile? { files[path] }

    private static func bytes(_ path: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(filePath: path))).map { Array($0) }
    }

    private static func type(of name: Substring) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "wasm": "application/wasm"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webmanifest": "application/manifest+json"
        default: "application/octet-stream"
        }
    }
}

/// Why the web app can't be served.
package enum WebSiteError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(String)

    package var description: String {
        switch self {
        case .unreadable(let path):
            "The web app can't be served: \(path) can't be read. Run script/web, and give its directory in --web-directory."
        }
    }
}
