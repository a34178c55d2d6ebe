import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

/// A file of the web app with its compressed forms.
struct WebFile: Sendable {
    private let type: String
    /// Whether the path changes with the content, so that browsers need not revalidate the file.
    private let isImmutable: Bool
    private let plain: ByteBuffer
    private let gzip: ByteBuffer?
    private let brotli: ByteBuffer?
    private let hash: String

    init(type: String, isImmutable: Bool, plain: [UInt8], gzip: [UInt8]?, brotli: [UInt8]?) {
        self.type = type
        self.isImmutable = isImmutable
        self.plain = ByteBuffer(bytes: plain)
        self.gzip = gzip.map { ByteBuffer(bytes: $0) }
        self.brotli = brotli.map { ByteBuffer(bytes: $0) }
        hash = SHA256.hash(data: plain).prefix(12).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
    }

    /// The response to a GET; 304 if the browser has the file.
    func response(to request: Request) -> Response {
        let (body, encoding) = body(for: request.headers[.acceptEncoding] ?? "")
        let tag = "\"\(hash)\(encoding.map { "-" + $0 } ?? "")\""
        var headers: HTTPFields = [
            .eTag: tag, .vary: "Accept-Encoding",
            .cacheControl: isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
        ]
        let known = (request.headers[.ifNoneMatch] ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        if known.contains(tag[...]) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = type
        headers[.contentEncoding] = encoding
        headers[.contentSecurityPolicy] = Self.policy
        headers[.xContentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        headers[.openerPolicy] = "same-origin"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    private func body(for accepted: String) -> (ByteBuffer, encoding: String?) {
        let encodings = accepted.lowercased().split(separator: ",").compactMap { part -> Substring? in
            let values = part.split(separator: ";").map { $0.drop { $0 == " " } }
            // `q=0` refuses an encoding (RFC 9110, 12.5.3).
            return values.dropFirst().contains { $0.hasPrefix("q=0") && !$0.contains { ("1"..."9").contains($0) } }
                ? nil : values.first
        }
        if let brotli, encodings.contains("br") { return (brotli, "br") }
        if let gzip, encodings.contains("gzip") { return (gzip, "gzip") }
        return (plain, nil)
    }

    /// No inline code, no content of other origins, no framing. WebAssembly needs a keyword of its own. Only one script
    /// address may be created from text: the service worker's.
    private static let policy = """
        default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; \
        manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types trolley
        """
}

extension HTTPField.Name {
    // The names are valid, so the fallbacks are never used.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .from
    fileprivate static let openerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy") ?? .from
}
