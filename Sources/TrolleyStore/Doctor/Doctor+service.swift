import TrolleyJournal
import TrolleyPostgres

// Checks of the service: its schema, its hints, the lists that wait for compression.

extension Doctor {
    func schema() async throws -> Finding {
        let advice = "Run trolleyd migrate; trolleyd serve also does it when it starts."
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

    /// Checks the signals between processes: LISTEN on one connection, NOTIFY on another.
    func hints() async -> Finding {
        let channel = "trolley_doctor_\(UInt32.random(in: .min ... .max))"
        let arrived = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await event in Listener(listening).listen([channel]) {
                    switch event {
                    case .notification: return true
                    case .interrupted: return false
                    case .probed: break
                    case .reconnected:
                        do {
                            _ = try await pool.withConnection { try await $0.execute(DoctorSQL.notify, [channel]) }
                        } catch { return false }
                    }
                }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: hintTimeout)
                return false
            }
            let arrived = await group.next() ?? false
            group.cancelAll()
            return arrived
        }
        if arrived { return .ok("hints", "LISTEN and NOTIFY work at \(listening.location)") }
        return .warning(
            "hints", "a notification didn't arrive at \(listening.location)",
            """
            A pooler that lends connections by transaction doesn't pass LISTEN on: give --listen-url, with the database itself. \
            Until then devices hear of changes only when the service looks by itself.
            """)
    }

    func backlog(_ connection: Connection) async throws -> Finding {
        let now = try await connection.execute(CompressionSQL.clock)[0].decode(Timestamp.self, at: 0)
        // The service compresses every half hour, cron perhaps once a day.
        let due = now.advanced(byMilliseconds: -(compressionAge + 2 * 86_400_000))
        let (count, since) = try await connection.execute(DoctorSQL.backlog, [due])[0].decode(
            (Int64, Timestamp?).self)
        guard count > 0, let since else { return .ok("compression", "no list waits to be compressed") }
        return .warning(
            "compression", "\(count) lists have waited for compression for too long, one since \(since)",
            "Check that trolleyd serve runs, or run trolleyd compress from cron; its output says what fails.")
    }

    /// Checks the work on rows of earlier versions; returns nothing when it is finished.
    func backfills(_ connection: Connection) async throws -> [Finding] {
        let open = try await connection.execute(BackfillSQL.state).map { try BackfillProgress(row: $0) }
            .filter { !$0.isFinished }
        guard let oldest = open.map(\.movedAt).min() else { return [] }
        let text = open.map(\.description).joined(separator: "; ")
        let now = try await connection.execute(CompressionSQL.clock)[0].decode(Timestamp.self, at: 0)
        guard oldest < now.advanced(byMilliseconds: -3_600_000) else { return [.ok("backfills", text)] }
        return [
            .warning(
                "backfills", "\(text); one hasn't gone on since \(oldest)",
                "Check that trolleyd serve runs and can write; its log says what fails.")
        ]
    }

    /// Checks for requests through a reverse proxy that is not configured.
    func proxy(_ connection: Connection) async throws -> Finding {
        guard let row = try await connection.execute(NoticeSQL.recent, [OperatorNotice.forwarding.rawValue]).first
        else {
            return .ok("proxy", "no service has met forwarding headers that it doesn't believe within a week")
        }
        let (detail, at) = try row.decode((String, Timestamp).self)
        return .warning(
            "proxy", "forwarding headers are not believed: \(detail); last at \(at)",
            """
            Behind a proxy that --trusted-proxies doesn't name everybody counts as one: one person uses up everybody's \
            attempts and connections, and /metrics is open. Name it, and see --proxy-header.
            """)
    }

    /// Checks for a reverse proxy that lets no WebSocket through.
    func sockets(_ connection: Connection) async throws -> Finding {
        guard let row = try await connection.execute(NoticeSQL.recent, [OperatorNotice.upgrade.rawValue]).first else {
            return .ok("sockets", "no proxy has dropped a WebSocket's request to upgrade within a week")
        }
        let (detail, at) = try row.decode((String, Timestamp).self)
        return .warning(
            "sockets", "WebSockets don't open: \(detail); last at \(at)",
            """
            Rooms don't work behind this proxy, and hints come as a stream of events. Have it pass the headers Upgrade and \
            Connection on, as deploy/nginx.conf does.
            """)
    }

    /// Checks the last mail; returns nothing if none was ever sent.
    func delivery(_ connection: Connection) async throws -> [Finding] {
        guard let row = try await connection.execute(EmailSQL.delivery).first else { return [] }
        let (sentAt, failedAt, reason) = try row.decode((Timestamp?, Timestamp?, String?).self)
        if let failedAt, failedAt > sentAt ?? Timestamp(milliseconds: 0) {
            return [
                .warning(
                    "delivery", "the last mail could not be sent, at \(failedAt): \(reason ?? "")",
                    "Try the program of --mail-command by hand, as the service's user.")
            ]
        }
        guard let sentAt else { return [] }
        return [.ok("delivery", "the last mail was sent at \(sentAt)")]
    }

    /// Checks the notices for push services and webhooks; returns nothing if nobody has any.
    func outbox(_ connection: Connection) async throws -> [Finding] {
        let (targets, dead, late, since) = try await connection.execute(DoctorSQL.outbox)[0].decode(
            (Int64, Int64, Int64, Timestamp?).self)
        if targets == 0 { return [] }
        if late > 0, let since {
            return [
                .warning(
                    "outbox", "\(late) notices for push and webhooks wait although they are due, one since \(since)",
                    "Check that trolleyd serve runs and can write; its log says what fails.")
            ]
        }
        if dead > 0 {
            return [
                .warning(
                    "outbox", "\(dead) notices for push and webhooks could not be delivered within a week",
                    """
                    deadLetters in trolleyd diagnostics says to which hosts, and why. timedOut and unreachable for all hosts: \
                    this machine's firewall or proxy keeps the service from reaching them.
                    """)
            ]
        }
        return [.ok("outbox", "\(targets) push subscriptions and webhooks; no notice failed within a week")]
    }

    func epoch(_ connection: Connection) async throws -> Finding {
        let rows = try await connection.execute(DoctorSQL.epoch)
        guard rows.count == 1 else {
            return .failed("epoch", "the table service has \(rows.count) rows", "Restore the database from a backup.")
        }
        return .ok("epoch", try rows[0].decode(String.self, at: 0))
    }
}
