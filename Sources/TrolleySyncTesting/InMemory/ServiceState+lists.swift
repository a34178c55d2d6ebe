import TrolleyJournal
import TrolleyWire

extension ServiceState {
    /// A list that the account is on.
    func list(_ id: ListID, for account: AccountID) throws(Problem) -> SharedList {
        if let list = lists[id], list.member(account) != nil { return list }
        guard let reason = gone[account]?[id] else { throw Problem(.listNotFound) }
        throw Problem(.listDeleted, "the list is gone: \(reason.sentence)", reason: reason)
    }

    /// A list that the account owns.
    func ownList(_ id: ListID, of account: AccountID) throws(Problem) -> SharedList {
        let list = try list(id, for: account)
        guard list.owner == account else { throw Problem(.permissionFailure, "only the list's owner may do that") }
        return list
    }

    /// Changes a list, and tells its people's devices.
    mutating func change<Value>(_ id: ListID, _ body: (inout SharedList) -> Value) throws(Problem) -> Value {
        guard var list = lists[id] else { throw Problem(.listNotFound) }
        let before = list.members.compactMap(\.account)
        let value = body(&list)
        lists[id] = list
        for account in before where list.member(account) == nil { note(.removed, of: id, to: account) }
        tell(of: id)
        return value
    }

    mutating func createList(
        _ request: CreateListRequest, by session: Session
    ) throws(Problem) -> CreateListResponse {
        let owner = try account(session)
        if let known = lists[request.id] {
            guard known.member(owner.id) != nil else {
                throw Problem(.serverRecordChanged, "another list has this id; make a new one")
            }
        } else {
            lists[request.id] = SharedList(owner: owner, at: now())
        }
        var response = CreateListResponse(list: try list(request.id, for: owner.id).response(request.id, for: owner.id))
        if let share = request.share {
            guard lists[request.id]?.invitations.isEmpty == true else {
                throw Problem(.alreadyShared, "the list is shared; invite more people by its invitations")
            }
            response.invitations = []
            for invitation in share.invitations {
                response.invitations?.append(try invite(invitation, to: request.id, by: session))
            }
        }
        return response
    }

    /// The owner deletes the list; somebody else leaves it.
    mutating func deleteList(_ id: ListID, by account: AccountID) throws(Problem) {
        let list = try list(id, for: account)
        if list.owner == account {
            lists[id] = nil
            for member in list.members.compactMap(\.account) { note(.deleted, of: id, to: member) }
        } else {
            try change(id) { $0.leave(account) }
        }
    }

    mutating func stopSharing(_ id: ListID, by account: AccountID) throws(Problem) {
        let others = try ownList(id, of: account).members.compactMap(\.account).filter { $0 != account }
        try change(id) { $0.stopSharing() }
        for other in others { note(.stoppedSharing, of: id, to: other) }
    }

    mutating func upload(_ json: [UInt8], to id: ListID, by session: Session) throws(Problem) -> UploadResponse {
        let list = try list(id, for: session.account)
        let body: UploadBody
        do { body = try UploadBody(json: json, limits: limits) } catch {
            if case .tooLarge(let detail) = error { throw Problem(.limitExceeded, detail, limits: limits) }
            throw Problem(.invalidArguments, error.description)
        }
        let isReadOnly = list.member(session.account)?.permission == .readOnly
        var stream = list.stream
        let results = body.items.map { item -> UploadResult in
            switch item {
            case .rejected(let result): result
            case .valid(let entry):
                stream.take(entry, by: session.account, on: session.device, at: now()) { _ in
                    isReadOnly ? (.permissionFailure, "you may read this list, not change it") : nil
                }
            }
        }
        let isRefused = body.atomic && results.contains { $0.status == .rejected }
        if !body.validateOnly, !isRefused { try change(id) { $0.stream = stream } }
        let response = UploadResponse(results: results, token: token(lists[id]?.stream.head ?? .start))
        guard isRefused else { return response }
        throw Problem(.batchRequestFailed, "some of the entries can't be taken, so none was")
    }

    mutating func compress(_ id: ListID) {
        lists[id]?.stream.compress()
        tell(of: id)
    }

    mutating func restore(_ id: ListID, losing count: Int) {
        lists[id]?.stream.lose(count)
        epoch += 1
        tell(of: id)
    }
}
