import Hummingbird

/// The web app, at `/`. An invitation's link opens it too; the browser keeps the secret, which is in the fragment.
struct WebRoutes: Sendable {
    let site: WebSite

    func add(to router: Router<TrolleyContext>) {
        for (path, file) in [("", "index.html"), ("join", "index.html"), ("sw.js", "sw.js")]
            + [("manifest.webmanifest", "manifest.webmanifest")]
        {
            router.get("\(path)") { request, _ -> Response in try answer(file, request) }
        }
        router.get("app/**") { request, _ -> Response in try answer(String(request.uri.path.dropFirst()), request) }
    }

    private func answer(_ path: String, _ request: Request) throws -> Response {
        guard let file = site[path] else { throw HTTPError(.notFound) }
        return file.response(to: request)
    }
}
