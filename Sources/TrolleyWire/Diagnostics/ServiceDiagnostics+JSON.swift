import TrolleyJournal

// Within the parts, members are in alphabetical order.

extension ServiceDiagnostics {
    /// `{"kind": "service", "format": 1, …, "lists": [{"id", "head", "digest", "entries": […]}]}`. `trolley inspect`
    /// compares it with the diagnostics of a device.
    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 4096)
        writer.object { writer in
            writer.member("kind", "service")
            writer.member("format", 1)
            writer.member("at", at)
            writer.member("scope") { writer in
                writer.member("account", ifAny: scope.account)
                writer.member("list", ifAny: scope.list)
            }
            writer.member("versions") { writer in
                writer.member("postgresql", versions.postgresql)
                writer.member("schema", versions.schema)
                writer.member("service", versions.service)
            }
            writer.member("epoch", epoch)
            writer.member("migrations", migrations) { migration, writer in
                writer.member("appliedAt", ifAny: migration.appliedAt)
                writer.member("name", migration.name)
                writer.member("version", migration.version)
            }
            if let operation { writer.member("operation") { operation.writeMembers(to: &$0) } }
            if !accounts.isEmpty {
                writer.member("accounts", accounts) { account, writer in
                    writer.member("createdAt", account.createdAt)
                    writer.member("email", ifAny: account.email)
                    writer.member("id", account.id)
                    writer.member("name", ifAny: account.name)
                }
            }
            writer.member("devices", devices) { $0.writeMembers(to: &$1) }
            writer.member("lists", lists) { $0.writeMembers(to: &$1) }
            if !deadLetters.isEmpty { writer.member("deadLetters", deadLetters) { $0.writeMembers(to: &$1) } }
        }
        return writer.bytes
    }
}

extension ServiceDiagnostics.Operation {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("configuration", configuration)
        writer.member("measuredBy", measuredBy)
        writer.member("pool") { writer in
            writer.member("busy", pool.busy)
            writer.member("failed", pool.failed)
            writer.member("idle", pool.idle)
            writer.member("maximum", pool.maximum)
            writer.member("opened", pool.opened)
            writer.member("waiting", pool.waiting)
        }
        writer.member("processes", processes) { process, writer in
            writer.member("host", process.host)
            writer.member("pid", process.pid)
            writer.member("seenAt", process.seenAt)
            writer.member("settings", process.settings)
            writer.member("startedAt", process.startedAt)
            writer.member("version", process.version)
        }
        writer.member("slowest", slowest) { statement, writer in
            writer.member("calls", statement.calls)
            writer.key("longestMilliseconds")
            writer.number(statement.longestMilliseconds)
            writer.key("meanMilliseconds")
            writer.number(statement.meanMilliseconds)
            writer.member("statement", statement.statement)
        }
        writer.member("totals") { writer in
            writer.member("accounts", totals.accounts)
            writer.member("bytes", totals.bytes)
            writer.member("devicesSignedIn", totals.devicesSignedIn)
            writer.member("entries", ifAny: totals.entries)
            writer.member("lists", totals.lists)
        }
    }
}

extension ServiceDiagnostics.Device {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("account", account)
        writer.member("createdAt", createdAt)
        writer.member("id", id)
        writer.member("lastSeenAt", lastSeenAt)
        writer.member("name", ifAny: name)
        writer.member("positions") { writer in
            for (list, position) in positions.sorted(by: { $0.key < $1.key }) {
                writer.member(list.description, position)
            }
        }
        if let report { writer.member("report") { report.writeMembers(to: &$0) } }
        writer.member("reportedAt", ifAny: reportedAt)
        writer.member("signedIn", signedIn)
    }
}

extension DeadLetter {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("account", account)
        writer.member("attempts", Int64(attempts))
        writer.member("createdAt", createdAt)
        writer.member("failedAt", failedAt)
        writer.member("failure", failure)
        writer.member("host", host)
        writer.member("id", id)
        writer.member("kind", kind)
        writer.member("list", list)
    }
}

extension QueueReport {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("failures", failures) { failure, writer in
            writer.member("age", failure.age)
            writer.member("code", failure.code)
            writer.member("count", failure.count)
        }
        writer.member("held") { writer in
            for (list, number) in held.sorted(by: { $0.key < $1.key }) { writer.member(list.description, number) }
        }
        writer.member("oldestAge", ifAny: oldestAge)
        for (name, counts) in [("toApply", toApply), ("upload", upload)] {
            writer.member(name) { writer in
                for (operation, count) in counts.sorted(by: { $0.key < $1.key }) { writer.member(operation, count) }
            }
        }
    }
}

extension DiagnosedList {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", facts.id)
        writer.member("name", ifAny: name)
        writer.member("head", facts.head)
        writer.member("digest", ifAny: digest)
        writer.member("createdAt", facts.createdAt)
        writer.member("compressedUntil", facts.compressedUntil)
        writer.member("uncompressedSince", facts.uncompressedSince)
        writer.member("live", facts.live)
        writer.member("discarded", facts.discarded)
        writer.member("members", members) { member, writer in
            writer.member("account", member.account)
            writer.member("joinedAt", member.joinedAt)
            writer.member("permission", member.permission)
            writer.member("role", member.role)
        }
        writer.member("invitations", invitations) { invitation, writer in
            writer.member("createdAt", invitation.createdAt)
            writer.member("email", ifAny: invitation.email)
            writer.member("expiresAt", ifAny: invitation.expiresAt)
            writer.member("isLink", invitation.isLink)
            writer.member("isUsed", invitation.isUsed)
            writer.member("permission", invitation.permission)
        }
        guard let entries else { return }
        writer.member("entriesOmitted", max(0, facts.live - Int64(entries.count)))
        writer.member("entries", entries)
    }
}

extension JSONWriter {
    /// Texts by name, in the order of the names.
    fileprivate mutating func member(_ name: String, _ texts: [String: String]) {
        member(name) { writer in
            for (name, text) in texts.sorted(by: { $0.key < $1.key }) { writer.member(name, text) }
        }
    }

    /// A number in decimal, without a fraction if it is whole.
    fileprivate mutating func number(_ value: Double) {
        let text = "\(value)"
        raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }
}
