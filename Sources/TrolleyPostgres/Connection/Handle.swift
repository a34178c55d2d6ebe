internal import CLibPQ

/// A `PGconn`: one method a C call, and none of them waits (but `start`, which looks host names up).
///
/// libpq allows one thread at a time on a connection. That is the isolation of the `Session` that owns the handle,
/// and the reason why this may be unchecked.
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

    /// PQconnectStartParams. A later parameter overrides an earlier one; `dbname` is expanded. Nil: out of memory.
    static func start(_ parameters: [(keyword: String, value: String)]) -> Handle? {
        let pointer = withCStrings(parameters.map(\.keyword)) { keywords in
            withCStrings(parameters.map(\.value)) { values in
                PQconnectStartParams(keywords, values, 1)
            }
        }
        guard let pointer else { return nil }
        return Handle(pointer)
    }

    /// PQconninfoParse: what a URL or conninfo string sets. Nil when it is neither.
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

    /// With this on, the text of a refused connection holds the SQLSTATE, which libpq tells in no other way.
    func setVerbose(_ isVerbose: Bool) {
        _ = PQsetErrorVerbosity(pointer, isVerbose ? PQERRORS_VERBOSE : PQERRORS_DEFAULT)
    }

    var isBad: Bool { PQstatus(pointer) == CONNECTION_BAD }
    var socket: Int32 { PQsocket(pointer) }
    var isIdle: Bool { PQtransactionStatus(pointer) == PQTRANS_IDLE }
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

    func consumeInput() -> Bool { PQconsumeInput(pointer) == 1 }
    var isBusy: Bool { PQisBusy(pointer) == 1 }
    func result() -> ResultHandle? { PQgetResult(pointer).map(ResultHandle.init) }

    /// Whether, since this was last asked, the server stopped waiting for its synchronous standbys: then a commit that
    /// succeeded is on the primary alone.
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

/// What the server says beside its answers, as far as anybody asks.
private final class Notices {
    var isUnreplicated = false

    /// The text of the warning depends on the server's language, the function that it comes from does not.
    func note(_ result: OpaquePointer) {
        guard let function = PQresultErrorField(result, Self.sourceFunction) else { return }
        if String(cString: function) == "SyncRepWaitForLSN" { isUnreplicated = true }
    }

    /// PG_DIAG_SOURCE_FUNCTION of postgres_ext.h.
    private static let sourceFunction = Int32(UInt8(ascii: "R"))
}

/// A `PGcancel`. libpq makes it usable from any thread, beside the connection.
final class Canceller: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Blocks until the server has signalled the backend: after it, the cancellation can't hit a later statement.
    func cancel() -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            PQcancel(pointer, buffer.baseAddress, 256) == 1
        }
    }
}

/// Hands C a NULL-terminated array of strings.
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
