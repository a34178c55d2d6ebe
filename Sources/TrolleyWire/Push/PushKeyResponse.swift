/// `GET /v1/push/key`.
public struct PushKeyResponse: Hashable, Sendable, Codable {
    /// The service's public key (P-256, uncompressed) in base64url: the browser's `applicationServerKey`.
    public var publicKey: String

    public init(publicKey: String) { self.publicKey = publicKey }
}
