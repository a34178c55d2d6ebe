import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Distinguishes the owner's device from others when a list has been lost: see ``OwnershipProof``.
struct Ownership: Sendable {
    let store: Store
    let key: ChangeToken.Key

    /// The list with its owner's proof.
    func withOwnershipProof(_ list: ListResponse, for account: AccountID) -> ListResponse {
        var list = list
        list.ownership = proof(of: list, for: account)
        return list
    }

    /// The proof of ownership of each list that the account owns.
    func proofs(for account: AccountID) async throws -> [ListID: String] {
        let lists = try await store.lists(of: account)
        return Dictionary(
            uniqueKeysWithValues: lists.compactMap { list in proof(of: list, for: account).map { (list.id, $0) } })
    }

    /// The ownership that a request proves. A proof from another service, or from this one before it was emptied, is
    /// not valid.
    func claim(in request: CreateListRequest) -> OwnershipClaim? {
        guard let text = request.ownership, let proof = OwnershipProof(text, list: request.id, key: key) else {
            return nil
        }
        return OwnershipClaim(
            account: proof.account, born: proof.born, since: proof.since, people: request.people)
    }

    private func proof(of list: ListResponse, for account: AccountID) -> String? {
        list.ownedSince.map { since in
            OwnershipProof(list: list.id, account: account, born: list.createdAt, since: since).text(key: key)
        }
    }
}
