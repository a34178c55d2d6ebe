import InMemoryTracing
import Testing
import Tracing
import TrolleyJournal
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Traces", .timeLimit(.minutes(20)))
struct TracingTests {
    /// A process has one tracer, which also has the spans of other tests.
    private static let tracer: InMemoryTracer = {
        let tracer = InMemoryTracer()
        InstrumentationSystem.bootstrap(tracer)
        return tracer
    }()

    @Test("a request is a span by its route's name, an upload has one inside, and neither holds an id or a secret")
    func spans() async throws {
        let tracer = Self.tracer
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let upload = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)])
            let name = "traced-\(ListID.random())"
            let answer = try await service.call(
                "POST", Path.entries(list), token: anna.token, body: upload.json, headers: ["x-request-id": name])
            #expect(answer.status == 200)
            // It ends when the answer was sent, which the client may hear of first.
            let ended = try await eventually("the request's span has ended") {
                tracer.finishedSpans.first { $0.attributes.get("trolley.request.id") == .string(name) }
            } until: {
                $0 != nil
            }
            let request = try #require(ended)
            #expect(request.operationName == "POST /v1/lists/{list}/entries")
            #expect(request.attributes.get("http.response.status_code") == .int64(200))
            let append = tracer.finishedSpans.first { $0.operationName == "append" && $0.traceID == request.traceID }
            #expect(append?.parentSpanID == request.spanID)
            var texts: [String] = []
            request.attributes.forEach { name, value in texts.append("\(name)=\(value)") }
            #expect(!texts.contains { $0.contains("\(list)") || $0.contains(anna.token) })
        }
    }
}
