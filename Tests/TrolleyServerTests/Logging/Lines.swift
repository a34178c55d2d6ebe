import Logging
import Synchronization

/// All log messages.
final class Lines: Sendable {
    private let all = Mutex("")
    var text: String { all.withLock { $0 } }
    func append(_ line: String) { all.withLock { $0 += line } }

    func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = metadata.merging(event.metadata ?? [:]) { $1 }.map { "\($0.key)=\($0.value)" }
            lines.append("\(event.level) \(event.message) \(fields.sorted().joined(separator: " "))\n")
        }
    }
}
