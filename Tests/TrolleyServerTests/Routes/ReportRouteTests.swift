import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

@Suite("Reports over HTTP", .timeLimit(.minutes(20)))
struct ReportRouteTests {
    @Test("a device's report and positions are kept with its sync, of its own lists only")
    func kept() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            let foreign = try await service.list(of: ben)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            let token = try await service.changes(list, for: anna).token
            func sync(_ tokens: [ListID: String], _ report: String) async throws -> Answer {
                let tokens = tokens.map { #""\#($0)":"\#($1)""# }.joined(separator: ",")
                return try await service.call(
                    "POST", Path.changes, token: anna.token,
                    json: #"{"protocolVersion":2,"tokens":{\#(tokens)}\#(report)}"#)
            }
            let report = #"{"upload":{"add":2,"later":1},"oldestAge":60000,"held":{"\#(list)":4,"\#(foreign)":1}}"#
            #expect(try await sync([list: token, foreign: token], #","report":\#(report)"#).status == 200)
            let rows = try await service.pool.withConnection { connection in
                try await connection.execute(
                    """
                    SELECT report -> 'upload' ->> 'add', report -> 'upload' ->> 'later', positions::text, held::text
                    FROM device_report WHERE device_id = \(anna.device)
                    """)
            }
            let (add, later, positions, held) = try rows[0].decode((String?, String?, String, String).self)
            #expect(add == "2" && later == nil)
            #expect(positions == #"{"\#(list)": 1}"# && held == #"{"\#(list)": 4}"#)
            let metrics = try await service.call("GET", "/metrics").text
            #expect(metrics.contains(#"trolley_device_queue_entries{operation="add",queue="upload"} 2"#))
            #expect(metrics.contains(#"trolley_device_queue_entries{operation="move",queue="toApply"} 0"#))
            // A device that reports huge numbers, now or before numbers were limited, breaks no metrics or diagnostics.
            let huge = #","report":{"upload":{"add":9223372036854775807},"oldestAge":9223372036854775807}"#
            #expect(try await sync([list: token], huge).status == 200)
            #expect(
                try await service.call("GET", "/metrics").text
                    .contains(#"trolley_device_queue_entries{operation="add",queue="upload"} 1000000000"#))
            _ = try await service.pool.withConnection { connection in
                try await connection.execute(
                    """
                    UPDATE device_report
                    SET report = jsonb_build_object('upload', jsonb_build_object('add', 9223372036854775807),
                        'toApply', jsonb_build_object('add', 9223372036854775807), 'oldestAge', 9223372036854775807)
                    """)
                try await connection.execute(
                    "INSERT INTO device_report SELECT \(ben.device), report, positions, held, content_hash, reported_at FROM device_report"
                )
            }
            #expect(try await service.call("GET", "/metrics").text.contains(#"queue="upload"} 9"#))
            let store = Store(pool: service.pool)
            let everything = try await store.diagnostics(
                of: .init(), version: "0", configuration: nil, withContent: false)
            #expect(everything.devices.count == 2)
            // A device without a report syncs as before, and an invalid report is refused.
            #expect(try await sync([list: token], "").status == 200)
            #expect(try await sync([list: token], #","report":null"#).status == 200)
            #expect(try await sync([list: token], #","report":{"later":[1]}"#).status == 200)
            #expect(try await sync([list: token], #","report":{"upload":7}"#).outcome == "400 invalidArguments")
        }
    }

    @Test("a device that folds by older rules must update before it is sent anything")
    func olderDevices() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            _ = try await service.list(of: anna)
            func sync(_ rest: String) async throws -> Answer {
                try await service.call("POST", Path.changes, token: anna.token, json: #"{"tokens":{}\#(rest)}"#)
            }
            // Devices stated no version before there were two, but they reported their queues.
            #expect(try await sync(#","report":{"upload":{"add":1}}"#).outcome == "426 incompatibleVersion")
            #expect(try await sync(#","protocolVersion":1"#).outcome == "426 incompatibleVersion")
            let answer = try await sync(#","protocolVersion":2,"report":{}"#)
            #expect(try AllChangesResponse(json: answer.body).protocolVersion == 2)
            // A client that only reads need not fold.
            #expect(try await sync("").status == 200)
        }
    }
}
