import Crypto
import TrolleyJournal
import TrolleyWire
import Workload

/// Walks one hot path a given number of times: `hotpaths fold 100`. What counts its instructions (`../check`) takes the
/// difference between two numbers of times, so that preparing doesn't count.
@main
struct HotPaths {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first else {
            for path in HotPath.all { print(path.name) }
            return
        }
        guard let path = HotPath.all.first(where: { $0.name == name }),
            let times = arguments.dropFirst().first.flatMap({ Int($0) })
        else { throw WrongUse() }
        let walk = try path.prepare()
        for _ in 0..<times { try walk() }
    }
}

struct WrongUse: Error, CustomStringConvertible {
    let description = "hotpaths NAME TIMES; without arguments it prints the names"
}

struct HotPath: Sendable {
    let name: String
    /// Prepares the path's data, and returns the work to count.
    let prepare: @Sendable () throws -> () throws -> Void

    static let all = [
        HotPath(name: "read-change-token") {
            let text = Self.token.text(key: key)
            return { keep(ChangeToken(text, list: Self.token.list, key: key)) }
        },
        HotPath(name: "write-change-token") {
            return { keep(Self.token.text(key: key)) }
        },
        HotPath(name: "read-upload-of-1") { try readUpload(of: 1) },
        HotPath(name: "read-upload-of-100") { try readUpload(of: 100) },
        HotPath(name: "write-upload-of-100") {
            let request = UploadRequest(entries: uploads(100))
            return { keep(request.json) }
        },
        HotPath(name: "write-upload-answer-of-1") { try writeAnswer(of: 1) },
        HotPath(name: "write-upload-answer-of-100") { try writeAnswer(of: 100) },
        HotPath(name: "read-sync-of-1") {
            let json = AllChangesRequest(tokens: [Self.token.list: Self.token.text(key: key)]).json
            return { keep(try AllChangesRequest(json: json)) }
        },
        HotPath(name: "write-page-of-0") {
            let page = Self.page(of: 0)
            return { keep(page.json) }
        },
        HotPath(name: "write-page-of-100") {
            let page = Self.page(of: 100)
            return { keep(page.json) }
        },
        HotPath(name: "write-stored-page-of-100") {
            let page = StoredPage(of: 100)
            return { keep(page.json(with: nil)) }
        },
        HotPath(name: "write-stored-page-of-100-with-receipts") {
            let (page, receipts) = (StoredPage(of: 100), EntryReceipts(of: Self.token.list, key: ReceiptKey(key)))
            return { keep(page.json(with: receipts)) }
        },
        HotPath(name: "read-page-of-100") {
            let json = Self.page(of: 100).json
            return { keep(try ChangesPage(json: json)) }
        },
        HotPath(name: "fold-1000") {
            let journal = Household.journal(of: 1_000)
            return { keep(ListFold(folding: journal)) }
        },
        HotPath(name: "compress-1000") {
            let journal = Household.journal(of: 1_000)
            let cutOff = journal[900].receivedAt
            return { keep(Compression(of: journal, olderThan: cutOff)) }
        },
        HotPath(name: "compress-crafted-1000") {
            let journal = Crafted.run(of: 1_000)
            return { keep(Compression(of: journal, olderThan: Crafted.cutOff)) }
        },
        HotPath(name: "resolve-crafted-40") {
            let journal = Crafted.run(of: 1_000)
            let live = Compression(of: journal, olderThan: Crafted.cutOff).applied(to: journal)
            let changes = Crafted.changes(40, to: 1_000)
            return {
                var resolver = AppendResolver(activity: journal, live: live)
                for change in changes { keep(resolver.resolve(change)) }
            }
        },
        HotPath(name: "digest-of-1000") {
            let fold = ListFold(folding: Household.journal(of: 5_000, openItems: 1_000))
            return { keep(fold.state.digest) }
        },
    ]

    private static func readUpload(of count: Int) throws -> () throws -> Void {
        let json = UploadRequest(entries: uploads(count)).json
        return { keep(try UploadBody(json: json, limits: Limits())) }
    }

    private static func writeAnswer(of count: Int) throws -> () throws -> Void {
        let results = Household.journal(of: count).map { UploadResult.accepted($0, .applied) }
        let answer = UploadResponse(results: results, token: Self.token.text(key: key))
        return { keep(answer.json) }
    }

    private static let key = ChangeToken.Key(key: SymmetricKey(data: Array(repeating: UInt8(7), count: 32)))

    /// With a mark, as the service makes them.
    private static let token = ChangeToken(
        list: ListID(UUIDBits(high: 0x7000, low: 1)), epoch: UUIDBits(high: 0x0123_4567_89AB_CDEF, low: 0),
        sequence: SequenceNumber(rawValue: 1_000_000), mark: Timestamp(milliseconds: 1_767_225_600_000))

    private static func uploads(_ count: Int) -> [UploadEntry] {
        Household.journal(of: count).map { UploadEntry(entry: $0.entry, age: 1_500) }
    }

    private static func page(of count: Int) -> ChangesPage {
        ChangesPage(
            changes: Household.journal(of: count).map { Change(sequence: $0.sequence, body: .entry($0)) },
            token: String(repeating: "t", count: 44), moreComing: false, snapshot: false)
    }
}

/// Keeps the optimizer from removing unused results.
@inline(never)
func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }
