import FoundationEssentials

/// A reader of bytes from outside. It traps when the bytes lead to something that must not be.
struct Reader: Sendable {
    let name: String
    let read: @Sendable ([UInt8]) -> Void

    /// The one that `TROLLEY_FUZZ_READER` names.
    static let chosen: Reader = {
        let name = ProcessInfo.processInfo.environment["TROLLEY_FUZZ_READER"] ?? ""
        guard let reader = all.first(where: { $0.name == name }) else {
            fatalError("TROLLEY_FUZZ_READER is one of: \(all.map(\.name).joined(separator: " "))")
        }
        return reader
    }()

    static let all =
        [values, entries, answers, rooms, files, lines, events, assistant].flatMap(\.self)
        + [tokens, headers, sockets, calendars, push].flatMap(\.self)
}

/// Ends the program with a report if something that must hold does not.
func require(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { fatalError(what()) }
}

/// Ends the program with a report if two values differ.
func requireEqual<Value: Equatable>(_ value: Value, _ other: Value, _ what: String) {
    if value != other { fatalError("\(what):\n\(value)\n\(other)") }
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The text, if it is UTF-8.
    var validText: String? { String(validating: self, as: UTF8.self) }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Reader.chosen.read(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
