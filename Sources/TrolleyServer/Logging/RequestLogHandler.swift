import Logging

/// Drops Hummingbird's request id. Hummingbird formats it for every request, although most log nothing, and the service
/// has its own (`TrolleyContext.requestID`).
struct RequestLogHandler: LogHandler {
    private static let unused = "hb.request.id"

    private var base: any LogHandler

    init(_ base: any LogHandler) { self.base = base }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { if key != Self.unused { base[metadataKey: key] = newValue } }
    }

    func log(event: LogEvent) { base.log(event: event) }
}

extension Logger {
    /// The logger that requests' loggers are derived from.
    var ofRequests: Logger { Logger(label: label) { _ in RequestLogHandler(handler) } }
}
