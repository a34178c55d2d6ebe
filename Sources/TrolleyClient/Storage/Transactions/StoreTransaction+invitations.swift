import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Invitations that the service has not taken yet.

/// An invitation as the device stores it.
struct StoredInvitation: Sendable {
    struct Content: Codable {
        var request: InvitationRequest
        var code: ProblemCode?
        var detail: String?
    }

    var key: Int64
    var list: ListID
    var content: Content
}

extension StoreTransaction {
    // Not the list's id, which changes when the list becomes a local one.
    private static let place = Array("invitation".utf8)

    func insert(_ invitations: [InvitationRequest], to list: ListRow) throws {
        for request in invitations {
            let content = try key.seal(JSONEncoder().encode(StoredInvitation.Content(request: request)), at: Self.place)
            try db.execute(
                sql: "INSERT INTO invitation (list, content) VALUES (?, ?)", arguments: [list.key, content])
        }
    }

    /// The account's invitations in the order in which they were made.
    /// - Parameter list: nil: of all lists that are on the service.
    func waitingInvitations(of list: ListRow? = nil) throws -> [StoredInvitation] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT invitation.key, list.id, invitation.content
                FROM invitation JOIN list ON list.key = invitation.list
                WHERE list.account = ?1 AND (list.key = ?2 OR ?2 IS NULL AND list.published = 1 AND list.local = 0)
                ORDER BY invitation.key
                """, arguments: [try account(), list?.key])
        return try rows.map { row in
            let content = try JSONDecoder().decode(
                StoredInvitation.Content.self, from: key.open(row[2], at: Self.place))
            return StoredInvitation(key: row[0], list: try ListID(data: row[1]), content: content)
        }
    }

    func settle(_ invitation: StoredInvitation, as verdict: InvitationVerdict) throws {
        switch verdict {
        case .sent: try db.execute(sql: "DELETE FROM invitation WHERE key = ?", arguments: [invitation.key])
        case .refused(let code, let detail):
            var content = invitation.content
            (content.code, content.detail) = (code, detail)
            try db.execute(
                sql: "UPDATE invitation SET content = ? WHERE key = ?",
                arguments: [try key.seal(JSONEncoder().encode(content), at: Self.place), invitation.key])
        case .waits: break
        }
    }

    /// - Parameter email: only invitations for this address; nil: all.
    /// - Returns: the number of invitations.
    @discardableResult
    func deleteInvitations(of list: ListRow, for email: String? = nil) throws -> Int {
        let found = try waitingInvitations(of: list).filter { invitation in
            email == nil || invitation.content.request.email?.itemKey == email?.itemKey
        }
        for invitation in found { try settle(invitation, as: .sent) }
        return found.count
    }
}
