import HTTPTypes
import Hummingbird

/// The web app, at `/`. An invitation's link opens it too; the browser keeps the secret, which is in the fragment.
struct WebRoutes: Sendable {
    let site: WebSite

    func add(to router: Router<TrolleyContext>) {
        for (path, file) in [("", "index.html"), ("join", "index.html")] {
            router.get("\(path)") { request, _ -> Response in try answer(file, request) }
        }
        // The service worker, and a manifest for each of the page's languages.
        for file in site.files(besides: "index.html") {
            router.get("\(file)") { request, _ -> Response in try answer(file, request) }
        }
        router.get("app/**") { request, _ -> Response in try answer(String(request.uri.path.dropFirst()), request) }
        router.get("**") { request, _ -> Response in try nothing(at: request) }
    }

    /// What a person sees at an address where nothing is: the app, which says so. Programs get the usual error.
    private func nothing(at request: Request) throws -> Response {
        let isPage = request.headers[.accept]?.lowercased().contains("text/html") == true
        guard isPage, !request.uri.path.hasPrefix("/app/"), !request.uri.path.hasPrefix("/v1/") else {
            throw HTTPError(.notFound)
        }
        var response = try answer("index.html", request)
        if response.status == .ok { response.status = .notFound }
        return response
    }

    private func answer(_ path: String, _ request: Request) throws -> Response {
        guard let file = site[path] else { throw HTTPError(.notFound) }
        return file.response(to: request)
    }
}
