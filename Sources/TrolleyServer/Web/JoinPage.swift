import HTTPTypes
import Hummingbird
import NIOCore

/// The page of an invitation's link, if the service serves no web app. The secret is in the fragment, so the browser
/// doesn't send it to the service.
struct JoinPage: Sendable {
    func add(to router: Router<TrolleyContext>) {
        router.get("join") { _, _ -> Response in .page(PackageResources.join_html, "text/html; charset=utf-8") }
        router.get("join.css") { _, _ -> Response in .page(PackageResources.join_css, "text/css; charset=utf-8") }
        router.get("join.js") { _, _ -> Response in .page(PackageResources.join_js, "text/javascript; charset=utf-8") }
    }
}

extension Response {
    /// No inline scripts, no content from elsewhere, and no framing, because people type text from this page into a
    /// shell.
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
