package import Logging

/// The log level, and levels of single parts: `info`, or `info,events=debug,limits=trace`.
package struct LogLevels: Hashable, Sendable, LosslessStringConvertible {
    /// A part of the service with its own log level.
    package enum Part: String, CaseIterable, Hashable, Sendable {
        case http, limits, events, compression, identity
    }

    package var standard: Logger.Level
    package var parts: [Part: Logger.Level]

    package init(_ standard: Logger.Level = .info, parts: [Part: Logger.Level] = [:]) {
        self.standard = standard
        self.parts = parts
    }

    package init?(_ description: String) {
        self.init()
        for element in description.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = element.split(separator: "=", omittingEmptySubsequences: false)
            guard (1...2).contains(pair.count), let level = Logger.Level(rawValue: String(pair[pair.count - 1])) else {
                return nil
            }
            if pair.count == 1 {
                standard = level
            } else {
                guard let part = Part(rawValue: String(pair[0])) else { return nil }
                parts[part] = level
            }
        }
    }

    package var description: String {
        ([standard.rawValue] + parts.map { "\($0.key.rawValue)=\($0.value.rawValue)" }.sorted())
            .joined(separator: ",")
    }
}

extension Logger {
    /// The logger of one part: its lines contain the part's name, and it may have its own level.
    func part(_ part: LogLevels.Part, _ levels: LogLevels?) -> Logger {
        var logger = self
        logger[metadataKey: "part"] = "\(part.rawValue)"
        if let level = levels?.parts[part] { logger.logLevel = level }
        return logger
    }
}
