import Logging
import TrolleyJournal
import TrolleySync
import TrolleyWire

// The device log. It says what the device decided, asked, was answered and waits for, with ids, counts and codes. It never
// has what people wrote, nor names, addresses or tokens.

extension Logger {
    /// A log that nobody reads.
    static var silent: Logger { Logger(label: "trolley") { _ in SwiftLogNoOpLogHandler() } }

    /// Logs a step of a run: what happened, and what was decided.
    func note(_ event: SyncMachine.Event, _ action: SyncMachine.Action) {
        if let happened = event.line { log(level: happened.level, "\(happened.text)", metadata: happened.metadata) }
        if let decided = action.line { log(level: decided.level, "\(decided.text)", metadata: decided.metadata) }
    }

    /// Logs that the device waits.
    func noteWait(_ duration: Duration, for reason: String) {
        debug("wait", metadata: ["ms": "\(duration.wholeMilliseconds)", "for": "\(reason)"])
    }
}

/// A line of the log.
private struct LogLine {
    var text: String
    var metadata: Logger.Metadata
    var level: Logger.Level

    init(_ text: String, _ metadata: Logger.Metadata = [:], level: Logger.Level = .debug) {
        self.text = text
        self.metadata = metadata
        self.level = level
    }
}

extension SyncMachine.Event {
    /// nil: the action that follows says it.
    fileprivate var line: LogLine? {
        switch self {
        case .begun(let trigger): LogLine("sync", ["trigger": "\(trigger)"])
        case .deviceStatus(let status):
            LogLine(
                "status",
                [
                    "lists": "\(status.lists.count)", "waiting": "\(status.waiting)",
                    "toApply": "\(status.lists.reduce(0) { $0 + $1.toApply })",
                ], level: .trace)
        case .limits(let limits):
            LogLine(
                "limits",
                ["entriesPerRequest": "\(limits.entriesPerRequest)", "bytesPerRequest": "\(limits.bytesPerRequest)"])
        case .done, .stopped: nil
        case .uploaded(let sent, let rejected, let held):
            LogLine("uploaded", ["sent": "\(sent)", "rejected": "\(rejected)", "held": "\(held)"])
        case .fetched(let outcome, let moreComing, let unreachable):
            LogLine(
                "fetched",
                [
                    "news": "\(outcome.news)", "expired": "\(outcome.expired)", "discarded": "\(outcome.discarded)",
                    "differing": "\(outcome.differing)", "keptAside": "\(outcome.keptAside)",
                    "moreComing": "\(moreComing)", "unreachable": "\(unreachable.count)",
                ])
        case .failed(let error): LogLine("call failed", error.metadata)
        case .uploadFailed(let error, let entries, let bytes):
            LogLine("upload failed", error.metadata.merging(["entries": "\(entries)", "bytes": "\(bytes)"]) { $1 })
        case .broken(let error) where error == .sessionEnded: LogLine("the session has ended")
        case .broken(let error): LogLine("storage failed", ["error": "\(error)"], level: .error)
        }
    }
}

extension SyncMachine.Action {
    fileprivate var line: LogLine? {
        switch self {
        case .readStatus: nil
        case .fetchLimits: LogLine("ask for the limits")
        case .publish(let list): LogLine("publish", ["list": "\(list)"])
        case .upload(let list, let entries, let bytes):
            LogLine("upload", ["list": "\(list)", "entriesAtMost": "\(entries)", "bytesAtMost": "\(bytes)"])
        case .reject(let list, let entries, let code, _):
            LogLine("reject", ["list": "\(list)", "entries": "\(entries)", "code": "\(code.rawValue)"])
        case .fetch(let tokens, let afresh, let digests, let ownership):
            LogLine(
                "fetch",
                [
                    "lists": "\(tokens.count)", "afresh": "\(afresh.count)", "digests": "\(digests)",
                    "ownership": "\(ownership)",
                ])
        case .delete(let list): LogLine("delete", ["list": "\(list)"])
        case .apply(let list, let shopping): LogLine("apply", ["list": "\(list)", "shopping": "\(shopping)"])
        case .finish(let report): LogLine("finished", report.metadata, level: report.failure == nil ? .debug : .info)
        }
    }
}

extension SyncReport {
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "outcome": "\(outcome)", "sent": "\(sent)", "received": "\(received)", "rejected": "\(rejected)",
            "requests": "\(requests)", "waiting": "\(waiting)",
        ]
        if let failure { metadata["failure"] = "\(failure.message.code)" }
        if let nextTry { metadata["nextTry"] = "\(nextTry)" }
        return metadata
    }
}

extension TransportError {
    /// Without the service's sentence, which may quote what a person wrote.
    fileprivate var metadata: Logger.Metadata {
        switch self {
        case .unreachable(let reason): ["code": "\(message.code)", "reason": "\(reason)"]
        // The reason may quote the answer.
        case .notUnderstood: ["code": "\(message.code)"]
        case .problem(let problem):
            [
                "code": "\(problem.code.rawValue)", "status": "\(problem.status)",
                "retryAfter": "\(problem.retryAfter?.description ?? "none")",
                "request": "\(problem.requestID ?? "unknown")",
            ]
        }
    }
}

extension Duration {
    var wholeMilliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
