import TrolleyAssistant
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

extension AssistantCall {
    func add(_ arguments: AssistantArguments) async throws -> String {
        let list = try await list(named: arguments["list"])
        let past = Self.purchasesPart(at: HostedClock.now().wall)
        return try await change(list, [.live, past], into: ShoppedList()) {
            $0.take($1, $2)
        } plan: { read in
            try AssistantList(list, read.value.fold).adding(arguments, past: read.value.past) { .made() }
        }
    }

    func markOff(_ arguments: AssistantArguments) async throws -> String {
        try await changeItems(arguments) { list throws(AssistantFailure) in try list.markingOff(arguments) }
    }

    func edit(_ arguments: AssistantArguments) async throws -> String {
        try await changeItems(arguments) { list throws(AssistantFailure) in try list.editing(arguments) }
    }

    func undo(_ arguments: AssistantArguments) async throws -> String {
        let list = try await list(named: arguments["list"])
        let (device, passed) = (session.device, routes.passed)
        let history = UndoHistory(of: device, passed: passed.entries(of: device, on: list))
        return try await change(list, [.activity], into: history) { history, entry, _ in
            history.take(entry)
        } plan: { read in
            let (gesture, complete) = try read.value.undo(
                on: list, retainedFrom: read.retainedFrom, names: names(read.people), at: HostedClock.now().wall)
            passed.note(complete, of: device, on: list)
            return gesture
        }
    }

    private func changeItems(
        _ arguments: AssistantArguments, _ plan: (AssistantList) throws(AssistantFailure) -> AssistantGesture
    ) async throws -> String {
        let list = try await list(named: arguments["list"])
        return try await change(list, [.live], into: ListFold()) { fold, entry, _ in
            fold.take(entry)
        } plan: { read in
            try plan(AssistantList(list, read.value))
        }
    }

    /// Reads a list, plans a gesture on what was read, and appends it.
    /// - Returns: the tool's answer.
    private func change<Value: Sendable>(
        _ list: ListID, _ parts: [JournalPart], into initial: Value,
        _ take: (inout Value, ConfirmedEntry, JournalPart) -> Int,
        plan: (JournalReading<Value>) throws -> AssistantGesture
    ) async throws -> String {
        try await routes.gestures.withTurn(on: list, of: session.account) {
            let read = try await store.journal(
                of: list, for: session.account, countedFor: session.device, parts, into: initial, take)
            guard read.list.permission == .readWrite else { throw StoreError.readOnly }
            let gesture = try plan(read)
            let entries = try await routes.gestures.append(
                gesture.drafts, to: list, by: session, after: read.lastCounter)
            return gesture.document(entries)
        }
    }
}
