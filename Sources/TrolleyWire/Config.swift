/// `GET /v1/config`.
public struct ConfigResponse: Hashable, Sendable, Codable {
    /// The service's version.
    public var version: String
    /// The protocol's version: the `1` of `/v1`.
    public var protocolVersion: Int
    public var limits: Limits

    public init(version: String, protocolVersion: Int, limits: Limits) {
        self.version = version
        self.protocolVersion = protocolVersion
        self.limits = limits
    }
}
