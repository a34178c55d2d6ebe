import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Ownership of lists, and its proof to a service that was restored from an older copy.

extension StoreTransaction {
    /// Whose a list is.
    /// - Parameter account: for which account; nil: the signed-in one.
    func ownership(of list: ListRow, for account: Data? = nil) throws -> ListOwner {
        ListOwner(
            owner: try share(of: list)?.owner, proof: try proof(of: list),
            account: try AccountID(stored: try account ?? self.account()))
    }

    /// Whether the account owns a list.
    /// - Parameter account: nil: the signed-in account.
    func isOwn(_ list: ListRow, of account: Data? = nil) throws -> Bool {
        try ownership(of: list, for: account).isOwn(isStaging: list.staging)
    }

    private func proof(of list: ListRow) throws -> ListOwner.Proof {
        guard let sealed = list.ownership else { return .unknown }
        if sealed.isEmpty { return .none }
        return .text(String(decoding: try key.open(sealed, at: list.id.bits.bytes), as: UTF8.self))
    }

    /// The list's owner, if it is somebody else.
    func otherOwner(of list: ListRow) throws -> Participant? {
        let account = list.former ?? list.account
        let owner = try share(of: list)?.participants.first { $0.role == .owner }
        return owner?.account?.data == account ? nil : owner
    }

    /// The request that creates the list on the service.
    func createListRequest(for list: ListRow) throws -> CreateListRequest {
        CreateListRequest(of: list.id, proof: try proof(of: list), share: try share(of: list))
    }

    func keep(_ proof: ListOwner.Proof, of list: ListRow) throws {
        let sealed: Data? =
            switch proof {
            case .unknown: nil
            case .none: Data()
            case .text(let text): try key.seal(Array(text.utf8), at: list.id.bits.bytes)
            }
        try db.execute(sql: "UPDATE list SET ownership = ? WHERE key = ?", arguments: [sealed, list.key])
    }

    /// Stores the proofs that a fetch brought. Lists without one belong to somebody else.
    func keep(proofs: [ListID: String]) throws {
        for list in try lists() where list.ownership == nil && list.published && !list.local {
            try keep(ListOwner.Proof(proofs[list.id]), of: list)
        }
    }

    /// The list's state before a fetch.
    /// - Parameter account: for which account; nil: the signed-in one.
    func receiving(_ list: ListRow, for account: Data? = nil) throws -> ReceivingList {
        ReceivingList(
            token: list.token, isStaging: list.staging, through: list.through, isLocal: list.local,
            isPublished: list.published, owner: try ownership(of: list, for: account))
    }
}

extension ListOwner.Proof {
    /// - Parameter answer: the service's; nil: it has issued none.
    init(_ answer: String?) { self = answer.map { .text($0) } ?? .none }
}

extension AccountID {
    /// - Parameter stored: empty: nil.
    init?(stored: Data) throws(QueueStoreError) {
        if stored.isEmpty { return nil }
        self = try AccountID(data: stored)
    }
}
