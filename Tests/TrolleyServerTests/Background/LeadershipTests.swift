import ServiceLifecycle
import Testing
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport

@testable import TrolleyServer

@Suite("Who leads the background work", .timeLimit(.minutes(20)))
struct LeadershipTests {
    @Test("one of two processes leads; when it ends in order, the other one does at its next try")
    func succession() async throws {
        try await TestService.withTwo { one, other in
            // On a busy machine a process may lose its place for a moment.
            let leading = try await eventually("a process leads") {
                [one, other].map(\.service.leadership.isLeading)
            } until: {
                $0.contains(true)
            }
            #expect(leading != [true, true])
            let (first, second) = leading[0] ? (one, other) : (other, one)
            await first.group.triggerGracefulShutdown()
            try await eventually("the other one leads") { second.service.leadership.isLeading }
            #expect(!first.service.leadership.isLeading)
        }
    }

    @Test("a process that was killed is succeeded when its time is over")
    func killed() async throws {
        try await TestService.with { service in
            let leadership = service.service.leadership
            try await eventually("it leads") { leadership.isLeading }
            try await service.anotherLeads()
            try await eventually("it has lost its place") { !leadership.isLeading }
            try await service.timeOfTheOtherIsOver()
            try await eventually("it leads") { leadership.isLeading }
        }
    }

    @Test("work runs while its process leads, ends with that, and begins anew")
    func whileLeading() async throws {
        try await TestService.with { service in
            let leadership = service.service.leadership
            let (events, continuation) = AsyncStream.makeStream(of: String.self)
            let work = Task {
                await leadership.whileLeading {
                    continuation.yield("begins")
                    let never = Wake()
                    while !Task.isCancelled { await never.wait(atMost: .seconds(3600)) }
                    continuation.yield("ends")
                }
                continuation.yield("is over")
            }
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == "begins")
            try await service.anotherLeads()
            #expect(await iterator.next() == "ends")
            try await service.timeOfTheOtherIsOver()
            #expect(await iterator.next() == "begins")
            work.cancel()
            #expect(await iterator.next() == "ends")
            #expect(await iterator.next() == "is over")
        }
    }
}

@Suite("Waking somebody who waits", .timeLimit(.minutes(20)))
struct WakeTests {
    @Test("a request that comes before the wait ends it at once; several are one")
    func before() async {
        let wake = Wake()
        wake.request()
        wake.request()
        await wake.wait(atMost: .seconds(3600))
        let waiting = Task { await wake.wait(atMost: .seconds(3600)) }
        wake.request()
        await waiting.value
    }

    @Test("a wait ends when its time is over, even if that is at once, and when its task is cancelled")
    func ends() async {
        let wake = Wake()
        for _ in 0..<200 { await wake.wait(atMost: .zero) }
        let waiting = Task { await wake.wait(atMost: .seconds(3600)) }
        waiting.cancel()
        await waiting.value
        // An earlier wait's end is not another one's.
        wake.request()
        await wake.wait(atMost: .seconds(3600))
    }
}

extension TestService {
    /// As after another process has taken over, for as long as this process needs to notice.
    func anotherLeads() async throws {
        try await pool.withConnection { connection in
            _ = try await connection.execute(
                "UPDATE leadership SET process_id = gen_random_uuid(), until = 'infinity'")
        }
    }

    /// As after the other one was killed.
    func timeOfTheOtherIsOver() async throws {
        try await pool.withConnection { connection in
            _ = try await connection.execute("UPDATE leadership SET until = now()")
        }
    }
}
