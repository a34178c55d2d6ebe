import TrolleyJournal

extension DeviceDiagnostics {
    /// Writes the members of the JSON document, which ``Dump`` reads, into an open object.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("kind", "device")
        writer.member("format", 1)
        writer.member("versions") { writer in
            writer.member("trolley", versions.trolley)
            writer.member("protocol", versions.protocolVersion)
        }
        writer.member("platform", platform)
        writer.member("limits") { writer in
            writer.member("entriesPerRequest", limits.announced.map { Int64($0.entriesPerRequest) })
            writer.member("bytesPerRequest", limits.announced.map { Int64($0.bytesPerRequest) })
            writer.member("learnedEntries", limits.entries.map { Int64($0) })
            writer.member("learnedUntil", limits.until)
        }
        writer.member("server", server)
        writer.member("account", account)
        writer.member("device", device)
        writer.member("now", now)
        writer.member("boot", boot)
        writer.member("uptime", uptime)
        writer.member("failuresInARow", failuresInARow)
        writer.member("nextTry", nextTry)
        writer.member("askedToWait", askedToWait)
        writer.member("sessionEndedAt", sessionEndedAt)
        writer.member("hidden", hidden) { account, writer in
            writer.member("lists", account.lists)
            writer.member("waiting", account.waiting)
        }
        writer.member("failures", failures) { failure, writer in
            writer.member("code", failure.code)
            writer.member("count", failure.count)
            writer.member("at", failure.at)
        }
        writer.member("lists", lists) { $0.writeMembers(to: &$1) }
        writer.member("rejected", rejected) { rejected, writer in
            writer.member("list", rejected.list)
            writer.member("entry", rejected.entry.id)
            writer.member("operation", rejected.entry.operation)
            writer.member("deviceSequence", rejected.entry.deviceSequence)
            writer.member("code", rejected.code)
            writer.member("at", rejected.at)
            if hasContent { writer.member("content", rejected.entry) }
        }
        writer.member("notices", notices) { notice, writer in
            writer.member("list", notice.list)
            writer.member("reason", notice.reason)
            writer.member("keptAside", notice.keptAside)
            writer.member("at", notice.at)
        }
    }
}

extension DeviceDiagnostics.List {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("published", isPublished)
        writer.member("local", isLocal)
        writer.member("kept", isKept)
        writer.member("shopping", isShopping)
        writer.member("through", through)
        writer.member("confirmed", confirmed)
        writer.member("digest", digest)
        writer.member("differed", differed)
        writer.member("differedAt", differedAt)
        for (name, counts) in [("upload", upload), ("toApply", toApply)] {
            writer.member(name) { writer in
                for operation in Operation.allCases {
                    writer.member(operation.rawValue, ifAny: counts[operation])
                }
            }
        }
        writer.member("name", ifAny: name)
        writer.member("token", token)
        writer.member("entriesOmitted", entriesOmitted)
        writer.member("queued", queued)
        writer.member("entries", entries)
    }
}
