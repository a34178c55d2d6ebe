internal import CLibPQ
internal import Glibc

/// A `PGconn`, with one method for each C call. None of them blocks, except `start`, which resolves host names.
///
/// libpq allows only one thread at a time on a connection. The `PostgresSession` actor that owns the handle guarantees this, so
/// `@unchecked Sendable` is safe.
final class Handle: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let notices = Notices()

    private init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        // The default receiver prints to standard error. libpq calls this one from within the calls below.
        let context = Unmanaged.passUnretained(notices).toOpaque()
        _ = PQsetNoticeReceiver(
            pointer,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().note(result)
            }, context)
    }

    deinit {
        PQfinish(pointer)
    }

    // MARK: Connecting

    enum Polling {
        case readable, writable, connected, failed
    }

    /// PQconnectStartParams. A later parameter overrides an earlier one; `dbname` is expanded. Returns nil when memory
    /// runs out.
    static func start(_ parameters: [(keyword: String, value: String)]) -> Handle? {
        let pointer = withCStrings(parameters.map(\.keyword)) { keywords in
            withCStrings(parameters.map(\.value)) { values in
                PQconnectStartParams(keywords, values, 1)
            }
        }
        guard let pointer else { return nil }
        return Handle(pointer)
    }

    /// PQconninfoParse: the settings in a URL or conninfo string. Returns nil when the string is neither.
    static func parse(_ connectionString: String) -> [String: String]? {
        guard let options = PQconninfoParse(connectionString, nil) else { return nil }
        defer { PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return settings
    }

    func connectPoll() -> Polling {
        switch PQconnectPoll(pointer) {
        case PGRES_POLLING_READING: .readable
        case PGRES_POLLING_WRITING: .writable
        case PGRES_POLLING_OK: .connected
        default: .failed
        }
    }

    /// In verbose mode the error text of a refused connection contains the SQLSTATE. libpq offers no other way to get
    /// it.
    func setVerbose(_ isVerbose: Bool) {
        _ = PQsetErrorVerbosity(pointer, isVerbose ? PQERRORS_VERBOSE : PQERRORS_DEFAULT)
    }

    var isBad: Bool { PQstatus(pointer) == CONNECTION_BAD }
    var socket: Int32 { PQsocket(pointer) }
    var isIdle: Bool { PQtransactionStatus(pointer) == PQTRANS_IDLE }
    /// Whether the server has said that it ends the connection, as far as its messages have been read.
    var isEnding: Bool { notices.isEnding }
    var errorMessage: String { String(cString: PQerrorMessage(pointer)) }
    var backendPID: Int32 { PQbackendPID(pointer) }
    var serverVersion: Int32 { PQserverVersion(pointer) }

    func setNonblocking() -> Bool { PQsetnonblocking(pointer, 1) == 0 }
    func enterPipelineMode() -> Bool { PQenterPipelineMode(pointer) == 1 }
    func exitPipelineMode() -> Bool { PQexitPipelineMode(pointer) == 1 }
    func canceller() -> Canceller? { PQgetCancel(pointer).map(Canceller.init) }

    // MARK: Sending

    func sendScript(_ sql: String) -> Bool { PQsendQuery(pointer, sql) == 1 }

    func sendPrepare(name: String, sql: String, types: [UInt32]) -> Bool {
        PQsendPrepare(pointer, name, sql, Int32(types.count), types) == 1
    }

    func sendDescribe(name: String) -> Bool { PQsendDescribePrepared(pointer, name) == 1 }

    func sendQuery(_ sql: String, _ binds: EncodedBinds, resultFormat: PostgresFormat) -> Bool {
        binds.withPointers { values in
            PQsendQueryParams(
                pointer, sql, Int32(binds.count), binds.types, values, binds.lengths, binds.formats,
                resultFormat.rawValue) == 1
        }
    }

    func sendPrepared(name: String, _ binds: EncodedBinds, resultFormat: PostgresFormat) -> Bool {
        binds.withPointers { values in
            PQsendQueryPrepared(
                pointer, name, Int32(binds.count), values, binds.lengths, binds.formats, resultFormat.rawValue) == 1
        }
    }

    func sendSync() -> Bool { PQpipelineSync(pointer) == 1 }

    enum Flush {
        case all, some, failed
    }

    func flush() -> Flush {
        switch PQflush(pointer) {
        case 0: .all
        case 1: .some
        default: .failed
        }
    }

    // MARK: Receiving

    /// Whether nothing has arrived that wasn't read, not even the end of the stream.
    var isQuiet: Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    func consumeInput() -> Bool { PQconsumeInput(pointer) == 1 }
    var isBusy: Bool { PQisBusy(pointer) == 1 }
    func result() -> ResultHandle? { PQgetResult(pointer).map(ResultHandle.init) }

    /// Whether the server stopped waiting for its synchronous standbys since the last call. A commit that succeeded
    /// meanwhile is on the primary only.
    func takeUnreplicated() -> Bool {
        defer { notices.isUnreplicated = false }
        return notices.isUnreplicated
    }

    func notification() -> (channel: String, payload: String)? {
        guard let notify = PQnotifies(pointer) else { return nil }
        defer { PQfreemem(notify) }
        return (String(cString: notify.pointee.relname), String(cString: notify.pointee.extra))
    }
}

/// The server's notices, as far as Trolley uses them.
private final class Notices {
    var isUnreplicated = false
    /// libpq takes the last message of a connection that does nothing for a notice. The end of the stream follows only
    /// when the server process has exited.
    var isEnding = false

    func note(_ result: OpaquePointer) {
        if ["FATAL", "PANIC"].contains(field(Self.severity, of: result)) { isEnding = true }
        // By the function that raised it: the text depends on the server's language.
        if field(Self.sourceFunction, of: result) == "SyncRepWaitForLSN" { isUnreplicated = true }
    }

    private func field(_ code: Int32, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, code).map { String(cString: $0) }
    }

    /// PG_DIAG_SEVERITY_NONLOCALIZED and PG_DIAG_SOURCE_FUNCTION of postgres_ext.h.
    private static let severity = Int32(UInt8(ascii: "V"))
    private static let sourceFunction = Int32(UInt8(ascii: "R"))
}

/// A `PGcancel`. libpq allows any thread to use it, also while the connection is in use.
final class Canceller: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Blocks until the server has signalled the backend. So the cancellation can't hit a later statement.
    func cancel() -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            PQcancel(pointer, buffer.baseAddress, 256) == 1
        }
    }
}

/// Calls `body` with a NULL-terminated array of C strings.
private func withCStrings<R>(_ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R) -> R {
    let utf8 = strings.flatMap { $0.utf8CString }
    return utf8.withUnsafeBufferPointer { bytes in
        var pointers: [UnsafePointer<CChar>?] = []
        var offset = 0
        for string in strings {
            pointers.append(bytes.baseAddress.map { $0 + offset })
            offset += string.utf8.count + 1
        }
        pointers.append(nil)
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
