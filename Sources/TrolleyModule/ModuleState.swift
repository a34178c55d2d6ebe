import TrolleyJournal
import TrolleySync
import TrolleyWire

/// The WebAssembly module without its memory: bytes in, bytes out. It also compiles to native code, so that tests can
/// compare both byte for byte.
///
/// A call's input is one JSON object, and so is its output. Times and randomness come with the input.
package final class ModuleState {
    // By handle; each kind counts from 1.
    private var lists: [OpenList?] = []
    private var machines: [OpenMachine?] = []

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
        case .identifiers: try message.identifiers(&writer)
        case .lines: try message.lines(&writer)
        #if SERVICE_CALLS
            case .inspect: try message.inspect(&writer)
            case .resolve: try message.resolve(&writer)
        #endif
        case .cutUpload: try message.cutUpload(&writer)
        case .verdicts: try message.verdicts(&writer)
        case .openList:
            let list = try OpenList(message)
            let index = lists.firstIndex { $0 == nil } ?? lists.count
            if index == lists.count { lists.append(list) } else { lists[index] = list }
            writer.writeHandle(of: index)
        case .closeList: if lists.indices.contains(Int(handle) &- 1) { lists[Int(handle) &- 1] = nil }
        case .openMachine:
            let index = machines.firstIndex { $0 == nil } ?? machines.count
            if index == machines.count { machines.append(OpenMachine()) } else { machines[index] = OpenMachine() }
            writer.writeHandle(of: index)
        case .closeMachine: if machines.indices.contains(Int(handle) &- 1) { machines[Int(handle) &- 1] = nil }
        case .next:
            guard machines.indices.contains(Int(handle) &- 1), let machine = machines[Int(handle) &- 1] else {
                throw .invalid("no such machine is open")
            }
            try message.step(machine, &writer)
        case .apply, .setPending, .append, .forget, .state, .digest, .match, .plan, .pass, .arrivals, .add, .messages:
            guard lists.indices.contains(Int(handle) &- 1), let list = lists[Int(handle) &- 1] else {
                throw .invalid("no such list is open")
            }
            try list.perform(call, message, &writer)
        }
    }
}

/// A device's sync run, which stays open between calls.
final class OpenMachine {
    var machine = SyncMachine()
}

extension JSONWriter {
    fileprivate mutating func writeHandle(of index: Int) {
        open()
        member("handle", index + 1)
        close()
    }
}
