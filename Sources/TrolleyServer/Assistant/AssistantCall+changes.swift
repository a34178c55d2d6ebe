import TrolleyAssistant
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

extension AssistantCall {
    func add(_ arguments: AssistantArguments) async throws -> AssistantAnswer {
        let list = try await list(named: arguments["list"])
        let past = Self.purchasesPart(at: HostedClock.now().wall)
        return try await change(list, [.live, past], into: ShoppedList()) {
            $0.take($1, $2)
        } plan: { read in
            try AssistantList(list, read.value.fold).adding(arguments, past: read.value.past) { .made() }
        }
    }

    func markOff(_ arguments: AssistantArguments) async throws -> AssistantAnswer {
        try await changeItems(arguments) { list throws(AssistantFailure) in try list.markingOff(arguments) }
    }

    func edit(_ arguments: AssistantArguments) async throws -> AssistantAnswer {
        try await changeItems(arguments) { list throws(AssistantFailure) in try list.editing(arguments) }
    }

    /// Undo goes back over this many of the token's entries on a list at most.
    private static let mostUndone = 2000

    func undo(_ arguments: AssistantArguments) async throws -> AssistantAnswer {
        let list = try await list(named: arguments["list"])
        let named = try changeID(arguments["change"])
        let (device, passed, now) = (session.device, routes.passed, HostedClock.now().wall)
        let history = UndoHistory(of: device, passed: passed.entries(of: device, on: list))
        // Trips are made of purchases.
        let part = JournalPart.touched(by: device, newest: Self.mostUndone, since: Self.beginOfPurchases(at: now))
        return try await change(list, [part], into: history) { history, entry, _ in
            history.take(entry)
        } plan: { read in
            let (gesture, complete) = try read.value.undo(
                named, on: list, from: read.touchedFrom, retainedFrom: read.retainedFrom,
                names: names(read.people), at: now)
            passed.note(complete, of: device, on: list)
            return gesture
        }
    }

    private func changeID(_ text: String?) throws(AssistantFailure) -> EntryID? {
        guard let text else { return nil }
        if let id = EntryID(text) { return id }
        throw AssistantFailure("'change' is no id of a change. Nothing was changed.")
    }

    private func changeItems(
        _ arguments: AssistantArguments, _ plan: (AssistantList) throws(AssistantFailure) -> AssistantGesture
    ) async throws -> AssistantAnswer {
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
    ) async throws -> AssistantAnswer {
        try await routes.gestures.withTurn(on: list, of: session.account) {
            let (gesture, counter, head) = try await planned(list, parts, into: initial, take, plan)
            let entries = routes.gestures.entries(of: gesture.drafts, after: counter)
            // The answer's memory comes first. Without it nothing is appended, so a change that was made is never answered as failed.
            let answer = try reserved(gesture.document(entries))
            do {
                try await routes.gestures.append(entries, to: list, by: session, plannedAt: head)
            } catch let error as StoreError where error.leavesDoubt {
                // By its name, a repeated call can take nothing else back.
                guard let undone = gesture.undone else { throw error }
                throw AssistantFailure(
                    """
                    The database's answer was lost, so it isn't known whether the change '\(undone)' is taken back. Use 'undo' \
                    again with 'change': it takes back only that one.
                    """)
            }
            return answer
        }
    }

    /// Reads a list and plans a gesture. The memory of what was read is released.
    /// - Returns: the gesture, and of the list that was read: the last deviceSequence of the token's device, and the head.
    private func planned<Value: Sendable>(
        _ list: ListID, _ parts: [JournalPart], into initial: Value,
        _ take: (inout Value, ConfirmedEntry, JournalPart) -> Int,
        _ plan: (JournalReading<Value>) throws -> AssistantGesture
    ) async throws -> (gesture: AssistantGesture, counter: Int64, head: SequenceNumber) {
        let read = try await store.journal(
            of: list, for: session.account, countedFor: session.device, parts, into: initial, take)
        guard read.list.permission == .readWrite else { throw StoreError.readOnly }
        let gesture = try withExtendedLifetime(read.reservation) { try plan(read) }
        return (gesture, read.lastCounter, read.list.head)
    }
}
