import Dispatch

/// The whole terminal while ``with(_:)`` runs: the alternate screen. The previous screen is restored at the end, also
/// after an error.
struct Screen {
    enum Event: Hashable, Sendable {
        case key(Character)
        case resized
        /// A request to end the program.
        case stop
    }

    /// The events on the screen. For a single reader.
    let events: AsyncStream<Event>
    /// Takes the lines instead of the terminal.
    var capture: (@Sendable ([String]) -> Void)?

    /// Takes over the terminal while `body` runs.
    /// - Returns: nil, without running `body`, when standard input is not a terminal.
    static func with<Value>(_ body: (Screen) async throws -> Value) async rethrows -> Value? {
        guard let before = Terminal.enterKeyMode() else { return nil }
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        let sources = listen { continuation.yield($0) }
        // The alternate screen, without a cursor (xterm's control sequences 1049 and 25).
        Terminal.draw("\u{1B}[?1049h\u{1B}[?25l")
        defer {
            Terminal.draw("\u{1B}[?25h\u{1B}[?1049l")
            Terminal.leaveKeyMode(before)
            for source in sources { source.cancel() }
        }
        return try await body(Screen(events: events))
    }

    /// Replaces the screen by these lines.
    func show(_ lines: [String]) {
        if let capture { return capture(lines) }
        // Overwrites line by line, so that nothing flickers.
        Terminal.draw("\u{1B}[H", lines, each: "\u{1B}[K", "\u{1B}[J")
    }

    private static func listen(_ tell: @escaping @Sendable (Event) -> Void) -> [any DispatchSourceProtocol] {
        var sources: [any DispatchSourceProtocol] = []
        for number in Terminal.stopSignals + [Terminal.resizeSignal, Terminal.pauseSignal] {
            Terminal.ignore(number)
            if number == Terminal.pauseSignal { continue }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { tell(number == Terminal.resizeSignal ? .resized : .stop) }
            sources.append(source)
        }
        let keys = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .global())
        keys.setEventHandler {
            let typed = Terminal.typed()
            if typed.isEmpty { return tell(.stop) }
            for key in Self.keys(in: typed) { tell(.key(key)) }
        }
        sources.append(keys)
        for source in sources { source.activate() }
        return sources
    }

    /// The keys in the input. The up and down arrows become k and j; other escape sequences are ignored.
    static func keys(in typed: [UInt8]) -> [Character] {
        let text = String(decoding: typed, as: UTF8.self)
        guard text.hasPrefix("\u{1B}") else { return Array(text) }
        if text.hasSuffix("A") { return ["k"] }
        return text.hasSuffix("B") ? ["j"] : []
    }
}
