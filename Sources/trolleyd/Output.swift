import FoundationEssentials
import TrolleyCluster
import TrolleyWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Prints text with its line breaks. Nothing else in it can steer the terminal.
func say(_ text: String) { print(text.printable) }

/// Prints text on standard error; see ``say(_:)``.
func warn(_ text: String) {
    let bytes = Array("\(text.printable)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Prints one JSON document with sorted keys.
func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(value), as: UTF8.self).printableJSON)
}

/// A number and its noun: `1 list`, `2 lists`.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

/// The destination of a document that is written in pieces: standard output, or a file that only its owner can read.
struct Output {
    private let descriptor: Int32
    private var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Calls `body` with the output. When `body` returns, the file is complete. When it throws, an existing file is
    /// unchanged.
    static func write<Value>(to file: String?, _ body: (Output) async throws -> Value) async throws -> Value {
        guard let file else {
            let value = try await body(Output(descriptor: STDOUT_FILENO))
            try Output(descriptor: STDOUT_FILENO).write(Array("\n".utf8))
            return value
        }
        let partial = "\(file).partial"
        unlink(partial)
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandError("\(file) can't be written: \(String(cString: strerror(errno)))")
        }
        do {
            let value = try await body(Output(descriptor: descriptor))
            guard fsync(descriptor) == 0, close(descriptor) == 0, rename(partial, file) == 0 else {
                throw CommandError("\(file) can't be written: \(String(cString: strerror(errno)))")
            }
            return value
        } catch {
            close(descriptor)
            unlink(partial)
            throw error
        }
    }

    /// Replaces a file by a text. The new file has the owner, the group and the permissions of the former one.
    /// - Returns: whether there was no such file. Then only its owner can read it.
    static func replace(_ file: String, with text: String) async throws -> Bool {
        let former = FileStatus(file)
        try await write(to: file) { try $0.write(Array(text.utf8)) }
        guard let former, former.isRegular else { return true }
        former.give(to: file)
        return false
    }

    /// - Parameter isJSON: otherwise text. It decides how a terminal is protected from what others wrote; a file and
    ///   another program get the bytes.
    func write(_ bytes: [UInt8], isJSON: Bool = true) throws {
        guard isTerminal else { return try write(bytes: bytes) }
        let text = String(decoding: bytes, as: UTF8.self)
        try write(bytes: Array((isJSON ? text.printableJSON : text.printable).utf8))
    }

    private func write(bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0) }
            guard count > 0 else { throw CommandError("can't write: \(String(cString: strerror(errno)))") }
            rest.removeFirst(count)
        }
    }
}

private func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
