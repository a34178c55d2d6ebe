import TrolleyJournal
package import TrolleyWire

extension RetryState {
    package init(_ object: JSONObject) {
        self.init()
        failures = max(0, object.count("failures") ?? 0)
        failingSince = object.timestamp("failingSince")
        nextTry = object.timestamp("nextTry")
        askedToWait = object.bool("askedToWait")
        limits = object.object("limits").map { Limits($0) }
        learnedEntries = object.count("learnedEntries")
        learnedUntil = object.timestamp("learnedUntil")
        lately = object.objects("lately")?.map { PastFailure($0) }
        digestsComparedAt = object.timestamp("digestsComparedAt")
        wantsDigests = object.bool("wantsDigests") ? true : nil
        sessionEndedAt = object.timestamp("sessionEndedAt")
        lists = object.objects("lists")?.map { ListWait($0) }
    }

    package func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("failures", failures)
        if let failingSince { writer.member("failingSince", failingSince) }
        if let nextTry { writer.member("nextTry", nextTry) }
        writer.member("askedToWait", askedToWait)
        if let limits {
            writer.name("limits")
            limits.write(to: &writer)
        }
        if let learnedEntries { writer.member("learnedEntries", learnedEntries) }
        if let learnedUntil { writer.member("learnedUntil", learnedUntil) }
        if let lately {
            writer.name("lately")
            writer.openArray()
            for failure in lately {
                writer.open()
                writer.member("code", failure.code)
                writer.member("count", failure.count)
                writer.member("at", failure.at)
                writer.close()
            }
            writer.closeArray()
        }
        if let digestsComparedAt { writer.member("digestsComparedAt", digestsComparedAt) }
        if let wantsDigests { writer.member("wantsDigests", wantsDigests) }
        if let sessionEndedAt { writer.member("sessionEndedAt", sessionEndedAt) }
        if let lists {
            writer.name("lists")
            writer.openArray()
            for wait in lists {
                writer.open()
                writer.member("list", bits: wait.list.bits)
                writer.member("failures", wait.failures)
                writer.member("nextTry", wait.nextTry)
                writer.member("askedToWait", wait.askedToWait)
                writer.close()
            }
            writer.closeArray()
        }
        writer.close()
    }
}

extension PastFailure {
    package init(_ object: JSONObject) {
        self.init(
            code: object.requiredString("code"), count: object.count("count") ?? 0, at: object.requiredTimestamp("at"))
    }
}

extension ListWait {
    fileprivate init(_ object: JSONObject) {
        self.init(
            list: ListID(object.requiredBits("list")), failures: object.count("failures") ?? 0,
            nextTry: object.requiredTimestamp("nextTry"), askedToWait: object.bool("askedToWait"))
    }
}
