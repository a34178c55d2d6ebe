import TrolleyJournal
import TrolleySync
import TrolleyWire

// Calls for uploads and fetches.

extension JSONMessage {
    /// `{"event": {…}, "at": time, "random": n}` → `{"action": {…}, "retryState": {…}, "progress": {…}}`: one step of a run.
    ///
    /// `random` is a whole number from 0 to 2³²−1, for the jitter of a wait. The device stores `retryState`.
    func step(_ open: OpenMachine, _ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let event = SyncMachine.Event(object.requiredObject("event"))
        let at = object.requiredTimestamp("at")
        let random = object.integer("random") ?? 0
        if random < 0 || random > 0xFFFF_FFFF { object.fail("random: from 0 to 4294967295") }
        try check()
        let action = open.machine.next(after: event, at: at, random: Double(random) / 4_294_967_296)
        var retryState = open.machine.retryState
        if case .finish(let report) = action { retryState.note(report.failure, at: at) }
        writer.open()
        writer.name("action")
        action.write(to: &writer)
        writer.name("pace")
        retryState.write(to: &writer)
        writer.name("progress")
        open.machine.progress.write(to: &writer)
        writer.close()
    }

    /// `{"waiting": ["push"], "trigger": "network"}` → `{"waiting": ["network"]}`: the triggers that wait for the next runs, with one
    /// more. The first is the next run's.
    func triggers(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        var queue = TriggerQueue()
        func add(_ name: String) {
            if let trigger = Trigger(name: name) { queue.add(trigger) } else { object.fail("trigger: no such trigger") }
        }
        object.elements("waiting") { reader throws(WireError) in add(try reader.string()) }
        add(object.requiredString("trigger"))
        try check()
        writer.open()
        writer.name("waiting")
        writer.openArray()
        while let trigger = queue.take() { writer.string(trigger.rawValue) }
        writer.closeArray()
        writer.close()
    }

    /// `{"queued": [{"entry": {…}, "made": {…}, "isOffered"?: bool}], "at": {"boot", "uptime", "wall"}, "bytes": n}` →
    /// `{"entries": [id], "bytes": n, "body": {…}}`: the entries of an upload queue that fit into one request. An entry that is
    /// offered again may have `author`, `device`, `madeAt` and `receipt`.
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
        let (request, size) = UploadRequest.batch(queued, at: at, bytes: bytes)
        writer.open()
        writer.member("entries", ids: request.entries.map { $0.entry.id.bits })
        writer.member("bytes", size)
        writer.name("body")
        request.json.withUnsafeBytes { writer.raw($0) }
        writer.close()
    }

    /// `{"response": {…}, "entries": [id], "offered": [id]}` → `{"verdicts": […], "sent", "rejected", "held"}`: the verdicts
    /// on the entries of an upload. `offered` are the dispensable ones (`QueuedEntry.isDispensable`): nearly all of them were
    /// confirmed before and are offered again.
    func verdicts(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let response = UploadResponse(object.requiredObject("response"))
        let entries: [EntryID] = object.identifiers("entries")
        let dispensable = object.entryIDs("offered")
        try check()
        let verdicts = response.verdicts(on: entries, dispensable: dispensable)
        let rejected = verdicts.count { if case .rejected = $0.outcome { true } else { false } }
        writer.open()
        writer.name("verdicts")
        writer.openArray()
        for verdict in verdicts { verdict.write(to: &writer) }
        writer.closeArray()
        writer.member("sent", verdicts.count - rejected)
        writer.member("rejected", rejected)
        writer.member("held", entries.count - verdicts.count)
        writer.close()
    }
}

extension DeviceTime {
    fileprivate init(_ object: JSONObject) {
        self.init(
            boot: object.string("boot") ?? "", uptime: object.integer("uptime") ?? 0,
            wall: object.requiredTimestamp("wall"))
    }
}

extension UploadVerdict {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("entry", bits: entry.bits)
        switch outcome {
        case .accepted(let sequence):
            writer.member("outcome", word: "accepted")
            writer.member("sequence", number: sequence.rawValue)
        case .known: writer.member("outcome", word: "known")
        case .rejected(let code, let detail):
            writer.member("outcome", word: "rejected")
            writer.member("code", code.rawValue)
            writer.member("detail", detail)
        }
        writer.close()
    }
}
