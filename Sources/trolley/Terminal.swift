// The one file of the command line that knows which C library it stands on.
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The terminal, or what stands in its place.
struct Terminal {
    /// Whether standard output is a terminal that shows colours.
    let showsColours = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil

    static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    static func warn(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }

    /// All of standard input.
    static func readInput() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = receive(STDIN_FILENO, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
        }
    }

    /// Asks for a line that isn't shown while it is typed. Without a terminal there is nobody to ask.
    static func ask(_ question: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        write(question, to: STDERR_FILENO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            warn("")
        }
        return readLine()
    }

    /// What this machine is called.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "a computer" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func dim(_ text: String) -> String { showsColours ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
    func bold(_ text: String) -> String { showsColours ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}

private func send(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func receive(_ descriptor: CInt, _ bytes: inout [UInt8], _ count: Int) -> Int {
    read(descriptor, &bytes, count)
}
