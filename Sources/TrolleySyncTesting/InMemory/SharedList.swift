import TrolleyJournal
import TrolleyWire

/// A list of a service in memory: its stream, its people, and what they know of each other.
struct SharedList: Sendable {
    struct Invitation: Sendable {
        var id: InvitationID
        var secret: String
        var email: String?
        var permission: Permission
        var createdAt: Timestamp
        var expiresAt: Timestamp?
        /// How many people may use a link.
        var uses = 1
        /// The people who have used a link, and those who may not again, because the owner has removed them.
        var usedBy: [AccountID] = []
        var barred: [AccountID] = []

        var isOpen: Bool { usedBy.count < uses }
    }

    var stream = ListStream()
    let createdAt: Timestamp
    /// The owner, the others on the list, and invited people. The stream has each state of them since the list is shared.
    private(set) var people: [Participant]
    var invitations: [Invitation] = []
    var presence: [DeviceID: (account: AccountID, until: Timestamp)] = [:]
    var reads: [AccountID: SequenceNumber] = [:]
    var received: [AccountID: SequenceNumber] = [:]
    var levels: [AccountID: NotificationLevel] = [:]
    var places: [AccountID: ListPlace] = [:]

    init(owner: AccountResponse, at now: Timestamp) {
        createdAt = now
        people = [
            Participant(
                account: owner.id, email: owner.email, name: owner.name, colour: owner.colour, role: .owner,
                status: .accepted)
        ]
    }

    var members: [Participant] { people.filter { $0.status == .accepted } }

    var owner: AccountID? { people.first { $0.role == .owner }?.account }

    func member(_ account: AccountID) -> Participant? { members.first { $0.account == account } }

    /// Changes the people, and records their new state in the stream.
    /// - Parameter departing: a person who leaves or declines. They are in this one state only, with the status that says so.
    mutating func change(departing: Participant? = nil, _ body: (inout [Participant]) -> Void) {
        let before = people
        body(&people)
        people.sort(by: Participant.precedes)
        if people != before { stream.append(.share(ShareState(participants: people + (departing.map { [$0] } ?? [])))) }
    }

    mutating func invite(_ request: InvitationRequest, as id: InvitationID, at now: Timestamp) -> Invitation {
        if let known = invitations.first(where: { $0.secret == request.secret }) { return known }
        let invitation = Invitation(
            id: id, secret: request.secret ?? id.description, email: request.email,
            permission: request.permission ?? .readWrite, createdAt: now,
            expiresAt: request.expiresIn.map { now.advanced(byMilliseconds: $0) }, uses: request.uses ?? 1)
        invitations.append(invitation)
        if let email = request.email {
            let invited = Participant(account: nil, email: email, permission: invitation.permission, status: .invited)
            change { people in
                if people.contains(where: { $0.status == .accepted && $0.isSamePerson(as: invited) }) { return }
                people.removeAll { $0.isSamePerson(as: invited) }
                people.append(invited)
            }
        }
        return invitation
    }

    /// An invitation that this account may use.
    func invitation(_ secret: String, for account: AccountResponse, at now: Timestamp) -> Invitation? {
        invitations.first { invitation in
            invitation.secret == secret && invitation.expiresAt.map { $0 > now } ?? true
                && invitation.email.map { $0.lowercased() == account.email.lowercased() } ?? true
                && (invitation.isOpen || invitation.usedBy.contains(account.id))
                && !invitation.barred.contains(account.id)
        }
    }

    mutating func accept(_ invitation: Invitation, by account: AccountResponse) {
        if invitation.email == nil, let index = invitations.firstIndex(where: { $0.id == invitation.id }) {
            if !invitations[index].usedBy.contains(account.id) { invitations[index].usedBy.append(account.id) }
        }
        guard member(account.id) == nil else { return }
        let joined = Participant(
            account: account.id, email: account.email, name: account.name, colour: account.colour,
            permission: invitation.permission, status: .accepted)
        change { people in
            people.removeAll { $0.isSamePerson(as: joined) }
            people.append(joined)
        }
    }

    mutating func decline(_ invitation: Invitation) {
        if invitation.uses == 1 { invitations.removeAll { $0.id == invitation.id } }
        guard var declined = people.first(where: { $0.status == .invited && $0.email == invitation.email }) else {
            return
        }
        declined.status = .declined
        change(departing: declined) { $0.removeAll { $0.isSamePerson(as: declined) } }
    }

    /// Somebody goes by themselves.
    mutating func leave(_ account: AccountID) {
        guard var left = member(account) else { return }
        left.status = .left
        places[account] = nil
        change(departing: left) { $0.removeAll { $0.account == account } }
    }

    /// The owner puts somebody off the list.
    mutating func remove(_ account: AccountID) {
        let email = member(account)?.email
        invitations.removeAll {
            $0.uses == 1 && $0.usedBy == [account] || $0.email != nil && $0.email == email
        }
        for index in invitations.indices where invitations[index].uses > 1 { invitations[index].barred.append(account) }
        change { people in people.removeAll { $0.account == account } }
    }

    mutating func stopSharing() {
        invitations = []
        change { people in people.removeAll { $0.role != .owner } }
    }

    /// Shows a person by the account's present name and colour.
    mutating func show(_ account: AccountResponse) {
        let before = people
        for index in people.indices where people[index].account == account.id {
            people[index].name = account.name
            people[index].colour = account.colour
        }
        // The stream of a list that was never shared has no states of the share.
        if people != before, people.count > 1 { stream.append(.share(ShareState(participants: people))) }
    }

    mutating func permit(_ permission: Permission, to account: AccountID) {
        change { people in
            for index in people.indices where people[index].account == account { people[index].permission = permission }
        }
    }

    mutating func handOver(to account: AccountID) {
        change { people in
            for index in people.indices {
                people[index].role = people[index].account == account ? .owner : .participant
                if people[index].role == .owner { people[index].permission = .readWrite }
            }
        }
    }

    func response(_ list: ListID, for account: AccountID) -> ListResponse {
        let member = member(account)
        return ListResponse(
            id: list, role: member?.role ?? .participant, permission: member?.permission ?? .readWrite,
            head: stream.head, createdAt: createdAt, readThrough: reads[account],
            place: places[account] ?? ListPlace())
    }

    func shareResponse(to account: AccountID, at now: Timestamp) -> ShareResponse {
        ShareResponse(
            share: ShareState(participants: people).shown(to: member(account)?.role ?? .participant),
            presence: present(at: now), reads: marks(reads),
            received: marks(received.merging(reads) { max($0, $1) }))
    }

    func present(at now: Timestamp) -> [Presence] {
        var until: [AccountID: Timestamp] = [:]
        for (account, end) in presence.values where end > now { until[account] = max(until[account] ?? end, end) }
        return until.sorted { $0.key < $1.key }.map { Presence(account: $0.key, until: $0.value) }
    }

    private func marks(_ marks: [AccountID: SequenceNumber]) -> [ReadMark] {
        marks.filter { member($0.key) != nil }.sorted { $0.key < $1.key }
            .map { ReadMark(account: $0.key, through: $0.value) }
    }

    /// The list's name and everything else that people see.
    var state: ListState { ListState(folding: stream.entries) }
}
