public struct ShareState: Hashable, Sendable, Codable { public var participants: [Participant]; public init(participants: [Participant] = []) { self.participants = participants } }
public struct Participant: Hashable, Sendable, Codable {
    public enum Status: String, Hashable, Sendable, Codable { case invited, accepted }
    public var account: AccountID?; public var email: String?; public var name: String?; public var role: Role; public var permission: Permission; public var status: Status
    public init(account: AccountID?, email: String?, name: String?, role: Role, permission: Permission, status: Status) { self.account = account; self.email = email; self.name = name; self.role = role; self.permission = permission; self.status = status }
}
public enum Role: String, Hashable, Sendable, Codable { case owner, participant }
public enum Permission: String, Hashable, Sendable, Codable { case readWrite, readOnly }
