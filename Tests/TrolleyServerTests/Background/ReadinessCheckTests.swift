import Synchronization
import Testing
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport

@testable import TrolleyServer

@Suite("Readiness", .timeLimit(.minutes(20)))
struct ReadinessCheckTests {
    @Test("while requests hold all connections of the pool, /readyz answers")
    func busyPool() async throws {
        try await TestService.with(connections: 1) { service in
            try await service.pool.withConnection { _ in
                let use = service.pool.statistics
                #expect(use.busy == 1 && use.idle == 0)
                try await service.expectReady()
            }
        }
    }

    @Test("after the server has closed the connection of the checks, the next check connects again")
    func closedConnection() async throws {
        try await TestService.with { service in
            // A check has a second. When one takes longer, the next one has no connection that could be closed.
            try await eventually("two checks in a row are in time") {
                guard try await service.isCheckedInTime() else { return false }
                try await service.pool.withConnection { connection in
                    _ = try await connection.execute(
                        """
                        SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
                        WHERE datname = current_database() AND pid <> pg_backend_pid()
                            AND backend_type = 'client backend'
                        """)
                }
                return try await service.isCheckedInTime()
            }
        }
    }

    @Test("a probe that hangs is answered as not ready, and so is every question until it ends")
    func hangingProbe() async throws {
        let (probes, ending) = AsyncStream<Void>.makeStream()
        let check = ReadinessCheck(patience: .milliseconds(20)) { () async throws(StoreError) in
            for await _ in probes {}
        }
        for _ in 1...2 {
            do throws(StoreError) {
                try await check.check()
                Issue.record("a hanging probe counts as ready")
            } catch { #expect(error.outage == .overloaded) }
        }
        ending.finish()
        // The first probe may still be running.
        while (try? await check.check()) == nil {}
    }

    @Test("a question is answered by a recent success while the next probe runs")
    func slowProbe() async throws {
        let count = Mutex(0)
        let (started, starting) = AsyncStream<Void>.makeStream()
        let (probes, ending) = AsyncStream<Void>.makeStream()
        let check = ReadinessCheck(refreshAge: .zero, maximumAge: .seconds(3600), patience: .seconds(3600)) {
            () async throws(StoreError) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            starting.yield()
            if number > 1 { for await _ in probes {} }
        }
        var starts = started.makeAsyncIterator()
        try await check.check()
        await starts.next()
        try await check.check()
        await starts.next()
        try await check.check()
        #expect(count.withLock(\.self) == 2, "one probe runs at a time")
        ending.finish()
    }

    @Test("a success answers until it is too old; a failure answers only the questions that waited for it")
    func decisions() {
        let start = ContinuousClock.now
        func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }
        var state = ProbeState(
            refreshAge: .milliseconds(100), maximumAge: .milliseconds(500), patience: .milliseconds(1000))
        func expect(
            _ question: (answer: ProbeState.Answer, probe: Int?), _ answer: ProbeState.Answer, probe: Int?,
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(question.answer == answer && question.probe == probe, sourceLocation: sourceLocation)
        }
        func end(_ number: Int, successfully: Bool, at time: ContinuousClock.Instant) -> Bool {
            state.ended(number, successfully: successfully, at: time)
        }
        expect(state.ask(at: at(0)), .wait, probe: 1)
        expect(state.ask(at: at(999)), .wait, probe: nil)
        expect(state.ask(at: at(1000)), .overdue, probe: nil)
        #expect(end(1, successfully: true, at: at(2000)))
        #expect(!end(1, successfully: false, at: at(2000)), "it has ended already")
        expect(state.ask(at: at(2099)), .ready, probe: nil)
        expect(state.ask(at: at(2100)), .ready, probe: 2)
        expect(state.ask(at: at(2500)), .ready, probe: nil)
        expect(state.ask(at: at(2501)), .wait, probe: nil)
        #expect(end(2, successfully: true, at: at(2600)))
        expect(state.ask(at: at(3101)), .wait, probe: 3)
        #expect(end(3, successfully: false, at: at(3102)))
        expect(state.ask(at: at(3103)), .wait, probe: 4)
    }
}

extension TestService {
    /// Checks the database.
    /// - Returns: false if it didn't answer in time.
    fileprivate func isCheckedInTime() async throws -> Bool {
        do throws(StoreError) { try await service.store.ping() } catch {
            guard case .unavailable(let reason) = error, reason.kind != .connectionLost else { throw error }
            return false
        }
        return true
    }
}
