import TrolleyJournal
import TrolleyPostgres

// Checks of the server: its clock, disk, settings and connections.

extension Doctor {
    /// Checks that the server accepts writes, its clock, and its free space.
    func server(_ connection: Connection) async throws -> [Finding] {
        let before = clock()
        let rows = try await connection.execute(DoctorSQL.server)
        let after = clock()
        let (now, isStandby, isReadOnly, _, size) = try rows[0].decode((Timestamp, Bool, Bool, Bool, Int64).self)
        return [
            writes(isStandby: isStandby, isReadOnly: isReadOnly),
            Self.clocks(database: now, before: before, after: after),
            try await disk(connection, databaseSize: size),
        ]
    }

    private func writes(isStandby: Bool, isReadOnly: Bool) -> Finding {
        if isStandby {
            return .failed(
                "writes", "this server is a standby, which takes no writes",
                "Give trolleyd the URL of the primary, or promote this one (docs/recovery.md).")
        }
        if isReadOnly {
            return .failed(
                "writes", "the database takes no writes (default_transaction_read_only is on)",
                "ALTER DATABASE … RESET default_transaction_read_only, or the same for the role.")
        }
        return .ok("writes", "the database takes writes")
    }

    /// Compares the database's clock, which dates every change, with this machine's clock `before` and `after` the
    /// query.
    static func clocks(database: Timestamp, before: Timestamp, after: Timestamp) -> Finding {
        let middle = before.milliseconds + (after.milliseconds - before.milliseconds) / 2
        let slack = (after.milliseconds - before.milliseconds) / 2
        let difference = database.milliseconds - middle
        let off = max(0, abs(difference) - slack)
        let text =
            "the database's clock is \(abs(difference)) ms \(difference < 0 ? "behind" : "ahead of") this machine's"
        let advice =
            "Let both machines follow a time server (chrony, systemd-timesyncd): the database's clock dates every change."
        if off >= 600_000 { return .failed("clock", text, advice) }
        if off >= 5000 { return .warning("clock", text, advice) }
        return .ok("clock", text)
    }

    private func disk(_ connection: Connection, databaseSize: Int64) async throws -> Finding {
        let size = "the database has \(databaseSize >> 20) MiB"
        switch try await connection.dataDirectories() {
        case .elsewhere: return .ok("disk", "\(size); the server is on another machine: watch its disks there")
        case .hidden:
            return .warning(
                "disk", "\(size); its disk is not watched, because this role may not see the data directory's path",
                "GRANT pg_read_all_settings to the role, or watch the disk yourself.")
        case .here(let paths):
            guard let least = DiskSpace.least(at: paths) else {
                return .warning(
                    "disk", "\(size); its disk is not watched, because this user may not look into \(paths[0])",
                    "Let the user search the directories above it, or watch the disk yourself.")
            }
            return Self.disk(least, needed: databaseSize / 5, size: size)
        }
    }

    /// - Parameter needed: bytes that should be free, for vacuuming and WAL.
    static func disk(_ space: DiskSpace, needed: Int64, size: String) -> Finding {
        let text = "\(size); \(space.free >> 20) MiB of \(space.total >> 20) MiB are free at \(space.path)"
        let advice = "Free some space, or make the volume larger: a full disk stops every upload."
        if space.free < 256 << 20 { return .failed("disk", text, advice) }
        if space.free < max(space.ample, needed) { return .warning("disk", text, advice) }
        return .ok("disk", text)
    }

    /// Checks the durability of confirmed changes, archiving and vacuuming.
    func settings(_ connection: Connection) async throws -> [Finding] {
        Self.judge(
            try await connection.settings([
                "fsync", "synchronous_commit", "full_page_writes", "wal_level", "archive_mode", "autovacuum",
                "track_counts",
            ]))
    }

    static func judge(_ settings: [String: String]) -> [Finding] {
        var findings: [Finding] = []
        func say(_ names: [String]) -> String { names.map { "\($0) \(settings[$0] ?? "?")" }.joined(separator: ", ") }
        let durable = say(["fsync", "synchronous_commit", "full_page_writes"])
        if settings["fsync"] == "off" || settings["full_page_writes"] == "off" {
            findings.append(
                .failed("durability", durable, "Switch both on: a crash can damage the whole database."))
        } else if settings["synchronous_commit"] == "off" {
            findings.append(
                .failed(
                    "durability", durable,
                    "Set synchronous_commit to on: a crash loses changes that devices were told are safe."))
        } else {
            findings.append(.ok("durability", durable))
        }
        let archive = say(["wal_level", "archive_mode"])
        findings.append(
            .ok(
                "archive",
                settings["archive_mode"] == "off"
                    ? "\(archive): a backup is as old as its dump (docs/recovery.md tells how to do better)" : archive))
        let vacuum = say(["autovacuum", "track_counts"])
        if settings["autovacuum"] == "off" || settings["track_counts"] == "off" {
            findings.append(.failed("autovacuum", vacuum, "Switch both on: without it tables only ever grow."))
        } else {
            findings.append(.ok("autovacuum", vacuum))
        }
        return findings
    }

    func deadRows(_ connection: Connection) async throws -> Finding {
        let tables = try await connection.execute(DoctorSQL.deadRows).map { row in
            let (table, dead, live) = try row.decode((String, Int64, Int64).self)
            return "\(table) (\(dead) dead rows, \(live) live)"
        }
        guard !tables.isEmpty else { return .ok("vacuum", "no table has many dead rows") }
        return .warning(
            "vacuum", tables.joined(separator: ", "),
            "VACUUM (VERBOSE) them, and look for a transaction that has been open for long: SELECT * FROM pg_stat_activity."
        )
    }

    func connections(_ connection: Connection) async throws -> Finding {
        let rows = try await connection.execute(DoctorSQL.connections)
        let (usable, used) = try rows[0].decode((Int64, Int64).self)
        return Self.connections(usable: usable, used: used, wanted: Int64(pool.options.maximumConnections))
    }

    /// - Parameter wanted: the number of connections in the pool of one service.
    static func connections(usable: Int64, used: Int64, wanted: Int64) -> Finding {
        let text =
            "\(used) of \(usable) connections are in use; one trolleyd opens up to \(wanted), one to listen, and one for "
            + "/readyz"
        guard usable - used < wanted + 2 else { return .ok("connections", text) }
        return .warning(
            "connections", text,
            "If these aren't its own, raise max_connections, or put a pooler in between (docs/operations.md).")
    }
}

extension Connection {
    func dataDirectories() async throws -> DataDirectories {
        let isHere = try await execute(DoctorSQL.server)[0].decode(Bool.self, at: 3)
        guard isHere else { return .elsewhere }
        guard let path = try await settings(["data_directory"])["data_directory"] else { return .hidden }
        return .here([path, "\(path)/pg_wal"])
    }

    func settings(_ names: [String]) async throws -> [String: String] {
        var settings: [String: String] = [:]
        for row in try await execute(DoctorSQL.settings, [names]) {
            let (name, setting) = try row.decode((String, String?).self)
            settings[name] = setting
        }
        return settings
    }
}
