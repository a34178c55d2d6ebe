import TrolleyJournal
import TrolleyWire

// The service's answers, also those of a later version, as `Codable` reads them elsewhere.

extension Limits {
    init(_ object: JSONObject) {
        self.init()
        func take(_ key: StaticString, _ limit: inout Int) { limit = object.count(key) ?? limit }
        take("entriesPerRequest", &entriesPerRequest)
        take("bytesPerRequest", &bytesPerRequest)
        take("bytesPerEntry", &bytesPerEntry)
        take("bytesOfFields", &bytesOfFields)
        take("fieldsPerEntry", &fieldsPerEntry)
        take("changesPerPage", &changesPerPage)
        take("defaultChangesPerPage", &defaultChangesPerPage)
        take("participantsPerList", &participantsPerList)
        ageCap = object.integer("ageCap") ?? ageCap
    }

    func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("entriesPerRequest", entriesPerRequest)
        writer.member("bytesPerRequest", bytesPerRequest)
        writer.member("bytesPerEntry", bytesPerEntry)
        writer.member("bytesOfFields", bytesOfFields)
        writer.member("fieldsPerEntry", fieldsPerEntry)
        writer.member("changesPerPage", changesPerPage)
        writer.member("defaultChangesPerPage", defaultChangesPerPage)
        writer.member("participantsPerList", participantsPerList)
        writer.member("ageCap", number: ageCap)
        writer.close()
    }
}

extension ProblemCode {
    /// An unknown code is `internalError`: the device gives nothing up, and tries again later.
    init(word: String) {
        self = Self(name: word) ?? .internalError
    }
}

extension Problem {
    /// Leaves out `candidates`, `requestID` and `signedOut`: what uses them reads the answer itself.
    init(_ object: JSONObject) {
        let code = ProblemCode(word: object.requiredString("code"))
        self.init(
            code, object.string("detail"), retryAfter: object.count("retryAfter"),
            reason: object.string("reason").flatMap { ListGoneReason(name: $0) },
            limits: object.object("limits").map { Limits($0) })
        status = object.count("status") ?? status
        title = object.string("title") ?? title
    }

    func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("code", code.rawValue)
        writer.member("status", status)
        writer.member("title", title)
        if let detail { writer.member("detail", detail) }
        if let retryAfter { writer.member("retryAfter", retryAfter) }
        if let reason { writer.member("reason", reason.rawValue) }
        if let limits {
            writer.name("limits")
            limits.write(to: &writer)
        }
        writer.close()
    }
}

extension UploadResponse {
    init(_ object: JSONObject) {
        self.init(
            results: (object.objects("results") ?? []).map { UploadResult($0) }, token: object.requiredString("token"))
    }
}

extension UploadResult {
    /// An unknown status is `rejected` with `internalError`: the device keeps the entry and sends it
    /// again, which its id makes harmless.
    fileprivate init(_ object: JSONObject) {
        self = .rejected(object.identifier("id"), .internalError, "")
        detail = object.string("detail")
        guard let known = Status(name: object.requiredString("status")) else { return }
        status = known
        sequence = object.integer("sequence").map { SequenceNumber(rawValue: $0) }
        code = object.string("code").map { ProblemCode(word: $0) }
        madeAt = object.timestamp("madeAt")
    }
}
