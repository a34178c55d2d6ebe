import ArgumentParser
import Glibc
import Logging
public import TrolleyServer

/// Log levels and format. Logs go to standard error, because standard output is for results.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The level: trace, debug, info, notice, warning or error; and for single parts: info,events=debug,http=trace. "
                + "Parts: http, limits, events, compression, identity. (default: info)"))
    var logLevel: LogLevels?

    @Option(help: "The format: text or json. (default: text)")
    var logFormat: LogFormat?

    func levels(_ settings: Settings) throws -> LogLevels {
        try settings.value(logLevel, "log.level", default: LogLevels())
    }

    func logger(_ settings: Settings) throws -> Logger {
        let format = try settings.value(logFormat, "log.format", default: .text)
        var logger = Logger(label: "trolleyd") { label in
            switch format {
            case .text: StreamLogHandler.standardError(label: label)
            case .json:
                JSONLogHandler { line in
                    // One call for each line, so that lines of several threads don't mix.
                    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
                }
            }
        }
        logger.logLevel = try levels(settings).standard
        return logger
    }
}

enum LogFormat: String, ExpressibleByArgument, LosslessStringConvertible {
    case text, json

    init?(_ description: String) { self.init(rawValue: description) }
    var description: String { rawValue }
}

extension LogLevels: ExpressibleByArgument {}

extension Logger {
    init(label: String, level: Level) {
        self.init(label: label) { StreamLogHandler.standardError(label: $0) }
        logLevel = level
    }
}
