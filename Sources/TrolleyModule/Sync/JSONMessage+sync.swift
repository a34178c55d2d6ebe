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
        writer.name("retryState")
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
}
