public import TrolleyJournal

extension ShareState {
    public init(from reader: inout JSONReader) throws(WireError) {
        var participants: [Participant] = []
        try reader.object { key, reader throws(WireError) in
            if key == "participants" {
                participants = try reader.array()
            } else {
                try reader.skip()
            }
        }
        self.init(participants: participants)
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    /// Writes the member `participants` into an open object.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("participants", participants)
    }
}

extension Participant: JSONWritable, JSONReadable {
    init(from reader: inout JSONReader) throws(WireError) {
        var account: AccountID?
        var email: String?
        var name: String?
        var colour: String?
        var role = Role.participant
        var permission = Permission.readWrite
        var status = Status.accepted
        var accountDeleted: Bool?
        try reader.object { key, reader throws(WireError) in
            if try reader.null() { return }
            switch key {
            case "account": account = try reader.identifier()
            case "email": email = try reader.string()
            case "name": name = try reader.string()
            case "colour": colour = try reader.string()
            // An unknown role of a later version counts as the one that grants least, so that the list can still be
            // read.
            case "role": role = Role(rawValue: try reader.string()) ?? .participant
            case "permission": permission = Permission(rawValue: try reader.string()) ?? .readOnly
            case "status": status = Status(rawValue: try reader.string()) ?? .left
            case "accountDeleted": accountDeleted = try reader.bool()
            default: try reader.skip()
            }
        }
        self.init(
            account: account, email: email, name: name, colour: colour, role: role, permission: permission,
            status: status, accountDeleted: accountDeleted)
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("account", ifAny: account)
            writer.member("email", ifAny: email)
            writer.member("name", ifAny: name)
            writer.member("colour", ifAny: colour)
            writer.member("role", role)
            writer.member("permission", permission)
            writer.member("status", status)
            writer.member("accountDeleted", ifAny: accountDeleted)
        }
    }
}
