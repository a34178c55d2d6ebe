import TrolleyAssistant
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// One request of an assistant's program.
struct AssistantCall: Sendable {
    let routes: AssistantRoutes
    let session: Session
    /// The size of the request's body.
    let messageBytes: Int

    var store: Store { routes.store }
    /// Whether the token may only read.
    var isReadOnly: Bool { session.scope?.isReadOnly == true }

    /// Uses a tool.
    /// - Returns: the tool's answer with its memory, or a sentence that says why there is none.
    /// - Throws: faults and outages, which the operator hears of.
    func outcome(
        of tool: AssistantTool, _ arguments: AssistantArguments
    ) async throws -> (outcome: AssistantOutcome, memory: ReadReservation?) {
        do {
            let answer = try await use(tool, arguments)
            return (.document(answer.document), answer.memory)
        } catch let failure as AssistantFailure {
            return (.failed(failure.sentence), nil)
        } catch StoreError.tooLong {
            return (.failed("The list, or its Activity, is too long for this tool. Nothing was changed."), nil)
        } catch {
            let problem = Problem(answering: error, limits: routes.limits)
            if problem.status == 500 || (error as? StoreError)?.outage != nil { throw error }
            return (.failed(problem.sentence), nil)
        }
    }

    private func use(_ tool: AssistantTool, _ arguments: AssistantArguments) async throws -> AssistantAnswer {
        if !tool.isReadOnly {
            if isReadOnly { throw AssistantFailure("This personal token may only read. Nothing was changed.") }
            if routes.disk.isFull { throw Problem(Outage.diskFull) }
        }
        switch tool.name {
        case .lists: return try reserved(try await lists())
        case .show: return try await shown(try await list(named: arguments["list"]))
        case .add: return try await add(arguments)
        case .markOff: return try await markOff(arguments)
        case .edit: return try await edit(arguments)
        case .whereabouts: return try reserved(try await whereabouts(arguments))
        case .suggest: return try reserved(try await suggestions(arguments))
        case .undo: return try await undo(arguments)
        }
    }

    // MARK: Lists

    /// The token's lists, oldest first.
    func namedLists() async throws -> [NamedList] {
        try await store.calendars(of: session.account).filter { session.opens($0.list) }.map {
            NamedList(id: $0.list, name: $0.name)
        }
    }

    func resources() async throws -> [AssistantResource] {
        try await namedLists().map { AssistantResource(list: $0.id, name: $0.name ?? "") }
    }

    /// The list of this name or id; without a name, the only one.
    /// - Throws: `AssistantFailure`.
    func list(named name: String?) async throws -> ListID {
        let lists = try await namedLists()
        guard let name else {
            if lists.count == 1 { return lists[0].id }
            throw AssistantFailure(
                lists.isEmpty
                    ? "There is no list for this token."
                    : "Name one of these lists:\n" + lists.map { ($0.name ?? "\($0.id)").inOneLine }.abbreviated)
        }
        let found = lists.matching(name)
        guard let list = found.first else { throw noSuchList(name) }
        guard found.count == 1 else {
            let lines = lists.filter { found.contains($0.id) }.map { "\($0.id)  \(($0.name ?? "").inOneLine)" }
            throw AssistantFailure("Several lists fit '\(name)'. Name one by its id:\n" + lines.abbreviated)
        }
        return list
    }

    private func noSuchList(_ name: String) -> AssistantFailure {
        AssistantFailure("There is no list '\(name)' here. 'lists' shows all lists of this token.")
    }

    /// A list with its items.
    /// - Throws: `AssistantFailure` if the token doesn't open the list, or if the account isn't on it; `StoreError`.
    func shown(_ list: ListID) async throws -> AssistantAnswer {
        guard session.opens(list) else { throw noSuchList("\(list)") }
        let document: String
        do throws(StoreError) {
            document = try await self.document(of: list)
        } catch {
            switch error {
            case .notOnList, .gone: throw noSuchList("\(list)")
            default: throw error
            }
        }
        return try reserved(document)
    }

    private func document(of list: ListID) async throws(StoreError) -> String {
        let read = try await store.journal(of: list, for: session.account, [.live], into: ListFold()) {
            fold, entry, _ in fold.take(entry)
        }
        return withExtendedLifetime(read.reservation) { AssistantList(list, read.value).shown }
    }

    /// The names of the people on a list.
    func names(_ people: ShareState) -> [AccountID: String] {
        var names: [AccountID: String] = [:]
        for person in people.participants {
            if let account = person.account, let name = person.name ?? person.email { names[account] = name }
        }
        return names
    }

    /// Reads something of each of some lists, without lists that the account is no longer on.
    func each(_ lists: [ListID], _ body: (ListID) async throws -> Void) async throws {
        for list in lists {
            do { try await body(list) } catch let error as StoreError {
                switch error {
                case .notOnList, .gone: continue
                default: throw error
                }
            }
        }
    }
}

extension Problem {
    /// What is wrong, and when to try again.
    fileprivate var sentence: String {
        let sentence = detail ?? title
        return retryAfter.map { "\(sentence) (Try again in \($0) s.)" } ?? sentence
    }
}
