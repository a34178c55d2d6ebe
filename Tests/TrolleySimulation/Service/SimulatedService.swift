import TrolleyJournal
import TrolleyWire

/// The service: two processes over one database. The rules are the real ones where they are pure (limits, verdicts on entries,
/// the resolver, compression in steps); the statements around them are written here as the real ones are.
struct SimulatedService: Sendable {
    var database = Database()
    var processes = [ServiceProcess(), ServiceProcess()]
    let defect: Defect?

    init(defect: Defect?) { self.defect = defect }

    mutating func answer(
        _ call: Call, from caller: Caller, by process: Int, at now: Timestamp
    ) throws(Problem) -> Answer {
        switch call {
        case .config: .config(processes[process].limits)
        case .createList(let request): .list(try createList(request, by: caller, at: now))
        case .upload(let request, let list):
            .upload(try upload(request, to: list, from: caller, by: process, at: now))
        case .changes(let request): .changes(changes(request, for: caller, by: process))
        }
    }

    private mutating func createList(
        _ request: CreateListRequest, by caller: Caller, at now: Timestamp
    ) throws(Problem) -> ListResponse {
        if database.lists[request.id] == nil {
            var list = StoredList(request.id, owner: caller.account, at: now)
            list.append(.share(list.share))
            database.lists[request.id] = list
            database.gone[caller.account]?[request.id] = nil
        }
        guard let list = database.lists[request.id], list.members[caller.account] != nil else {
            throw Problem(.serverRecordChanged, "another list has this id")
        }
        let isOwner = list.owner == caller.account
        return ListResponse(
            id: list.id, role: isOwner ? .owner : .participant, permission: list.members[caller.account] ?? .readWrite,
            head: list.head, createdAt: list.createdAt, ownership: isOwner ? Self.proof(of: list) : nil)
    }

    static func proof(of list: StoredList) -> String { "proof of \(list.id)" }

    // MARK: People

    mutating func setPermission(_ permission: Permission?, of account: AccountID, on id: ListID) {
        guard var list = database.lists[id], list.owner != account, list.members[account] != permission else { return }
        list.members[account] = permission
        list.append(.share(list.share))
        database.lists[id] = list
        if permission == nil {
            database.gone[account, default: [:]][id] = .removed
        } else {
            database.gone[account]?[id] = nil
        }
    }
}
