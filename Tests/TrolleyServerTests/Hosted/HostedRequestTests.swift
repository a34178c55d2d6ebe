import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore

@testable import TrolleyServer

@Suite("Answers that hosted devices keep", .timeLimit(.minutes(20)))
struct HostedRequestTests {
    @Test(
        "an answer of a request that changed nothing stays for an hour, the latest thousand; one that changed something stays"
    )
    func kept() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let speaker = try await service.hosted(of: anna, list: list)
            let (made, unchanged) = (EntryID.random(), EntryID.random())
            func add(_ entry: EntryID) async throws -> Answer {
                try await speaker.post("add", #"{"text":"milk","entry":"\#(entry)"}"#)
            }
            #expect(try await add(made).text.contains(#""status":"made""#))
            #expect(try await add(unchanged).text.contains(#""status":"present""#))
            func count() async throws -> Int {
                try await service.pool.withConnection { connection in
                    try await connection.execute("SELECT count(*) FROM hosted_request")[0].decode(Int.self, at: 0)
                }
            }
            #expect(try await count() == 2)
            // Two hours later.
            _ = try await service.pool.withConnection { connection in
                try await connection.execute("UPDATE hosted_request SET made_at = made_at - interval '2 hours'")
            }
            #expect(try await add(.random()).status == 200)
            #expect(try await count() == 2, "the one that made something, and the new one")
            #expect(try await add(made).text.contains(#""status":"duplicate""#))
            _ = try await service.pool.withConnection { connection in
                try await connection.execute(
                    """
                    INSERT INTO hosted_request (device_id, key_hash, request_hash, answer, made_at)
                    SELECT
                        device_id, sha256(number::text::bytea), request_hash, answer,
                        made_at - number * interval '1 millisecond'
                    FROM hosted_request, generate_series(1, 1500) AS number
                    WHERE answer ->> 'entry' IS NULL
                    """)
            }
            #expect(try await add(.random()).status == 200)
            #expect(try await count() == 1002, "the one that made something, a thousand, and the new one")
        }
    }

    @Test("of the answers of requests that changed something, the latest ten thousand stay")
    func bounded() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let speaker = try await service.hosted(of: anna, list: try await service.list(of: anna))
            func add(_ text: String) async throws {
                let key = ["idempotency-key": text]
                #expect(try await speaker.post("add", #"{"text":"\#(text)"}"#, headers: key).status == 200)
            }
            try await add("milk")
            _ = try await service.pool.withConnection { connection in
                try await connection.execute(
                    """
                    INSERT INTO hosted_request (device_id, key_hash, request_hash, answer, made_at)
                    SELECT
                        device_id, sha256(number::text::bytea), request_hash, answer,
                        made_at - number * interval '1 millisecond'
                    FROM hosted_request, generate_series(1, 10500) AS number
                    """)
            }
            try await add("bread")
            let count = try await service.pool.withConnection { connection in
                try await connection.execute("SELECT count(*) FROM hosted_request")[0].decode(Int.self, at: 0)
            }
            #expect(count == 10_001, "and the new one")
        }
    }
}
