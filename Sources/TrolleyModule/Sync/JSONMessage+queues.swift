import TrolleyJournal
import TrolleySync
import TrolleyWire

// Calls about a device's two queues. A store loads records and carries out the answers. It knows no rule.

extension JSONMessage {
    /// `{}` → `{"reofferWindow": ms, "reach": n, "protocolVersions": [n]}`: what a store and a shell need to know.
    func rules(_ writer: inout JSONWriter) throws(WireError) {
        let version = object().count("protocolVersion")
        try check()
        writer.open()
        writer.member("reofferWindow", number: reofferWindow)
        writer.member("reach", UploadEnd.reach)
        writer.name("protocolVersions")
        writer.openArray()
        for version in ProtocolVersion.oldest...ProtocolVersion.current { writer.integer(Int64(version)) }
        writer.closeArray()
        if let version, let problem = Problem(incompatible: version) {
            writer.name("problem")
            problem.writeReason(to: &writer)
        }
        writer.close()
    }

    /// `{"queued": [{"entry": {…}, "made": {…}, "isOffered"?: bool}], "at": {"boot", "uptime", "wall"}, "bytes": n}` →
    /// `{"entries": [id], "bytes": n, "age": ms or null, "body": {…}}`: the entries of an upload queue that fit into one
    /// request, and the age of the youngest own one. An entry that is offered again may have `author`, `device`, `madeAt`
    /// and `receipt`.
    func cutUpload(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let queued = (object.objects("queued") ?? []).map {
            QueuedEntry(
                entry: $0.requiredEntry("entry"), made: DeviceTime($0.requiredObject("made")),
                isOffered: $0.bool("isOffered"), origin: $0.origin("entry"))
        }
        let at = DeviceTime(object.requiredObject("at"))
        let bytes = object.count("bytes") ?? 0
        try check()
        let (request, size, age) = UploadRequest.batch(queued, at: at, bytes: bytes)
        writer.open()
        writer.member("entries", ids: request.entries.map { $0.entry.id.bits })
        writer.member("bytes", size)
        if let age { writer.member("age", number: age) }
        writer.name("body")
        request.json.withUnsafeBytes { writer.raw($0) }
        writer.close()
    }

    /// `{"queued": [{"wall", "estimate", "isSent"?, "isOffered"?, "isConfirmed"?}], "age": ms, "at": time, "response"?: {…}}` →
    /// `{"times": [{"wall", "estimate"} or null]}`: the new times of a queue's first entries after an upload has ended, with the
    /// answer or without (``UploadEnd``).
    func uploadEnded(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let queued = object.objects("queued") ?? []
        let end = UploadEnd(
            age: object.integer("age") ?? 0, at: DeviceTime(wall: object.requiredTimestamp("at")),
            latest: object.object("response").flatMap { UploadResponse($0).latest }, sent: [])
        try check()
        writer.open()
        writer.name("times")
        writer.openArray()
        for entry in queued {
            let queued = UploadEnd.Queued(
                isSent: entry.bool("isSent"), isOffered: entry.bool("isOffered"),
                isConfirmed: entry.bool("isConfirmed"), made: DeviceTime(wall: entry.requiredTimestamp("wall")),
                estimate: entry.requiredTimestamp("estimate"))
            guard let times = end.times(of: queued) else {
                writer.null()
                continue
            }
            writer.open()
            writer.member("wall", times.made.wall)
            writer.member("estimate", times.estimate)
            writer.close()
        }
        try check()
        writer.closeArray()
        writer.close()
    }

    /// `{"queued": [{"id", "operation", "isOffered", "isOwn"}], "through": n, "response": {…} or "refused": {"code", "detail"}}` →
    /// `{"taken": [{"entry", "sequence"}], "retired": [id], "refused": [{"entry", "code", "detail"}], "sent", "rejected", "held"}`:
    /// what becomes of entries that were sent after the service's answer, or of entries that it refuses all.
    func settle(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let queued = object.objects("queued") ?? []
        let through = SequenceNumber(rawValue: object.integer("through") ?? 0)
        let verdicts: [UploadVerdict]
        if let refused = object.object("refused") {
            let code = ProblemCode(word: refused.requiredString("code"))
            let detail = refused.string("detail")
            verdicts = queued.map {
                UploadVerdict(refused: EntryID($0.requiredBits("id")), isOwn: $0.bool("isOwn"), code, detail)
            }
        } else {
            var entries: [EntryID] = []
            var dispensable: Set<EntryID> = []
            for entry in queued {
                let id = EntryID(entry.requiredBits("id"))
                let operation = Operation(name: entry.requiredString("operation")) ?? .unknown
                if QueuedEntry.isDispensable(operation, isOffered: entry.bool("isOffered")) { dispensable.insert(id) }
                entries.append(id)
            }
            let response = UploadResponse(object.requiredObject("response"))
            verdicts = response.verdicts(on: entries, dispensable: dispensable)
        }
        try check()
        let settlement = Settlement(verdicts, through: through)
        writer.open()
        writer.name("taken")
        writer.openArray()
        for taken in settlement.taken {
            writer.open()
            writer.member("entry", bits: taken.entry.bits)
            writer.member("sequence", number: taken.sequence.rawValue)
            writer.close()
        }
        writer.closeArray()
        writer.member("retired", ids: settlement.retired.map { $0.bits })
        writer.name("refused")
        writer.openArray()
        for refused in settlement.refused {
            writer.open()
            writer.member("entry", bits: refused.entry.bits)
            writer.member("code", refused.code.rawValue)
            writer.member("detail", refused.detail)
            writer.close()
        }
        writer.closeArray()
        writer.member("sent", verdicts.count - settlement.refused.count)
        writer.member("rejected", settlement.refused.count)
        writer.member("held", queued.count - verdicts.count)
        writer.close()
    }

    /// `{"lists": [{"id", "waiting": [{"operation", "number", "wall"}], "toApply": [operation]}], "failures": [{"code", "count",
    /// "at"}], "at": time}` → the report on both queues for a fetch.
    func report(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let at = object.requiredTimestamp("at")
        let now = DeviceTime(wall: at)
        var counts = QueueCounts()
        for list in object.objects("lists") ?? [] {
            let id = ListID(list.requiredBits("id"))
            for entry in list.objects("waiting") ?? [] {
                let operation = Operation(name: entry.requiredString("operation")) ?? .unknown
                let made = DeviceTime(wall: entry.requiredTimestamp("wall"))
                counts.noteWaiting(operation, number: entry.integer("number") ?? 0, age: made.age(at: now), in: id)
            }
            list.elements("toApply") { reader throws(WireError) in
                counts.noteToApply(Operation(name: try reader.string()) ?? .unknown)
            }
        }
        for failure in object.objects("failures") ?? [] { counts.note(PastFailure(failure), at: at) }
        try check()
        writer.open()
        writer.member("upload", byOperation: counts.upload)
        writer.member("toApply", byOperation: counts.toApply)
        if let age = counts.oldestAge { writer.member("oldestAge", number: age) }
        writer.name("held")
        writer.open()
        for held in counts.held {
            writer.key(held.list.description)
            writer.integer(held.number)
        }
        writer.close()
        writer.name("failures")
        writer.openArray()
        for failure in counts.newestFailures {
            writer.open()
            writer.member("code", failure.code)
            writer.member("count", failure.count)
            writer.member("age", number: failure.age)
            writer.close()
        }
        writer.closeArray()
        writer.close()
    }

    /// `{"queued": [{"number", "isSent", "isOffered"}]}` → `{"numbers": [n or null], "last": n}`: the numbers of a list's unsent
    /// entries for a new device; null: an entry keeps its own.
    func renumber(_ writer: inout JSONWriter) throws(WireError) {
        var numbering = Renumbering()
        let queued = object().objects("queued") ?? []
        try check()
        writer.open()
        writer.name("numbers")
        writer.openArray()
        for entry in queued {
            let number = numbering.number(
                entry.integer("number") ?? 0, isSent: entry.bool("isSent"), isOffered: entry.bool("isOffered"))
            if let number { writer.integer(number) } else { writer.null() }
        }
        try check()
        writer.closeArray()
        writer.member("last", number: numbering.last)
        writer.close()
    }

    /// `{"madeAt": [time], "first"?: n, "unsent"?: time, "at": time}` → `{"position": n, "walls": [time]}`: how to offer a whole list
    /// again, whose confirmed entries have these times (``ListOffer``).
    func offer(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        var times: [Timestamp] = []
        object.elements("madeAt") { reader throws(WireError) in times.append(try reader.timestamp()) }
        let offer = ListOffer(
            count: times.count, latest: times.reduce(nil) { .latest($0, $1) }, first: object.integer("first"),
            unsent: object.timestamp("unsent"), at: object.requiredTimestamp("at"))
        try check()
        writer.open()
        writer.member("position", number: offer.position)
        writer.name("walls")
        writer.openArray()
        for time in times { writer.timestamp(offer.wall(of: time)) }
        writer.closeArray()
        writer.close()
    }
}

extension DeviceTime {
    fileprivate init(_ object: JSONObject) {
        self.init(
            boot: object.string("boot") ?? "", uptime: object.integer("uptime") ?? 0,
            wall: object.requiredTimestamp("wall"))
    }

    /// A moment on a device whose only clock is the wall clock.
    fileprivate init(wall: Timestamp) { self.init(boot: "", uptime: 0, wall: wall) }
}

extension JSONWriter {
    fileprivate mutating func member(_ key: StaticString, byOperation counts: [Int]) {
        name(key)
        open()
        for (operation, count) in zip(Operation.allCases, counts) where count > 0 {
            self.key(operation.rawValue)
            integer(Int64(count))
        }
        close()
    }
}
