import Metrics
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Metrics", .timeLimit(.minutes(20)))
struct MetricsTests {
    @Test("counters, gauges and histograms are written as Prometheus' text format says")
    func text() {
        let registry = PrometheusRegistry()
        registry.describe("a_total", "Things,\nwith a \\.")
        Counter(label: "a_total", dimensions: [("z", "1"), ("path", "a\"b\\c\nd")], factory: registry).increment(by: 3)
        Counter(label: "a_total", dimensions: [("path", "a\"b\\c\nd"), ("z", "1")], factory: registry).increment()
        Gauge(label: "http.server.busy", factory: registry).record(2.5)
        let timer = Timer(label: "t_seconds", factory: registry)
        timer.recordNanoseconds(1_000_000)
        timer.recordNanoseconds(300_000_000)
        timer.recordNanoseconds(60_000_000_000)
        let lines = registry.text.split(separator: "\n")
        #expect(
            lines.prefix(3) == [
                #"# HELP a_total Things,\nwith a \\."#, "# TYPE a_total counter",
                #"a_total{path="a\"b\\c\nd",z="1"} 4"#,
            ])
        #expect(lines.dropFirst(3).prefix(2) == ["# TYPE http_server_busy gauge", "http_server_busy 2.5"])
        #expect(lines.contains(#"t_seconds_bucket{le="0.001"} 1"#))
        #expect(lines.contains(#"t_seconds_bucket{le="0.25"} 1"#))
        #expect(lines.contains(#"t_seconds_bucket{le="0.5"} 2"#))
        #expect(lines.suffix(3) == [#"t_seconds_bucket{le="+Inf"} 3"#, "t_seconds_sum 60.301", "t_seconds_count 3"])
        #expect(registry.text.hasSuffix("\n"))
    }

    @Test("a family has one kind and an end")
    func bounds() {
        let registry = PrometheusRegistry()
        for number in 0..<5000 {
            Counter(label: "many", dimensions: [("n", "\(number)")], factory: registry).increment()
        }
        Gauge(label: "many", factory: registry).record(1)
        let lines = registry.text.split(separator: "\n")
        #expect(lines.count == PrometheusRegistry.seriesPerFamily + 1 && lines.first == "# TYPE many counter")
    }

    @Test("metrics name routes by their pattern, and can be read only from allowed addresses")
    func route() async throws {
        try await TestService.with { service in
            let list = ListID.random()
            // This comes first, because an answer is counted when it was sent.
            _ = try await service.call("GET", "/nothing/\(list)")
            let anna = try await service.person("anna")
            _ = try await service.call("POST", Path.lists, token: anna.token, json: #"{"id":"\#(list)"}"#)
            _ = try await service.upload([.add("milk"), .add("bread", 2)], to: list, by: anna)
            let answer = try await service.call("GET", "/metrics")
            #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            for line in [
                #"trolley_http_requests_total{method="POST",route="/v1/lists/{list}/entries",status="200"} 1"#,
                #"trolley_http_requests_total{method="other",route="none",status="404"} 1"#,
                #"trolley_upload_verdicts_total{code="",status="applied"} 2"#, "trolley_upload_entries_sum 2",
                #"trolley_database_connections{state="inUse"}"#, #"trolley_database_class_waiting{class="append"} 0"#,
                #"trolley_database_class_maximum{class="longRead"} "#, "trolley_event_streams 0",
                #"trolley_build_info{version="0.0.0"} 1"#, "trolley_epoch_info{epoch=",
            ] {
                #expect(answer.text.contains(line), "\(line)")
            }
            #expect(!answer.text.contains("\(list)"))
        }
        try await TestService.with(configure: { $0.metricsFrom = [] }) { service in
            let outcome = try await service.outcome("GET", "/metrics")
            #expect(outcome == "404 unknownRoute")
        }
        // Behind a proxy on the same machine, clients must not count as this machine.
        try await TestService.with(configure: { $0.proxies.proxies = IPNetwork.loopback }) { service in
            let answer = try await service.call("GET", "/metrics", headers: ["x-forwarded-for": "203.0.113.1"])
            #expect(answer.status == 404)
            #expect(try await service.call("GET", "/metrics").status == 200)
        }
    }
}
