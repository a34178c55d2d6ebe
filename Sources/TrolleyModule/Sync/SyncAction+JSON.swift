import TrolleyJournal
import TrolleySync
import TrolleyWire

extension SyncMachine.Action {
    /// Writes `{"type": "upload", "list": id, …}`: the case's name, and its values. A `fetch` has the body of its request,
    /// without the report on the queues, which the device adds.
    func write(to writer: inout JSONWriter) {
        writer.open()
        switch self {
        case .readStatus: writer.member("type", word: "readStatus")
        case .fetchLimits: writer.member("type", word: "fetchLimits")
        case .publish(let list):
            writer.member("type", word: "publish")
            writer.member("list", bits: list.bits)
        case .upload(let list, let entries, let bytes):
            writer.member("type", word: "upload")
            writer.member("list", bits: list.bits)
            writer.member("entries", entries)
            writer.member("bytes", bytes)
        case .reject(let list, let entries, let code, let detail):
            writer.member("type", word: "reject")
            writer.member("list", bits: list.bits)
            writer.member("entries", entries)
            writer.member("code", code.rawValue)
            writer.member("detail", detail)
        case .fetch(let tokens, let afresh, let digests, let ownership):
            writer.member("type", word: "fetch")
            writer.name("body")
            writer.open()
            writer.name("tokens")
            writer.open()
            for list in tokens.keys.bitsInOrder().map({ ListID($0) }) {
                writer.key(list.description)
                writer.string(tokens[list] ?? "")
            }
            writer.close()
            if !afresh.isEmpty { writer.member("afresh", ids: afresh.map { $0.bits }) }
            if digests { writer.member("digests", true) }
            if ownership { writer.member("ownership", true) }
            writer.member("protocolVersion", ProtocolVersion.current)
            writer.close()
        case .delete(let list):
            writer.member("type", word: "delete")
            writer.member("list", bits: list.bits)
        case .apply(let list, let shopping):
            writer.member("type", word: "apply")
            writer.member("list", bits: list.bits)
            writer.member("shopping", shopping)
        case .finish(let report):
            writer.member("type", word: "finish")
            writer.name("report")
            report.write(to: &writer)
        }
        writer.close()
    }
}

extension SyncReport {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("outcome", outcome.rawValue)
        writer.member("sent", sent)
        writer.member("rejected", rejected)
        writer.member("received", received)
        writer.member("differing", differing)
        writer.member("requests", requests)
        writer.member("waiting", waiting)
        writer.name("failure")
        if let failure { failure.write(to: &writer) } else { writer.null() }
        writer.member("nextTry", nextTry)
        writer.close()
    }
}

extension SyncFailure {
    /// `{"reason": "problem", "problem": {…}}`, or another reason, with a detail where there is one.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.open()
        switch self {
        case .notSignedIn: writer.member("reason", word: "notSignedIn")
        case .tooEarly: writer.member("reason", word: "tooEarly")
        case .alreadyRunning: writer.member("reason", word: "alreadyRunning")
        case .stopped: writer.member("reason", word: "stopped")
        case .transport(.problem(let problem)):
            writer.member("reason", word: "problem")
            writer.name("problem")
            problem.writeReason(to: &writer)
        case .transport(.unreachable(let detail)):
            writer.member("reason", word: "unreachable")
            writer.member("detail", detail)
        case .transport(.notUnderstood(let detail)):
            writer.member("reason", word: "notUnderstood")
            writer.member("detail", detail)
        case .store(let error):
            writer.member("reason", word: "store")
            if case .failed(let detail) = error { writer.member("detail", detail) }
        }
        writer.close()
    }
}

extension SyncProgress {
    /// `{"type": "waiting", "until": time, "queued": 3}`: the case's name, and its values.
    func write(to writer: inout JSONWriter) {
        writer.open()
        switch self {
        case .idle: writer.member("type", word: "idle")
        case .queued(let count):
            writer.member("type", word: "queued")
            writer.member("queued", count)
        case .sending(let done, let all):
            writer.member("type", word: "sending")
            writer.member("done", done)
            writer.member("of", all)
        case .fetching(let received):
            writer.member("type", word: "fetching")
            writer.member("received", received)
        case .waiting(let until, let queued):
            writer.member("type", word: "waiting")
            writer.member("until", until)
            writer.member("queued", queued)
        case .blocked(let failure, let queued):
            writer.member("type", word: "blocked")
            writer.name("failure")
            failure.write(to: &writer)
            writer.member("queued", queued)
        }
        writer.close()
    }
}
