import GRDB
import TrolleyJournal
import TrolleySync

extension SQLiteStore {
    /// Removes all data of a session's account, including unsent changes: nobody will sign in to it again. Local lists stay.
    func forgetAccount(of session: AccountSession) async throws(QueueStoreError) {
        try await write { transaction in
            try transaction.forgetData(of: session.account)
            guard try transaction.isPresent(session) else { return try transaction.forgetUnusedAccounts() }
            try transaction.signOut(.leave, isKnown: true, hadEnded: false)
        }
    }
}

// Links for several people that were made here. The newest are kept.

extension SQLiteStore {
    private static let links = "links"
    private static let mostLinks = 100

    func keptLinks() async throws(QueueStoreError) -> [InvitationID: String] {
        try await read { transaction in
            let kept = try transaction.decoded(Self.links, as: [KeptLink].self) ?? []
            return Dictionary(kept.map { ($0.invitation, $0.link) }) { $1 }
        }
    }

    func keepLink(_ link: String, of invitation: InvitationID) async throws(QueueStoreError) {
        try await changeLinks { $0.append(KeptLink(invitation: invitation, link: link)) }
    }

    func forgetLink(of invitation: InvitationID) async throws(QueueStoreError) {
        try await changeLinks { $0.removeAll { $0.invitation == invitation } }
    }

    private func changeLinks(_ change: @escaping @Sendable (inout [KeptLink]) -> Void) async throws(QueueStoreError) {
        try await write { transaction in
            let before = try transaction.decoded(Self.links, as: [KeptLink].self) ?? []
            var kept = before
            change(&kept)
            if kept != before { try transaction.encode(Array(kept.suffix(Self.mostLinks)), as: Self.links) }
        }
    }
}

private struct KeptLink: Hashable, Codable, Sendable {
    let invitation: InvitationID
    let link: String
}
