import Synchronization
import Testing
import TrolleyPostgres
import TrolleySync
import TrolleyTestSupport

@testable import TrolleyClient

/// What a room's session does when the service has lost some of what was said.
@Suite("Rooms of devices after a gap", .timeLimit(.minutes(20)))
struct MissedSignalsTests {
    @Test("a device that has missed something fetches, and asks for the people in the room")
    func missed() async throws {
        try await RoomPair.with(processes: 2) { pair in
            let (first, second) = try await pair.enter()
            let heard = Heard(from: second)
            // A view is read after everything that was told before it.
            try await eventually {
                heard.views
            } until: {
                $0 > 0
            }
            let fetches = heard.fetches
            let pool = Pool(try .patient(pair.url))
            // Only a report of presence brings them back.
            try await pool.withConnection { connection in
                try await connection.execute("DELETE FROM presence")
                // Of a third process, whose signals 2 to 8 are lost.
                for number in [1, 9] { try await connection.execute(Self.signal(number)) }
            }
            try await eventually {
                heard.fetches
            } until: {
                $0 > fetches
            }
            try await eventually {
                try await pool.withConnection { try await $0.execute("SELECT device_id FROM presence") }.count
            } until: {
                $0 == 2
            }
            await pool.close()
            await first.stop()
            await second.stop()
        }
    }

    /// A signal that this version doesn't know.
    private static func signal(_ number: Int) -> Query {
        Query(
            unescaped: """
                SELECT pg_notify(
                    'trolley_rooms',
                    'elsewhere \(number) @' || (extract(epoch FROM clock_timestamp()) * 1000)::bigint || E'\\nlater')
                """)
    }
}

/// What a session tells its reader, counted.
private final class Heard: Sendable {
    private struct Counts {
        var fetches = 0
        var views = 0
    }

    private let counts = Mutex(Counts())

    init(from session: RoomSession) {
        Task { [weak self] in
            for await update in session.updates {
                self?.counts.withLock { counts in
                    switch update {
                    case .fetch: counts.fetches += 1
                    case .view: counts.views += 1
                    case .doubleBuy: break
                    }
                }
            }
        }
    }

    var fetches: Int { counts.withLock(\.fetches) }
    var views: Int { counts.withLock(\.views) }
}
