public import TrolleyJournal

extension ShareState {
    public init(from reader: inout JSONReader) throws(WireError) {
        var participants: [Participant] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "participants" {
                try reader.beginArray()
                while try reader.nextElement() { participants.append(try Participant(from: &reader)) }
            } else {
                try reader.skip()
            }
        }
        self.init(participants: participants)
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    /// The member `participants`, into an object that is open.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.key("participants")
        writer.array { writer in
            for participant in participants { participant.write(to: &writer) }
        }
    }
}

extension Participant {
    init(from reader: inout JSONReader) throws(WireError) {
        var account: AccountID?
        var email: String?
        var name: String?
        var role = Role.participant
        var permission = Permission.readWrite
        var status = Status.accepted
        var accountDeleted: Bool?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if try reader.null() { continue }
            switch key {
            case "account": account = try reader.identifier()
            case "email": email = try reader.string()
            case "name": name = try reader.string()
            // A word of a later version counts as the one that grants least, rather than hold the whole list up.
            case "role": role = Role(rawValue: try reader.string()) ?? .participant
            case "permission": permission = Permission(rawValue: try reader.string()) ?? .readOnly
            case "status": status = Status(rawValue: try reader.string()) ?? .left
            case "accountDeleted": accountDeleted = try reader.bool()
            default: try reader.skip()
            }
        }
        self.init(
            account: account, email: email, name: name, role: role, permission: permission, status: status,
            accountDeleted: accountDeleted)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let account {
                writer.key("account")
                writer.identifier(account)
            }
            if let email {
                writer.key("email")
                writer.string(email)
            }
            if let name {
                writer.key("name")
                writer.string(name)
            }
            writer.key("role")
            writer.string(role.rawValue)
            writer.key("permission")
            writer.string(permission.rawValue)
            writer.key("status")
            writer.string(status.rawValue)
            if let accountDeleted {
                writer.key("accountDeleted")
                writer.bool(accountDeleted)
            }
        }
    }
}
