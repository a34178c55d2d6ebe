import FoundationEssentials
package import Logging
import TrolleyJournal

/// Writes each log line as one JSON document, for log collectors: `time`, `level`, `message`, and the metadata by name.
package struct JSONLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level = .info
    package var metadataProvider: Logger.MetadataProvider?
    private let write: @Sendable (String) -> Void

    /// - Parameter write: called with each line, including its line feed.
    package init(write: @escaping @Sendable (String) -> Void) { self.write = write }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields = (metadataProvider?.get() ?? [:]).merging(metadata) { $1 }
        fields.merge(event.metadata ?? [:]) { $1 }
        var line: [String: String] = fields.mapValues { "\($0)" }
        line["error"] = event.error.map { "\($0)" } ?? line["error"]
        line["time"] = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)).description
        line["level"] = event.level.rawValue
        line["message"] = "\(event.message)"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(line) else { return }
        write(String(decoding: json, as: UTF8.self) + "\n")
    }
}
