import AsyncHTTPClient
import FoundationEssentials
import Glibc
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Subprocess
import Testing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

/// A service with its own PostgreSQL, on a disk that becomes full.
@Suite(.timeLimit(.minutes(20))) struct FullDiskTests {
    @Test(.enabled(if: SmallDisk.isPossible, "SKIPPED: only root can mount the small disk that this test fills"))
    func `on a full disk lists are read, also after a restart, and changes are taken again once there is room`()
        async throws
    {
        try await SmallDisk.with(mebibytes: 448) { disk in
            let data = "\(disk.path)/data"
            let list = ListID(UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max)))
            let token = try await RunningService.run(dataDirectory: data, on: disk) { service in
                var api = DiskAPI(address: service.address)
                try await api.signUp()
                #expect(try await api.call("POST", Path.lists, JSONEncoder().encode(CreateListRequest(id: list))).isOK)
                #expect(try await api.add(1, to: list).isOK)
                try await api.expectReady()

                disk.fill("filler")
                try await eventually("changes are refused") { try await api.add(2, to: list).status == 503 }
                try await api.expectReading(of: list)
                #expect(try await api.call("GET", "/readyz").status == 503)
                let doctor = try await Subprocess.run(
                    .name("nsenter"),
                    arguments: Arguments(
                        disk.prefix + ["\(Programs.directory)/trolleyd", "doctor", "--data-directory", data]),
                    output: .string(limit: 1 << 20), error: .currentStandardError)
                #expect(doctor.terminationStatus == .exited(1))
                #expect(doctor.standardOutput.contains("failed   disk"), "\(doctor.standardOutput)")

                // Processes of the killed server still answer for a moment.
                let killed = try killPostgres(disk)
                try await eventually("PostgreSQL is back") {
                    guard let server = try? postgresID(disk), server != killed else { return false }
                    return try await api.call("GET", Path.changes(list)).isOK
                }
                try await api.expectReading(of: list)
                return api.token
            }
            try await RunningService.run(dataDirectory: data, on: disk) { service in
                var api = DiskAPI(address: service.address)
                api.token = token
                try await api.expectReading(of: list)
                #expect(try await api.add(2, to: list).status == 503)

                // Take the space of the reserve, too. Mostly nothing can start now; a server that needs no new segment of its
                // log for its recovery starts all the same, and reads go on.
                disk.fill("more")
                let killed = try killPostgres(disk)
                try await eventually("PostgreSQL is away, or back without a reserve") {
                    if try await api.call("GET", Path.changes(list)).status == 503 { return true }
                    return (try? postgresID(disk)).map { $0 != killed } ?? false
                }
                disk.remove("filler")
                disk.remove("more")
                try await eventually("changes are taken again") { try await api.add(2, to: list).isOK }
                try await api.expectReading(of: list)
                try await api.expectReady()
            }
        }
    }

    @discardableResult
    private func killPostgres(_ disk: SmallDisk) throws -> pid_t {
        let server = try postgresID(disk)
        kill(server, SIGKILL)
        return server
    }

    private func postgresID(_ disk: SmallDisk) throws -> pid_t {
        let file = try String(contentsOfFile: "\(disk.outside)/data/postgres/postmaster.pid", encoding: .utf8)
        return try #require(file.split(separator: "\n").first.flatMap { pid_t($0) })
    }
}

/// The part of the protocol that this test uses.
private struct DiskAPI {
    let address: String
    var token: String?

    struct Answer {
        let status: UInt
        let body: Data
        var isOK: Bool { (200..<300).contains(status) }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    mutating func signUp() async throws {
        let person = SignUpRequest(email: "anna@example.com", name: "Anna", password: "correct horse")
        #expect(try await call("POST", Path.accounts, JSONEncoder().encode(person)).isOK)
        let session = try await call(
            "POST", Path.sessions, JSONEncoder().encode(SignInRequest(email: person.email, password: person.password)))
        token = try JSONDecoder().decode(SessionResponse.self, from: session.body).token
    }

    func add(_ number: Int64, to list: ListID) async throws -> Answer {
        let entry = JournalEntry(
            id: EntryID(UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max))), operation: .add,
            item: ItemID(UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max))),
            fields: [Fields.text: .string("item \(number)")], deviceSequence: number)
        return try await call(
            "POST", Path.entries(list), Data(UploadRequest(entries: [UploadEntry(entry: entry, age: 0)]).json))
    }

    /// A list's changes and its state, and a device's sync with its report.
    func expectReading(of list: ListID, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let report =
            #"{"protocolVersion":2,"tokens":{},"report":{"upload":{"add":1},"toApply":{},"held":{},"failures":[]}}"#
        for answer in [
            try await call("GET", Path.changes(list)), try await call("GET", Path.state(list)),
            try await call("POST", Path.changes, Data(report.utf8)),
        ] {
            #expect(answer.isOK && answer.text.contains("item 1"), "\(answer.text)", sourceLocation: sourceLocation)
        }
    }

    /// On a busy machine the database may take longer than the second that a check waits.
    func expectReady() async throws {
        try await eventually("the service is ready") { try await call("GET", "/readyz").isOK }
    }

    func call(_ method: String, _ path: String, _ body: Data? = nil) async throws -> Answer {
        var request = HTTPClientRequest(url: address + path)
        request.method = HTTPMethod(rawValue: method)
        if let body { request.body = .bytes(ByteBuffer(data: body)) }
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        return Answer(
            status: response.status.code, body: Data(buffer: try await response.body.collect(upTo: 64 << 20)))
    }
}
