import TrolleyJournal
import TrolleySync
import TrolleyWire

/// The WebAssembly module without its memory: bytes in, bytes out. It also compiles to native code, so that tests can
/// compare both byte for byte.
///
/// A call's input is one JSON object, and so is its output. Times and randomness come with the input.
package final class ModuleState {
    #if DEVICE_CALLS
        private var lists = Handles<OpenList>()
        private var machines = Handles<OpenMachine>()
    #endif
    #if LATER_CALLS
        private var rooms = Handles<OpenRoom>()
        private var catalogues = Handles<OpenCatalogue>()
        private var pasts = Handles<OpenPast>()
        /// The purchases of all open pasts; nil: to be put together again.
        private var purchases: PurchaseHistory?
    #endif

    package init() {}

    /// Does one call.
    /// - Parameters:
    ///   - call: the number of a `ModuleCall`.
    ///   - handle: the handle of the open list or machine; 0 for calls without one.
    /// - Returns: the output; when `isError`, `{"error": "…"}`, and nothing has changed.
    package func answer(
        _ call: Int32, handle: Int32, _ input: UnsafeBufferPointer<UInt8>
    ) -> (isError: Bool, output: [UInt8]) {
        var writer = JSONWriter()
        do throws(WireError) {
            guard let call = ModuleCall(rawValue: call) else { throw .invalid("there is no such call") }
            try perform(call, handle, JSONMessage(input), &writer)
            // The output of a call without a result.
            if writer.bytes.isEmpty { writer.object { _ in } }
            return (false, writer.bytes)
        } catch {
            writer = JSONWriter()
            writer.open()
            writer.member("error", error.description)
            writer.close()
            return (true, writer.bytes)
        }
    }

    private func perform(
        _ call: ModuleCall, _ handle: Int32, _ message: JSONMessage, _ writer: inout JSONWriter
    ) throws(WireError) {
        switch call {
        #if DEVICE_CALLS
            case .identifiers: try message.identifiers(&writer)
            case .lines: try message.lines(&writer)
            case .cutUpload: try message.cutUpload(&writer)
            case .triggers: try message.triggers(&writer)
            case .settle: try message.settle(&writer)
            case .uploadEnded: try message.uploadEnded(&writer)
            case .report: try message.report(&writer)
            case .renumber: try message.renumber(&writer)
            case .offer: try message.offer(&writer)
            case .rules: try message.rules(&writer)
            case .receiving: try message.receiving(&writer)
            case .ended: try message.ended(&writer)
            case .openList: writer.write(handle: lists.open(try OpenList(message)))
            case .closeList: lists.close(handle)
            case .openMachine: writer.write(handle: machines.open(OpenMachine()))
            case .closeMachine: machines.close(handle)
            case .next:
                guard let machine = machines[handle] else { throw .invalid("no such machine is open") }
                try message.step(machine, &writer)
            case .apply, .setPending, .append, .forget, .state, .digest, .match, .plan, .pass, .arrivals, .add,
                .messages:
                guard let list = lists[handle] else { throw .invalid("no such list is open") }
                try list.perform(call, message, &writer)
        #endif
        #if LATER_CALLS
            case .trips: try message.trips(&writer)
            case .purchases: try message.purchases(&writer)
            case .learn: try message.learn(&writer)
            case .arrange: try message.arrange(&writer)
            case .combine: try message.combine(&writer)
            case .missing: try message.missing(&writer)
            case .steps: try message.steps(&writer)
            case .repetition: try message.repetition(&writer)
            case .restoration: try message.restoration(&writer)
            case .doubleBuys: try message.doubleBuys(&writer)
            case .openRoom: writer.write(handle: rooms.open(try OpenRoom(message)))
            case .closeRoom: rooms.close(handle)
            case .room:
                guard let room = rooms[handle] else { throw .invalid("no such room is open") }
                try room.perform(message, &writer)
            case .openCatalogue: writer.write(handle: catalogues.open(try OpenCatalogue(message)))
            case .words:
                guard let open = catalogues[handle] else { throw .invalid("no such catalogue is open") }
                try open.writeWords(message, &writer)
            case .openPast:
                writer.write(handle: pasts.open(try OpenPast(message)))
                purchases = nil
            case .closePast:
                pasts.close(handle)
                purchases = nil
            case .follow, .aisles, .arrangeAisles:
                guard let past = pasts[handle] else { throw .invalid("no such past is open") }
                try past.perform(call, message, catalogues.open.map { ($0.handle, $0.value.catalogue) }, &writer)
                if call == .follow { purchases = nil }
            case .complete: try message.complete(allPurchases(), catalogues[handle]?.catalogue, &writer)
        #endif
        #if DOCUMENT_CALLS
            case .read: try message.read(&writer)
            case .addItems: try message.addItems(&writer)
        #endif
        #if SERVICE_CALLS
            case .inspect: try message.inspect(&writer)
            case .resolve: try message.resolve(&writer)
        #endif
        #if !DEVICE_CALLS || !LATER_CALLS || !DOCUMENT_CALLS || !SERVICE_CALLS
            default: throw .invalid("another module has this call")
        #endif
        }
    }

    #if LATER_CALLS
        private func allPurchases() -> PurchaseHistory {
            if let purchases { return purchases }
            var all = PurchaseHistory()
            for (_, past) in pasts.open { for purchase in past.history.purchases { all.add(purchase) } }
            purchases = all
            return all
        }
    #endif
}

/// A device's sync run, which stays open between calls.
final class OpenMachine {
    var machine = SyncMachine()
}

/// What is open between calls, by handle: 1 for the first.
private struct Handles<Open: AnyObject> {
    private var all: [Open?] = []

    /// - Returns: its handle, the smallest that is free.
    mutating func open(_ new: Open) -> Int {
        let index = all.firstIndex { $0 == nil } ?? all.count
        if index == all.count { all.append(new) } else { all[index] = new }
        return index + 1
    }

    /// What is open, with its handle.
    var open: [(handle: Int, value: Open)] {
        var open: [(handle: Int, value: Open)] = []
        for (index, value) in all.enumerated() { if let value { open.append((index + 1, value)) } }
        return open
    }

    /// Does nothing if it isn't open.
    mutating func close(_ handle: Int32) { if self[handle] != nil { all[Int(handle) - 1] = nil } }

    subscript(handle: Int32) -> Open? {
        let index = Int(handle) &- 1
        return all.indices.contains(index) ? all[index] : nil
    }
}

extension JSONWriter {
    fileprivate mutating func write(handle: Int) {
        open()
        member("handle", handle)
        close()
    }
}
