import Dispatch

/// The whole terminal, for as long as the value lives in ``with(_:)``: another screen than the one that was there, which
/// comes back in the end, however that comes.
struct Screen {
    enum Event: Hashable, Sendable {
        case key(Character)
        case resized
        /// Somebody wants the program to end.
        case stop
    }

    /// What happens on it; for one reader.
    let events: AsyncStream<Event>

    /// Takes the terminal over while `body` runs.
    /// - Returns: nil, without running `body`, when there is no terminal to take keys from.
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

    /// Shows these lines, and nothing else.
    func show(_ lines: [String]) {
        // Line by line over what is there, so that nothing flickers.
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        Terminal.draw("\u{1B}[H" + text + "\u{1B}[J")
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

    /// The keys in what was typed; the arrows up and down are k and j, other sequences nothing.
    static func keys(in typed: [UInt8]) -> [Character] {
        let text = String(decoding: typed, as: UTF8.self)
        guard text.hasPrefix("\u{1B}") else { return Array(text) }
        if text.hasSuffix("A") { return ["k"] }
        return text.hasSuffix("B") ? ["j"] : []
    }
}
