import FoundationEssentials
import Testing
import TrolleyJournal

@testable import TrolleyWire

/// Diagnostics are written by hand, and their parts are also `Codable`; both must give the same JSON. Each member is
/// compared once with a value and once without.
@Suite(.timeLimit(.minutes(20))) struct DiagnosticsJSONTests {
    private let time = Timestamp(milliseconds: 1_800_000_000_123)
    private func id<ID: Identifier>(_ number: UInt64, _ type: ID.Type = ID.self) -> ID {
        ID(UUIDBits(high: 7, low: number))
    }

    private func coded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private var report: QueueReport {
        QueueReport(
            upload: ["markOff": 2, "add": 1], toApply: ["edit": 3], oldestAge: 5, held: [id(2): 9, id(1): 8],
            failures: [.init(code: "unreachable", count: 2, age: 1000)])
    }

    @Test(arguments: [true, false])
    func `each part of the service's diagnostics is written as it is coded`(_ isFull: Bool) throws {
        let devices = [
            ServiceDiagnostics.Device(
                id: id(1), account: id(2), name: isFull ? "Anna's \"phone\"\n/ö" : nil, createdAt: time,
                lastSeenAt: time, signedIn: isFull, reportedAt: isFull ? time : nil,
                positions: isFull ? [id(4): 1, id(3): 2] : [:], report: isFull ? report : nil),
            ServiceDiagnostics.Device(
                id: id(1), account: id(2), name: nil, createdAt: time, lastSeenAt: time, signedIn: false,
                reportedAt: nil, positions: [:], report: QueueReport()),
        ]
        let operation = ServiceDiagnostics.Operation(
            configuration: ["b": "2", "a/b": "1"],
            totals: .init(accounts: 1, devicesSignedIn: 2, lists: 3, entries: isFull ? 4 : nil, bytes: 5),
            pool: .init(maximum: 1, busy: 2, idle: 3, waiting: 4, opened: 5, failed: 6),
            processes: [
                .init(
                    host: "h", pid: 7, seenAt: time, settings: ["b": "2", "a": "1"], startedAt: time, version: "0.1")
            ], measuredBy: "x",
            slowest: [
                .init(statement: "SELECT $1", calls: 3, meanMilliseconds: 0.25, longestMilliseconds: 12),
                .init(statement: "", calls: 0, meanMilliseconds: 1234.5678, longestMilliseconds: 0.001),
            ])
        let scope = ServiceDiagnostics.Scope(account: isFull ? id(1) : nil, list: isFull ? id(2) : nil)
        let versions = ServiceDiagnostics.Versions(service: "1", schema: 2, postgresql: "17")
        let migrations = [ServiceDiagnostics.Migration(version: 1, name: "first", appliedAt: isFull ? time : nil)]
        let accounts = [
            ServiceDiagnostics.Account(
                id: id(1), createdAt: time, email: isFull ? "a@example.com" : nil, name: isFull ? "Anna" : nil)
        ]
        let members = [DiagnosedList.Member(account: id(1), role: .owner, permission: .readWrite, joinedAt: time)]
        let invitations = [
            DiagnosedList.Invitation(
                isLink: isFull, email: isFull ? "b@example.com" : nil, permission: .readOnly, createdAt: time,
                expiresAt: isFull ? time : nil, isUsed: !isFull)
        ]
        let list = DiagnosedList(
            facts: .init(
                id: id(5), head: SequenceNumber(rawValue: 6), createdAt: time, compressedUntil: isFull ? time : nil,
                uncompressedSince: nil, live: 7, discarded: 8),
            members: members, invitations: invitations)
        let json = String(
            decoding: ServiceDiagnostics(
                at: time, scope: scope, versions: versions, epoch: "e", migrations: migrations, operation: operation,
                accounts: accounts, devices: devices, lists: [list]
            ).json, as: UTF8.self)
        let until = isFull ? try coded(time) : "null"
        let expected = """
            {"kind":"service","format":1,"at":\(try coded(time)),"scope":\(try coded(scope)),\
            "versions":\(try coded(versions)),"epoch":"e","migrations":\(try coded(migrations)),\
            "operation":\(try coded(operation)),"accounts":\(try coded(accounts)),"devices":\(try coded(devices)),\
            "lists":[{"id":"\(list.facts.id)","head":6,"createdAt":\(try coded(time)),"compressedUntil":\(until),\
            "uncompressedSince":null,"live":7,"discarded":8,"members":\(try coded(members)),\
            "invitations":\(try coded(invitations))}]}
            """
        #expect(json == expected)
    }

    @Test func `a device's diagnostics stay as they are written`() throws {
        var limits = Limits()
        limits.entriesPerRequest = 9
        limits.bytesPerRequest = 10
        var diagnostics = DeviceDiagnostics(
            versions: .init(trolley: "0.1", protocolVersion: 3), platform: "Linux",
            limits: .init(announced: limits, entries: 4, until: nil),
            server: nil, account: nil, device: id(1), now: time, boot: "b", uptime: 5, failuresInARow: 2,
            nextTry: nil, askedToWait: false, sessionEndedAt: time)
        diagnostics.hidden = [.init(lists: 1, waiting: 2)]
        diagnostics.failures = [.init(code: "store", count: 3, at: time)]
        let add = JournalEntry(
            id: id(2), operation: .add, item: id(3), fields: [Fields.text: .string("milk")], deviceSequence: 4)
        diagnostics.lists = [
            .init(
                id: id(5), isPublished: true, isLocal: false, isKept: false, isShopping: true,
                through: SequenceNumber(rawValue: 6), confirmed: 7, differed: 1, differedAt: nil,
                digest: ListState().digest, upload: [.add: 1], toApply: [:], name: nil, token: nil, entries: [],
                queued: [DumpedEntry(waiting: add, age: 8, .sent, withContent: false)], entriesOmitted: 0)
        ]
        diagnostics.rejected = [.init(list: id(5), entry: add, code: .quotaExceeded, at: time)]
        diagnostics.notices = [.init(list: id(6), reason: .removed, keptAside: 1, at: time)]
        var writer = JSONWriter()
        writer.object { diagnostics.writeMembers(to: &$0) }
        let at = time.description
        let expected = """
            {"kind":"device","format":1,"versions":{"trolley":"0.1","protocol":3},"platform":"Linux",\
            "limits":{"entriesPerRequest":9,"bytesPerRequest":10,"learnedEntries":4,"learnedUntil":null},"server":null,"account":null,"device":"\(id(1, DeviceID.self))","now":"\(at)",\
            "boot":"b","uptime":5,"failuresInARow":2,"nextTry":null,"askedToWait":false,"sessionEndedAt":"\(at)",\
            "hidden":[{"lists":1,"waiting":2}],"failures":[{"code":"store","count":3,"at":"\(at)"}],\
            "lists":[{"id":"\(id(5, ListID.self))","published":true,"local":false,"kept":false,"shopping":true,\
            "through":6,"confirmed":7,"digest":"\(ListState().digest)","differed":1,"differedAt":null,\
            "upload":{"add":1},"toApply":{},"token":null,"entriesOmitted":0,\
            "queued":[{"id":"\(id(2, EntryID.self))","operation":"add","item":"\(id(3, ItemID.self))","state":"sent",\
            "deviceSequence":4,"hash":"\(add.hash)","age":8}],\
            "entries":[]}],\
            "rejected":[{"list":"\(id(5, ListID.self))","entry":"\(id(2, EntryID.self))","operation":"add",\
            "deviceSequence":4,"code":"quotaExceeded","at":"\(at)"}],\
            "notices":[{"list":"\(id(6, ListID.self))","reason":"removed","keptAside":1,"at":"\(at)"}]}
            """
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }
}
