import TrolleyJournal
import TrolleySync
import TrolleyWire

extension SyncMachine.Event {
    /// Reads `{"type": "uploaded", "sent": 3, …}`: the case's name, and its values.
    init(_ object: JSONObject) {
        let type = object.requiredString("type")
        if type.isText("begun") {
            let trigger = Trigger(name: object.requiredString("trigger"))
            if trigger == nil { object.fail("event.trigger: no such trigger") }
            self = .begun(trigger ?? .timer)
        } else if type.isText("deviceStatus") {
            self = .deviceStatus(DeviceStatus(object.requiredObject("deviceStatus")))
        } else if type.isText("limits") {
            self = .limits(Limits(object.requiredObject("limits")))
        } else if type.isText("uploaded") {
            self = .uploaded(
                sent: object.count("sent") ?? 0, rejected: object.count("rejected") ?? 0,
                held: object.count("held") ?? 0)
        } else if type.isText("fetched") {
            self = .fetched(
                FetchOutcome(object), moreComing: object.bool("moreComing"),
                unreachable: object.identifiers("unreachable"))
        } else if type.isText("failed") {
            self = .failed(TransportError(object))
        } else if type.isText("uploadFailed") {
            self = .uploadFailed(
                TransportError(object), entries: object.count("entries") ?? 0, bytes: object.count("bytes") ?? 0)
        } else if type.isText("broken") {
            self = .broken(.failed(object.string("detail") ?? ""))
        } else {
            if !type.isText("done") { object.fail("event.type: no such event") }
            self = .done
        }
    }
}

extension TransportError {
    /// `reason` is `problem`, with the service's answer in `problem`, or `unreachable` or `notUnderstood`.
    fileprivate init(_ object: JSONObject) {
        let reason = object.requiredString("reason")
        let detail = object.string("detail") ?? ""
        if reason.isText("problem") {
            self = .problem(Problem(object.requiredObject("problem")))
        } else if reason.isText("notUnderstood") {
            self = .notUnderstood(detail)
        } else {
            if !reason.isText("unreachable") { object.fail("event.reason: not a reason that a call has failed for") }
            self = .unreachable(detail)
        }
    }
}

extension DeviceStatus {
    fileprivate init(_ object: JSONObject) {
        self.init(
            lists: (object.objects("lists") ?? []).map { List($0) },
            retryState: object.object("retryState").map { RetryState($0) } ?? RetryState(),
            lacksOwnership: object.bool("lacksOwnership"))
    }
}

extension DeviceStatus.List {
    fileprivate init(_ object: JSONObject) {
        self.init(
            id: ListID(object.requiredBits("id")), isPublished: object.bool("isPublished"),
            isLocal: object.bool("isLocal"), token: object.string("token"), waiting: object.count("waiting") ?? 0,
            toApply: object.count("toApply") ?? 0, isShopping: object.bool("isShopping"))
    }
}
