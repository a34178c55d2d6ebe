import ArgumentParser
import CWebApp
import TrolleyServer
import TrolleyStore

/// Which web app the service serves at `/`.
struct WebOptions: ParsableArguments {
    @Option(help: "Serve the web app in this directory, which script/web wrote. (default: the one in the program)")
    var webDirectory: String?

    @Flag(help: "Serve no web app.")
    var noWeb = false

    /// The web app to serve; nil if none is wanted, or if this build has none.
    func site(_ settings: Settings) throws -> WebSite? {
        if noWeb, webDirectory != nil { throw ValidationError("--web-directory and --no-web exclude each other") }
        // A flag wins over the environment.
        if webDirectory == nil, try settings.isOn(noWeb, "no.web") { return nil }
        let directory = try settings.optional(webDirectory, "web.directory")
        do throws(WebSiteError) {
            if let directory { return try WebSite(directory: directory) }
            if let archive = Self.embedded { return try WebSite(archive: archive) }
            return nil
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// What `doctor` says of the web app.
    func finding(of site: WebSite?, _ settings: Settings) throws -> Finding {
        guard let site else {
            return try isMissing(site, settings)
                ? .warning("web app", Self.absence, Self.advice) : .ok("web app", "not served, as set by --no-web")
        }
        let origin = try settings.optional(webDirectory, "web.directory") ?? "the program"
        return .ok("web app", "served at /, from \(origin), \(site.size >> 10) KiB in memory")
    }

    /// Whether none was left out on purpose, and none is there.
    func isMissing(_ site: WebSite?, _ settings: Settings) throws -> Bool {
        try site == nil && !settings.isOn(noWeb, "no.web")
    }

    static let absence = "this program was built without a web app"
    static let advice = "Run script/web and build again, or give its directory in --web-directory."

    /// `web/app.tar`, as it was when this program was built; nil if it wasn't there.
    static var embedded: [UInt8]? {
        guard let start = trolley_web_app() else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: trolley_web_app_size()))
    }
}
