// The only file of the command line that depends on the C library, and that writes to the terminal.

import Synchronization
import TrolleyJournal
import TrolleyWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Standard input, output and error, which may be a terminal.
struct Terminal {
    /// Whether standard output is a terminal with cursor control.
    let isTerminal = isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb"
    /// Whether standard output shows colours (https://no-color.org).
    var showsColours =
        isatty(STDOUT_FILENO) == 1 && environment("TERM") != "dumb" && (environment("NO_COLOR") ?? "").isEmpty
    /// Whether a person can be asked.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
    /// Whether standard error can show a progress bar.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" }

    /// Whether the reader of standard output's pipe has gone: `trolley watch | head -1`.
    static var hasLostReader: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// Columns and rows of the terminal; by default 80 × 24.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            return (Int(size.ws_col), Int(size.ws_row))
        }
        return (environment("COLUMNS").flatMap { Int($0) } ?? 80, environment("LINES").flatMap { Int($0) } ?? 24)
    }

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Printed text that is not written yet: a command's lines are one write. It is written before anything else is written or
    /// asked, when a wait begins, and at the end.
    private static let printed = Mutex("")
    private static let mostPrinted = 1 << 16

    /// Prints text with its line breaks and the styles of this type. Nothing else in it can steer the terminal.
    static func print(_ text: String) {
        let isMuch = printed.withLock { printed in
            printed += rendered(text) + "\n"
            return printed.utf8.count > mostPrinted
        }
        if isMuch { flush() }
    }

    /// Writes what was printed.
    static func flush() { write("", to: STDOUT_FILENO) }

    /// Prints a JSON document. Its value is unchanged.
    static func print(json: [UInt8]) {
        write(String(decoding: json, as: UTF8.self).printableJSON + "\n", to: STDOUT_FILENO)
    }

    /// Writes a document for another program byte by byte, and to a terminal as ``print(_:)`` does.
    static func write(document: String) {
        write(isatty(STDOUT_FILENO) == 1 ? document.printable : document, to: STDOUT_FILENO)
    }

    static func warn(_ text: String) { write(rendered(text) + "\n", to: STDERR_FILENO) }

    /// Writes control sequences of our own to standard output, and between them lines of text like ``print(_:)``.
    static func draw(
        _ before: StaticString, _ lines: [String] = [], each: StaticString = "", _ after: StaticString = ""
    ) {
        let text = lines.map { rendered($0) + "\(each)" }.joined(separator: "\r\n")
        write("\(before)\(text)\(after)", to: STDOUT_FILENO)
    }

    /// Writes text to standard error, behind control sequences of our own.
    static func hint(_ before: StaticString = "", _ text: String = "") {
        write("\(before)\(text.printable)", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: CInt) {
        printed.withLock { printed in
            if !printed.isEmpty { writeNow(printed, to: STDOUT_FILENO) }
            printed = ""
            writeNow(text, to: descriptor)
        }
    }

    private static func writeNow(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }

    /// Reads all of standard input.
    static func readInput() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = receive(STDIN_FILENO, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
        }
    }

    /// Asks for a line without echo. Returns nil without a terminal.
    static func ask(_ question: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        hint("", question)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            warn("")
        }
        return readLine()
    }

    /// Asks a yes-or-no question; the default answer is no.
    static func confirm(_ question: String) -> Bool {
        hint("", question + localized(" [y/N] ", de: " [j/N] "))
        return ["y", "yes", localized("y", de: "j"), localized("yes", de: "ja")].contains(
            readLine()?.trimmed.lowercased())
    }

    /// Reads keys one by one and without echo, until ``leaveKeyMode(_:)``.
    /// - Returns: the terminal's previous settings; nil without a terminal.
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

    /// The bytes typed on standard input; empty at its end.
    static func typed() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = receive(STDIN_FILENO, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, count)))
    }

    /// The signals that ask a program to end.
    static let stopSignals = [SIGINT, SIGTERM, SIGHUP]
    static let resizeSignal = SIGWINCH
    /// The signal that would suspend the program and leave its screen behind.
    static let pauseSignal = SIGTSTP

    /// Ignores a signal's default action, so that a dispatch source can handle it.
    static func ignore(_ number: CInt) { signal(number, SIG_IGN) }

    /// The year, month, day, hour and minute in the local time zone (`TZ`).
    static func localTime(_ seconds: Int64) -> [Int] {
        var time = time_t(seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        return [
            Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday), Int(parts.tm_hour), Int(parts.tm_min),
        ]
    }

    /// The time, in seconds since 1970, of this local date and time. A day beyond its month's end falls into the next month.
    static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int) -> Int64 {
        var parts = tm()
        parts.tm_year = CInt(year - 1900)
        parts.tm_mon = CInt(month - 1)
        parts.tm_mday = CInt(day)
        parts.tm_hour = CInt(hour)
        parts.tm_min = CInt(minute)
        parts.tm_isdst = -1
        return Int64(mktime(&parts))
    }

    /// This machine's name.
    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return localized("a computer", de: "einem Rechner") }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Struck through (ECMA-48, SGR 9), where the terminal shows colours.
    func struck(_ text: String) -> String { styled(text, "2;9") }

    func dim(_ text: String) -> String { styled(text, "2") }
    func bold(_ text: String) -> String { styled(text, "1") }
    func green(_ text: String) -> String { styled(text, "32") }
    func yellow(_ text: String) -> String { styled(text, "33") }

    // MARK: Styles

    /// Begins and ends a style in a text: ESC, a number that only this run of the program knows, the style, ESC. So no
    /// text of another person's can have one. ``rendered(_:)`` replaces it by the terminal's own sequence.
    private static let mark = "\u{1B}\(UInt64.random(in: 0...UInt64.max));"

    private func styled(_ text: String, _ style: String) -> String {
        let text = text.inOneLine
        return showsColours ? "\(Self.mark)\(style)\u{1B}\(text)\(Self.mark)0\u{1B}" : text
    }

    /// The text as the terminal gets it.
    static func rendered(_ text: String) -> String {
        guard text.steersTerminal else { return text }
        let parts = text.split(separator: mark, omittingEmptySubsequences: false)
        return (parts.first.map { String($0).printable } ?? "")
            + parts.dropFirst().map { part in
                let style = part.prefix { $0 != "\u{1B}" }
                return "\u{1B}[\(style)m" + String(part.dropFirst(style.count + 1)).printable
            }.joined()
    }
}

private func send(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func receive(_ descriptor: CInt, _ bytes: inout [UInt8], _ count: Int) -> Int {
    read(descriptor, &bytes, count)
}
