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
    /// Whether standard output is a terminal that can do more than print: colours are another matter.
    let isTerminal = isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb"
    /// Whether standard output shows colours (https://no-color.org).
    let showsColours =
        isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb" && (environment("NO_COLOR") ?? "").isEmpty
    /// Whether somebody is there to be asked.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
    /// Whether a bar on standard error would be seen.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" }

    /// Whether whoever read standard output, through a pipe, has gone: `trolley watch | head -1`.
    static var isUnread: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// Columns and rows of the terminal; 80 × 24 where nobody says.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            return (Int(size.ws_col), Int(size.ws_row))
        }
        return (environment("COLUMNS").flatMap { Int($0) } ?? 80, environment("LINES").flatMap { Int($0) } ?? 24)
    }

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    static func warn(_ text: String) { write(text.printable + "\n", to: STDERR_FILENO) }

    /// Text as it is, to standard output: for what draws.
    static func draw(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Text as it is, to standard error.
    static func hint(_ text: String) { write(text, to: STDERR_FILENO) }

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

    /// Takes keys one by one and unseen, until ``leaveKeyMode(_:)``.
    /// - Returns: how the terminal was; nil without one.
    static func enterKeyMode() -> termios? {
        var before = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var keys = before
        keys.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &keys)
        return before
    }

    static func leaveKeyMode(_ before: termios) {
        var before = before
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
    }

    /// What of standard input has been typed; empty at its end.
    static func typed() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = receive(STDIN_FILENO, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// What asks a program to end.
    static let stopSignals = [SIGINT, SIGTERM, SIGHUP]
    static let resizeSignal = SIGWINCH
    /// What a drawn screen must not be left by: it would stay as it is.
    static let pauseSignal = SIGTSTP

    /// Leaves a signal to whoever listens for it by other means.
    static func ignore(_ number: CInt) { signal(number, SIG_IGN) }

    /// The year, month, day, hour and minute in the person's time zone (`TZ`).
    static func localTime(_ seconds: Int64) -> [Int] {
        var time = time_t(seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        return [
            Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday), Int(parts.tm_hour), Int(parts.tm_min),
        ]
    }

    /// What this machine is called.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "a computer" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func dim(_ text: String) -> String { showsColours ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
    func bold(_ text: String) -> String { showsColours ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
    func green(_ text: String) -> String { showsColours ? "\u{1B}[32m\(text)\u{1B}[0m" : text }
    func yellow(_ text: String) -> String { showsColours ? "\u{1B}[33m\(text)\u{1B}[0m" : text }
}

private func send(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func receive(_ descriptor: CInt, _ bytes: inout [UInt8], _ count: Int) -> Int {
    read(descriptor, &bytes, count)
}
