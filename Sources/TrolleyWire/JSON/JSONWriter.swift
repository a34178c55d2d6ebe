public import TrolleyJournal

/// Writes JSON into a growing buffer. It writes commas itself; the caller opens and closes arrays and objects.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    /// Writes an object whose members `body` writes.
    public mutating func object<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        begin(UInt8(ascii: "{"))
        try body(&self)
        end(UInt8(ascii: "}"))
    }

    /// Writes an array whose elements `body` writes.
    public mutating func array<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        begin(UInt8(ascii: "["))
        try body(&self)
        end(UInt8(ascii: "]"))
    }

    package mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
    }

    package mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// Removes and returns the bytes written so far. Later writes continue after them.
    public mutating func take() -> [UInt8] {
        defer {
            let count = bytes.count
            bytes = []
            bytes.reserveCapacity(count)
        }
        return bytes
    }

    public mutating func key(_ key: String) {
        string(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func null() { raw("null") }

    public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    public mutating func integer(_ value: Int64) { append(atMost: 20) { $0.write(value) } }

    public mutating func identifier(_ value: some Identifier) { append(atMost: 38) { $0.write(value.bits) } }

    public mutating func timestamp(_ value: Timestamp) { append(atMost: ByteCursor.timestamp) { $0.write(value) } }

    /// Writes a value that is JSON text already.
    public mutating func raw(_ json: String) {
        separate()
        bytes.append(contentsOf: json.utf8)
        needsComma = true
    }

    /// The same, in UTF-8.
    public mutating func raw(_ json: UnsafeRawBufferPointer) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    public mutating func string(_ value: String) {
        value.withBytes { text in
            // A byte takes at most six: \u001f.
            append(atMost: 6 * text.count + 2) { $0.write(string: text) }
        }
    }

    /// Appends a value that `body` writes.
    /// - Parameter count: the most bytes that it takes.
    mutating func append(atMost count: Int, _ body: (inout ByteCursor) -> Void) {
        separate()
        bytes.append(addingCapacity: count) { span in
            span.withUnsafeMutableBufferPointer { buffer, initialized in
                var cursor = ByteCursor(UnsafeMutableBufferPointer(rebasing: buffer[initialized...]))
                body(&cursor)
                initialized += cursor.position
            }
        }
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }
}
