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
    /// Whether the account owns a list: the list was never shared, or the account shared it.
    /// - Parameter account: nil: the signed-in account.
    func isOwn(_ list: ListRow, of account: Data? = nil) throws -> Bool {
        if let owner = try owner(of: list) { return owner.account?.data == (try account ?? self.account()) }
        if let ownership = list.ownership { return !ownership.isEmpty }
        // A snapshot that is still arriving may bring a share.
        return !list.staging
    }

    /// The owner of a shared list; nil for a list that was never shared.
    func owner(of list: ListRow) throws -> Participant? {
        try share(of: list)?.participants.first { $0.role == .owner }
    }

    /// The list's owner, if it is somebody else.
    func otherOwner(of list: ListRow) throws -> Participant? {
        let account = list.former ?? list.account
        guard let owner = try owner(of: list), owner.account?.data != account else { return nil }
        return owner
    }

    /// The request that creates the list on the service.
    func createListRequest(for list: ListRow) throws -> CreateListRequest {
        guard let sealed = list.ownership, !sealed.isEmpty else { return CreateListRequest(id: list.id) }
        let proof = String(decoding: try key.open(sealed, at: list.id.bits.bytes), as: UTF8.self)
        let people = try share(of: list)?.participants.compactMap { person -> ListPerson? in
            guard person.role == .participant, person.status == .accepted, let account = person.account else {
                return nil
            }
            return ListPerson(account: account, permission: person.permission)
        }
        return CreateListRequest(id: list.id, ownership: proof, people: people ?? [])
    }

    /// - Parameter proof: nil: the service has issued none.
    func keep(proof: String?, of list: ListRow) throws {
        let sealed = try proof.map { try key.seal(Array($0.utf8), at: list.id.bits.bytes) }
        try db.execute(
            sql: "UPDATE list SET ownership = ? WHERE key = ?", arguments: [sealed ?? Data(), list.key])
    }

    /// Stores the proofs that a fetch brought. Lists without one belong to somebody else.
    func keep(proofs: [ListID: String]) throws {
        for list in try lists() where list.ownership == nil && list.published && !list.local {
            try keep(proof: proofs[list.id], of: list)
        }
    }

    /// Deletes the proof of a list that changed hands: the service issues another one, or none.
    func noteOwner(of list: ListRow, in share: ShareState) throws {
        let account = try account()
        // Reads the owner as of this point of the stream, because the list may have changed hands more than once.
        let before = try find(list.id).flatMap { try owner(of: $0) }?.account?.data ?? account
        guard let owner = share.participants.first(where: { $0.role == .owner })?.account?.data, owner != before
        else { return }
        try db.execute(
            sql: "UPDATE list SET ownership = ? WHERE key = ?",
            arguments: [owner == account ? nil : Data(), list.key])
    }
}
