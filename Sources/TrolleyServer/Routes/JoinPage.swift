import HTTPTypes
import Hummingbird
import NIOCore

/// Where an invitation's link leads. The secret stays in the fragment, so it never reaches the service.
struct JoinPage: Sendable {
    func add(to router: Router<TrolleyContext>) {
        router.get("join") { _, _ -> Response in .page(PackageResources.join_html, "text/html; charset=utf-8") }
        router.get("join.css") { _, _ -> Response in .page(PackageResources.join_css, "text/css; charset=utf-8") }
        router.get("join.js") { _, _ -> Response in .page(PackageResources.join_js, "text/javascript; charset=utf-8") }
    }
}

extension Response {
    /// Nothing inline runs, nothing is loaded from elsewhere, and nobody frames the page: what it shows is typed into a shell.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    fileprivate static func page(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type, .cacheControl: "no-store", .contentSecurityPolicy: policy,
                .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .from
}
