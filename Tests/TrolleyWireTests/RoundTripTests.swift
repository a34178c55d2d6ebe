import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyWire

/// Random messages. A failure prints the seed; `TROLLEY_TEST_SEED` takes another.
@Suite("Round trips", .timeLimit(.minutes(20)))
struct RoundTripTests {
    static let seed = ProcessInfo.processInfo.environment["TROLLEY_TEST_SEED"].flatMap { UInt64($0) } ?? 1

    @Test("any entry survives being written and read, byte for byte")
    func entries() throws {
        var random = RandomMessages(seed: Self.seed)
        for round in 0..<500 {
            let entry = random.confirmedEntry()
            let bytes = write { entry.write(to: &$0) }
            let read = try JSONReader.read(bytes) { reader throws(WireError) in try ConfirmedEntry(from: &reader) }
            try #require(read == entry, "seed \(Self.seed), round \(round): \(String(decoding: bytes, as: UTF8.self))")
            let rewritten = write { read.write(to: &$0) }
            try #require(rewritten == bytes, "seed \(Self.seed), round \(round)")
        }
    }

    @Test("any page survives being written and read")
    func pages() throws {
        var random = RandomMessages(seed: Self.seed)
        for round in 0..<100 {
            let page = random.page()
            try #require(try ChangesPage(json: page.json) == page, "seed \(Self.seed), round \(round)")
            let all = AllChangesResponse(
                lists: [.init(id: random.identifier(), page: page)], expired: [random.identifier()],
                gone: [random.identifier(): .stoppedSharing], unreachable: random.bool() ? [random.identifier()] : [],
                moreComing: random.bool())
            try #require(try AllChangesResponse(json: all.json) == all, "seed \(Self.seed), round \(round)")
        }
    }

    @Test("any upload is read as it was written")
    func uploads() throws {
        var random = RandomMessages(seed: Self.seed)
        for round in 0..<100 {
            let entries = (0..<random.number(below: 8)).map { _ in
                UploadEntry(
                    entry: random.confirmedEntry().entry, age: Int64(random.number(below: 1 << 40)),
                    origin: random.bool() ? random.origin() : nil)
            }
            let request = UploadRequest(entries: entries, atomic: random.bool(), validateOnly: random.bool())
            let body = try UploadBody(json: request.json, limits: Limits(bytesPerEntry: .max, bytesOfFields: .max))
            try #require(body.items == entries.map { .valid($0) }, "seed \(Self.seed), round \(round)")
            #expect(body.atomic == request.atomic && body.validateOnly == request.validateOnly)
        }
    }

    @Test("a message that is cut off or spoilt anywhere is refused or read, and never traps")
    func spoilt() throws {
        var random = RandomMessages(seed: Self.seed)
        for _ in 0..<50 {
            let json = random.page().json
            for end in json.indices where random.number(below: 10) == 0 {
                #expect(throws: WireError.self) { try ChangesPage(json: json[..<end]) }
            }
            for _ in 0..<50 {
                var spoilt = json
                spoilt[random.number(below: spoilt.count)] = UInt8(random.number(below: 256))
                _ = try? ChangesPage(json: spoilt)
            }
        }
    }

    private func write(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        body(&writer)
        return writer.bytes
    }
}
