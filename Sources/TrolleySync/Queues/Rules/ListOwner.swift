public import TrolleyJournal
public import TrolleyWire

/// What a device knows about the owner of a list.
public struct ListOwner: Hashable, Sendable {
    /// The service's proof that the account owns a list.
    public enum Proof: Hashable, Sendable {
        /// The service hasn't answered yet.
        case unknown
        /// There is none: the list is somebody else's.
        case none
        case text(String)
    }

    /// The owner of a shared list; nil for a list that was never shared, as far as the device knows.
    public var owner: AccountID?
    public var proof: Proof
    /// The account for which the device asks; nil while nobody is signed in.
    public var account: AccountID?

    public init(owner: AccountID?, proof: Proof, account: AccountID?) {
        self.owner = owner
        self.proof = proof
        self.account = account
    }

    /// Whether the list is the account's own: it was never shared, or the account shared it.
    /// - Parameter isStaging: whether a snapshot is arriving, which may bring a share.
    public func isOwn(isStaging: Bool) -> Bool {
        if let owner { return owner == account }
        return switch proof {
        case .unknown: !isStaging
        case .none: false
        case .text: true
        }
    }

    /// Notes a state of the share. The proof of a list that changes hands is void: the service issues another one, or
    /// none.
    mutating func note(_ share: AccountID?) {
        if let share, share != owner ?? account { proof = share == account ? .unknown : .none }
        owner = share
    }
}

extension ShareState {
    /// The owner's account.
    public var owner: AccountID? { participants.first { $0.role == .owner }?.account }
}

extension CreateListRequest {
    /// The request that creates a list on a service, or creates it again on one that has lost it: with the people who
    /// were on it, if there is a proof that the list is the account's.
    public init(of list: ListID, proof: ListOwner.Proof, share: ShareState?) {
        guard case .text(let proof) = proof else {
            self.init(id: list)
            return
        }
        let people = share?.participants.compactMap { person -> ListPerson? in
            guard person.role == .participant, person.status == .accepted, let account = person.account else {
                return nil
            }
            return ListPerson(account: account, permission: person.permission)
        }
        self.init(id: list, ownership: proof, people: people ?? [])
    }
}
