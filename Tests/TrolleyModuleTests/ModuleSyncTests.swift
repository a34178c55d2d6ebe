import Foundation
import Testing
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import TrolleyModule

/// A device's decisions in the module: halving, retry, verdicts.
@Suite("Sync in the WebAssembly module", .timeLimit(.minutes(20)))
struct ModuleSyncTests {
    @Test func `random runs decide as natively`() throws {
        var run = ModuleRun()
        for seed in 1...100 as ClosedRange<UInt64> {
            var random = RandomJournal(seed: seed)
            run.add(.openMachine)
            run.add(.next, 1, step(#"{"type":"begun","trigger":"\#(random.trigger)"}"#, &random))
            for _ in 0..<40 { run.add(.next, 1, step(random.event(), &random)) }
            run.add(.closeMachine, 1)
            run.add(.cutUpload, 0, random.queue())
            run.add(.settle, 0, random.settlement())
            run.add(.report, 0, random.queues())
            run.add(.uploadEnded, 0, random.uploadEnd())
            run.add(.renumber, 0, random.numbered())
            run.add(.offer, 0, random.offered())
            run.add(.rules, 0, random.oneIn(2) ? "{}" : #"{"protocolVersion":\#(random.below(6))}"#)
            let waiting = (0..<random.below(4)).map { _ in "\"\(random.trigger)\"" }.joined(separator: ",")
            run.add(.triggers, 0, #"{"waiting":[\#(waiting)],"trigger":"\#(random.trigger)"}"#)
        }
        let answers = try run.expectSame()
        #expect(answers.first { $0.hasPrefix("!") } == nil)
        for action in ["publish", "upload", "reject", "fetch", "apply", "finish", "fetchLimits", "readStatus"] {
            #expect(
                answers.contains { $0.hasPrefix(#"{"action":{"type":"\#(action)""#) }, "no \(action) among the answers")
        }
    }

    private func step(_ event: String, _ random: inout RandomJournal) -> String {
        let at = Timestamp(milliseconds: 1_772_000_000_000 + Int64(random.below(1 << 30)))
        return #"{"event":\#(event),"at":"\#(at)","random":\#(random.bits() >> 32)}"#
    }

    @Test func `a batch that is too large is halved until it goes`() throws {
        var run = ModuleRun()
        let list = #"{"id":"00000000-0000-7000-8000-000000000001","isPublished":true,"token":"t","waiting":100}"#
        var retryState = "{}"
        func next(_ event: String) throws -> String {
            run.add(.next, 1, #"{"event":\#(event),"at":"2026-03-01T09:00:00.000Z"}"#)
            let answer = try #require(run.natively().last)
            #expect(answer.hasPrefix("{"))
            let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
            let data = try JSONSerialization.data(withJSONObject: object["retryState"] as Any)
            retryState = String(decoding: data, as: UTF8.self)
            return answer
        }
        run.add(.openMachine)
        _ = try next(#"{"type":"begun","trigger":"manual"}"#)
        _ = try next(#"{"type":"deviceStatus","deviceStatus":{"lists":[\#(list)]}}"#)
        _ = try next(#"{"type":"limits","limits":{}}"#)
        for expected in [400, 50, 25, 13, 7, 4, 2, 1] {
            let status = #"{"lists":[\#(list)],"retryState":\#(retryState)}"#
            let answer = try next(#"{"type":"deviceStatus","deviceStatus":\#(status)}"#)
            #expect(answer.contains(#""type":"upload""#) && answer.contains(#""entries":\#(expected),"#))
            _ = try next(
                #"{"type":"uploadFailed","reason":"problem","problem":{"code":"limitExceeded"},"entries":\#(min(expected, 100)),"bytes":9}"#
            )
        }
        #expect(try run.expectSame().last?.contains(#""type":"reject""#) == true)
    }

    @Test func `pages are stored by the same plan as natively`() throws {
        var run = ModuleRun()
        var random = RandomJournal(seed: 19)
        var expected: [ReceivingPlan] = []
        for _ in 0..<300 {
            let list = ReceivingList(
                token: random.below(3) == 0 ? nil : "t", isStaging: random.below(2) == 0,
                through: SequenceNumber(rawValue: Int64(random.below(9))), owner: random.owner())
            let page = ReceivedPage(
                isSnapshot: random.below(3) == 0, moreComing: random.below(2) == 0, isEmpty: random.below(4) == 0,
                hasDigest: random.below(2) == 0,
                through: random.below(3) == 0 ? SequenceNumber(rawValue: Int64(random.below(15))) : nil)
            let isReplaced = random.below(9) == 0
            var plan = isReplaced ? ReceivingPlan(replacingWithStaged: list) : ReceivingPlan(storing: page, in: list)
            let taken = (0..<random.below(5)).map { _ in
                let kind = random.below(3), at = Int64(random.below(12))
                let (isOwn, wasApplied) = (random.below(3) == 0, random.below(3) == 0)
                let owner = random.account()
                plan.take(
                    [.entry, .share(owner: owner), .discard][kind], at: SequenceNumber(rawValue: at), isOwn: isOwn,
                    wasApplied: wasApplied)
                let type = ["entry", "share", "discard"][kind]
                return """
                    {"type":"\(type)","sequence":\(at),"isOwn":\(isOwn),"wasApplied":\(wasApplied),"share":\(share(of: owner))}
                    """
            }
            expected.append(plan)
            let pageJSON = """
                {"isSnapshot":\(page.isSnapshot),"moreComing":\(page.moreComing),"isEmpty":\(page.isEmpty),\
                "hasDigest":\(page.hasDigest),"through":\(page.through.map { "\($0.rawValue)" } ?? "null")}
                """
            run.add(
                .receiving, 0,
                #"{"list":\#(json(list)),"page":\#(isReplaced ? "null" : pageJSON),"taken":[\#(taken.joined(separator: ","))]}"#
            )
        }
        for (answer, plan) in zip(try run.expectSame(), expected) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
            #expect(object["steps"] as? [String] == plan.steps.map(\.rawValue))
            #expect(object["isStaging"] as? Bool == plan.isStaging)
            #expect(object["through"] as? Int == Int(plan.through.rawValue))
            #expect((object["news"] as? [Bool])?.count { $0 } == plan.news)
            #expect(object["ownership"] as? String == plan.owner.flatMap { text(of: $0.proof) })
        }
    }

    @Test func `a refused entry that comes has arrived, wherever it stands, and not if something else has its id`()
        throws
    {
        let entries = (1...3).map { number in
            JournalEntry(
                id: EntryID(UUIDBits(high: 0x2, low: UInt64(number))), operation: .add,
                item: RandomJournal.item(number),
                fields: [Fields.text: .string("item \(number)")],
                deviceSequence: Int64(number))
        }
        let list = ReceivingList(token: "t", isStaging: false, through: .start)
        let taken = entries.enumerated().map { number, refused in
            var arrived = refused
            if number == 1 { arrived.after = RandomJournal.item(9) }
            if number == 2 { arrived.fields = [Fields.text: "something else"] }
            return """
                {"type":"entry","sequence":\(number + 1),"isOwn":false,"wasApplied":false,\
                "entry":\(text(of: arrived)),"refused":\(text(of: refused))}
                """
        }
        var run = ModuleRun()
        let page = #"{"isSnapshot":false,"moreComing":false,"isEmpty":false,"hasDigest":false}"#
        run.add(
            .receiving, 0,
            #"{"list":\#(json(list)),"page":\#(page),"taken":[\#(taken.joined(separator: ","))]}"#)
        let answer = try #require(try run.expectSame().first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
        #expect(object["arrived"] as? [String] == entries.prefix(2).map(\.id.description))
    }

    private func text(of entry: JournalEntry) -> String {
        var writer = JSONWriter()
        entry.write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `a report has what waits, by operation`() throws {
        var run = ModuleRun()
        let list = RandomJournal.item(1)
        run.add(
            .report, 0,
            """
            {"lists":[{"id":"\(list)","waiting":[{"operation":"edit","number":7,"wall":"2026-01-01T00:00:00.000Z"},\
            {"operation":"add","number":5,"wall":"2026-01-01T00:00:30.000Z"}],"toApply":["add","add"]}],\
            "failures":[{"code":"unreachable","count":2,"at":"2026-01-01T00:00:00.000Z"}],"at":"2026-01-01T00:01:00.000Z"}
            """)
        let answer = try #require(try run.expectSame().first)
        #expect(
            try JSONDecoder().decode(QueueReport.self, from: Data(answer.utf8))
                == QueueReport(
                    upload: ["edit": 1, "add": 1], toApply: ["add": 2], oldestAge: 60_000,
                    held: [ListID(list.bits): 5],
                    failures: [QueueReport.Failure(code: "unreachable", count: 2, age: 60_000)]))
    }

    @Test func `a list without a page gets the same step as natively`() throws {
        var run = ModuleRun()
        var expected: [(before: ReceivingList, step: EndStep?)] = []
        var random = RandomJournal(seed: 20)
        for bits in 0..<512 {
            func bit(_ place: Int) -> Bool { bits >> place & 1 == 1 }
            let list = ReceivingList(
                token: bit(0) ? "t" : nil, isStaging: bit(3), through: .start, isLocal: bit(1), isPublished: bit(2),
                owner: random.owner())
            let isLost = bit(4) && bit(6)
            run.add(
                .ended, 0,
                #"{"list":\#(json(list)),"isGone":\#(bit(4)),"isUnknown":\#(bit(5)),"isAccountLost":\#(isLost)}"#)
            let end =
                isLost
                ? ReceivedEnd.accountLost
                : bit(4) ? .gone(.removed, isUnknown: bit(5)) : .tokenRefused(isUnknown: bit(5))
            expected.append((list, end.step(for: list)))
        }
        #expect(Set(expected.map { $0.before.isOwn }).count == 2)
        for (answer, (before, step)) in zip(try run.expectSame(), expected) {
            let name = step.map { "\"\("\($0)".prefix { $0 != "(" })\"" } ?? "null"
            let after = step.map { before.after($0) } ?? before
            let ownership = after.owner.flatMap { text(of: $0.proof) }.map { "\"\($0)\"" } ?? "null"
            #expect(
                answer
                    == #"{"isOwn":\#(before.isOwn),"step":\#(name),"isPublished":\#(after.isPublished),"isLocal":\#(after.isLocal),"ownership":\#(ownership)}"#
            )
        }
    }

    private func json(_ list: ReceivingList) -> String {
        """
        {"token":\(list.token.map { "\"\($0)\"" } ?? "null"),"isStaging":\(list.isStaging),\
        "through":\(list.through.rawValue),"isLocal":\(list.isLocal),"isPublished":\(list.isPublished),\
        "share":\(share(of: list.owner?.owner)),"ownership":\(list.owner.flatMap { text(of: $0.proof) }.map { "\"\($0)\"" } ?? "null"),\
        "account":\(list.owner?.account.map { "\"\($0)\"" } ?? "null")}
        """
    }

    private func share(of owner: AccountID?) -> String {
        owner.map {
            #"{"participants":[{"role":"participant","account":"\#($0)"},{"role":"owner","account":"\#($0)"}]}"#
        } ?? "null"
    }

    /// As a list's record has it.
    private func text(of proof: ListOwner.Proof) -> String? {
        switch proof {
        case .unknown: nil
        case .none: ""
        case .text(let text): text
        }
    }

    @Test func `what is written is read again`() throws {
        var retryState = RetryState()
        retryState.failures = 3
        retryState.failingSince = Timestamp(milliseconds: 1_772_000_000_000)
        retryState.nextTry = Timestamp(milliseconds: 1_772_000_001_000)
        retryState.askedToWait = true
        retryState.limits = Limits(entriesPerRequest: 7, ageCap: 5)
        retryState.learnedEntries = 9
        retryState.learnedUntil = retryState.nextTry
        retryState.lately = [PastFailure(code: "unreachable", count: 2, at: Timestamp(milliseconds: 4))]
        retryState.digestsComparedAt = retryState.nextTry
        retryState.wantsDigests = true
        retryState.sessionEndedAt = retryState.failingSince
        retryState.lists = [
            ListWait(
                list: ListID(UUIDBits(high: 3, low: 4)), failures: 2, nextTry: Timestamp(milliseconds: 5),
                askedToWait: true)
        ]
        try expectSame(retryState, read: { RetryState($0) }, write: { $0.write(to: &$1) })

        var problem = Problem(
            .limitExceeded, "too \"large\"", retryAfter: 4, reason: .removed, limits: Limits(),
            candidates: [Problem.Candidate(id: EntryID(UUIDBits(high: 1, low: 2)), text: "milk")])
        problem.requestID = "r"
        problem.signedOut = true
        try expectSame(problem, read: { Problem($0) }, write: { $0.write(to: &$1) })
        #expect(try JSONDecoder().decode(Problem.self, from: JSONEncoder().encode(problem)) == problem)

        let result = UploadResult.accepted(
            EntryID(UUIDBits(high: 1, low: 2)), at: SequenceNumber(rawValue: 6_000_000_000),
            madeAt: Timestamp(milliseconds: 1), receivedAt: Timestamp(milliseconds: 2), .duplicate)
        let response = UploadResponse(results: [result, .rejected(nil, .quotaExceeded, "full")], token: "t")
        try expectSame(response, read: { UploadResponse($0) }, write: { $0.write(to: &$1) })
        #expect(try JSONDecoder().decode(UploadResponse.self, from: JSONEncoder().encode(response)) == response)

        var journal = RandomJournal(seed: 8)
        for _ in 0..<300 { journal.confirm(items: 4) }
        let log = UndoLog(of: RandomJournal.device(1), replaying: journal.entries)
        #expect(log.records.count > 50)
        for record in log.records {
            try expectSame(record, read: { UndoLog.Record($0) }, write: { $0.write(to: &$1) })
        }
    }

    @Test("what undo needs of each kind of change is read again, by the module as elsewhere")
    func registers() throws {
        let item = RandomJournal.item(1)
        let drafts = [
            EntryDraft(.renameList, fields: ["text": "Home", "aisles": "Dairy"]),
            EntryDraft(.recolourList, fields: ["text": "green", "aisles": .null]),
            EntryDraft(.add, item: item, fields: ["text": "Milk", "odd": .json("[1]")]),
            EntryDraft(.add, item: item, fields: ["text": "Oat milk", "odd": .null]),
            EntryDraft(.markOff, item: item), EntryDraft(.move, item: item), EntryDraft(.delete, item: item),
        ]
        var (log, fold) = (UndoLog(), ListFold())
        var seen: Set<String> = []
        for (number, draft) in drafts.enumerated() {
            let entry = JournalEntry(
                id: EntryID(UUIDBits(high: 2, low: UInt64(number))), operation: draft.operation, item: draft.item,
                fields: draft.fields, deviceSequence: Int64(number) + 1)
            let made = log.record(entry, over: fold)
            let record = try #require(made)
            fold.append(PendingEntry(entry: entry, madeAt: Timestamp(milliseconds: Int64(number))))
            seen.formUnion(record.replaced.map(\.register.code))
            try expectSame(record, read: { UndoLog.Record($0) }, write: { $0.write(to: &$1) })
        }
        #expect(seen == ["name", "colour", "field", "markedOff", "deleted", "place"])
    }

    private func expectSame<Value: Equatable>(
        _ value: Value, read: (JSONObject) -> Value, write: (Value, inout JSONWriter) -> Void
    ) throws {
        var writer = JSONWriter()
        write(value, &writer)
        #expect(try JSONObject.read(writer.bytes, read) == value)
    }
}

extension RandomJournal {
    mutating func account() -> AccountID? { oneIn(3) ? nil : AccountID(UUIDBits(high: 7, low: UInt64(below(2)))) }

    mutating func owner() -> ListOwner {
        ListOwner(owner: account(), proof: pick([.unknown, .none, .text("proof")]), account: account())
    }

    var trigger: String {
        mutating get { pick(["launch", "ownChange", "push", "network", "timer", "manual"]) }
    }

    mutating func event() -> String {
        switch below(9) {
        case 0...3:
            let lists = (0..<below(4)).map { number in
                """
                {"id":"\(RandomJournal.item(number))","isPublished":\(!oneIn(4)),"isLocal":\(oneIn(6)),\
                "token":\(oneIn(3) ? "null" : "\"t\""),"waiting":\(below(3) * 40),"toApply":\(below(2)),\
                "isShopping":\(oneIn(2))}
                """
            }
            let failures = #"{"failures":\#(below(30)),"nextTry":"2026-02-25T07:00:00.000Z"}"#
            let retryState = oneIn(3) ? #","retryState":\#(failures)"# : ""
            return
                #"{"type":"deviceStatus","deviceStatus":{"lists":[\#(lists.joined(separator: ","))],"lacksOwnership":\#(oneIn(2))\#(retryState)}}"#
        case 4: return #"{"type":"uploaded","sent":\#(below(3)),"rejected":\#(below(2)),"held":\#(below(2))}"#
        case 5:
            return """
                {"type":"fetched","outcome":[{"news":\(below(3)),"isNew":\(oneIn(4)),"hasNewToken":\(oneIn(2)),\
                "changes":\(below(2)),"discarded":\(below(2)),"differs":\(oneIn(5))},\
                {"isGone":\(oneIn(2)),"step":"\(pick(["leave", "fetchAfresh"]))","keptAside":\(below(2))}],\
                "moreComing":\(oneIn(3)),"unreachable":["\(RandomJournal.item(below(3)))"]}
                """
        case 6:
            return oneIn(2) ? #"{"type":"limits","limits":{"entriesPerRequest":\#(below(50))}}"# : #"{"type":"done"}"#
        default:
            let problem =
                #""problem":{"code":"\#(pick(ProblemCode.allCases).rawValue)","retryAfter":\#(below(90)),"detail":"\#(below(9))"}"#
            let reason = pick(["\"problem\",\(problem)", "\"unreachable\",\"detail\":\"gone\"", "\"notUnderstood\""])
            return
                #"{"type":"\#(pick(["failed", "uploadFailed"]))","reason":\#(reason),"entries":\#(1 + below(9)),"bytes":\#(below(999))}"#
        }
    }

    /// The input of `cutUpload`.
    mutating func queue() -> String {
        let queued = (0..<below(9)).map { number in
            var entry = entry(items: 3)
            entry.deviceSequence = Int64(number + 1)
            var writer = JSONWriter()
            entry.write(to: &writer)
            return
                #"{"entry":\#(String(decoding: writer.bytes, as: UTF8.self)),"made":{"boot":"\#(below(2))","uptime":\#(below(1 << 40)),"wall":"2026-01-01T00:00:00.000Z"}}"#
        }
        return
            #"{"queued":[\#(queued.joined(separator: ","))],"at":{"boot":"1","uptime":\#(below(1 << 41)),"wall":"2026-02-01T00:00:00.000Z"},"bytes":\#(below(3000))}"#
    }

    /// The input of `settle`.
    mutating func settlement() -> String {
        let ids = (0..<6).map { "\"\(RandomJournal.item($0))\"" }
        let results = ids.map { id in
            """
            {"id":\(id),"status":"\(pick(["applied", "duplicate", "rejected", "forgotten"]))",\
            "sequence":\(oneIn(4) ? "null" : String(bits() >> 30)),"code":"\(pick(ProblemCode.allCases).rawValue)"}
            """
        }
        let queued = ids.dropLast().map { id in
            """
            {"id":\(id),"operation":"\(pick(["add", "deleteMessage", "somethingNew"]))","isOffered":\(oneIn(3)),"isOwn":\(oneIn(2))}
            """
        }
        let answer =
            oneIn(4)
            ? #""refused":{"code":"permissionFailure","detail":"look only"}"#
            : #""response":{"results":[\#(results.joined(separator: ","))],"token":"t"}"#
        return #"{"queued":[\#(queued.joined(separator: ","))],\#(answer),"through":\#(bits() >> 31)}"#
    }

    private mutating func time() -> String {
        "\"\(Timestamp(milliseconds: 1_772_000_000_000 + Int64(below(1 << 30))))\""
    }

    /// The input of `report`.
    mutating func queues() -> String {
        let lists = (0..<below(4)).map { number in
            let waiting = (0..<below(4)).map { _ in
                #"{"operation":"\#(pick(["add", "edit", "somethingNew"]))","number":\#(below(99)),"wall":\#(time())}"#
            }
            let toApply = (0..<below(3)).map { _ in pick(["\"add\"", "\"move\""]) }
            return """
                {"id":"\(RandomJournal.item(number))","waiting":[\(waiting.joined(separator: ","))],\
                "toApply":[\(toApply.joined(separator: ","))]}
                """
        }
        let failures = (0..<below(30)).map { _ in
            #"{"code":"\#(pick(ProblemCode.allCases).rawValue)","count":\#(1 + below(3)),"at":\#(time())}"#
        }
        return """
            {"lists":[\(lists.joined(separator: ","))],"failures":[\(failures.joined(separator: ","))],"at":\(time())}
            """
    }

    /// The input of `uploadEnded`.
    mutating func uploadEnd() -> String {
        let queued = (0..<below(5)).map { _ in
            let flags = ["isSent", "isOffered", "isConfirmed"].map { #""\#($0)":\#(oneIn(4)),"# }.joined()
            return #"{\#(flags)"wall":\#(time()),"estimate":\#(time())}"#
        }
        let results = #"[{"status":"applied","madeAt":\#(time())}]"#
        let response = oneIn(2) ? #","response":{"results":\#(results),"token":"t"}"# : ""
        return #"{"queued":[\#(queued.joined(separator: ","))],"age":\#(below(1 << 29)),"at":\#(time())\#(response)}"#
    }

    /// The input of `renumber`.
    mutating func numbered() -> String {
        let queued = (0..<below(6)).map { _ in
            #"{"number":\#(below(50)),"isSent":\#(oneIn(2)),"isOffered":\#(oneIn(3))}"#
        }
        return #"{"queued":[\#(queued.joined(separator: ","))]}"#
    }

    /// The input of `offer`.
    mutating func offered() -> String {
        let times = (0..<below(5)).map { _ in time() }
        let queue = (oneIn(2) ? "" : #""first":\#(below(9) - 20),"#) + (oneIn(2) ? "" : #""unsent":\#(time()),"#)
        return #"{"madeAt":[\#(times.joined(separator: ","))],\#(queue)"at":\#(time())}"#
    }
}
