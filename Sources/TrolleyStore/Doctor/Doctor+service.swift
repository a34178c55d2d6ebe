import TrolleyJournal
import TrolleyPostgres

// What concerns the service's own: its schema, its hints, what waits to be compressed.

extension Doctor {
    func schema() async throws -> Finding {
        let advice = "Run trolleyd migrate; trolleyd serve does it as well when it starts."
        let steps: [Migrator.Step]
        do {
            steps = try await Migrator(pool: pool, migrations: migrations).status()
        } catch let error as MigrationError {
            return .failed("schema", error.description, "Run the trolleyd that fits this database.")
        }
        let missing = steps.filter { $0.appliedAt == nil }
        if missing.count == steps.count {
            return .failed("schema", "there is no schema of Trolley's in this database", advice)
        }
        guard missing.isEmpty else {
            let names = missing.map { "\($0.version) \($0.name)" }.joined(separator: ", ")
            return .failed("schema", "not applied yet: \(names)", advice)
        }
        return .ok("schema", "at migration \(steps.last.map { "\($0.version) \($0.name)" } ?? "0")")
    }

    /// Tries what the service relies on to hear of changes at once: LISTEN on one connection, NOTIFY on another.
    func hints() async -> Finding {
        let channel = "trolley_doctor_\(UInt32.random(in: .min ... .max))"
        let arrived = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await event in Listener(listening).listen([channel]) {
                    switch event {
                    case .notification: return true
                    case .reconnected:
                        do {
                            _ = try await pool.withConnection { try await $0.execute(DoctorSQL.notify, [channel]) }
                        } catch { return false }
                    }
                }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return false
            }
            let arrived = await group.next() ?? false
            group.cancelAll()
            return arrived
        }
        if arrived { return .ok("hints", "LISTEN and NOTIFY work at \(listening.location)") }
        return .warning(
            "hints", "what was notified didn't arrive at \(listening.location)",
            """
            A pooler that lends connections by transaction doesn't pass LISTEN on: let trolleyd listen past it. Until then \
            devices hear of changes only when the service looks by itself.
            """)
    }

    func backlog(_ connection: Connection) async throws -> Finding {
        let now = try await connection.execute(CompressionSQL.clock)[0].decode(Timestamp.self, at: 0)
        // The service looks every half hour, cron perhaps once a day.
        let due = now.advanced(byMilliseconds: -(compressionAge + 2 * 86_400_000))
        let (count, since) = try await connection.execute(DoctorSQL.backlog, [due])[0].decode(
            (Int64, Timestamp?).self)
        guard count > 0, let since else { return .ok("compression", "no list waits to be compressed") }
        return .warning(
            "compression", "\(count) lists have waited for compression for too long, one since \(since)",
            "See that trolleyd serve runs, or run trolleyd compress from cron; its output says what fails.")
    }

    func epoch(_ connection: Connection) async throws -> Finding {
        let rows = try await connection.execute(DoctorSQL.epoch)
        guard rows.count == 1 else {
            return .failed("epoch", "the table service has \(rows.count) rows", "Restore the database from a backup.")
        }
        return .ok("epoch", try rows[0].decode(String.self, at: 0))
    }
}
