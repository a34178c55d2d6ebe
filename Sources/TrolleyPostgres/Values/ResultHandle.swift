internal import CLibPQ

/// A `PGresult`. It doesn't change once libpq has returned it, so any thread may read it.
final class ResultHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    var status: Exchange.ResultStatus {
        switch PQresultStatus(pointer) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: .success
        case PGRES_PIPELINE_SYNC: .sync
        case PGRES_PIPELINE_ABORTED: .aborted
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE: .failure
        default: .unsupported
        }
    }

    var rowCount: Int { Int(PQntuples(pointer)) }
    /// The number of bytes that libpq has allocated for the result.
    var memory: Int { Int(PQresultMemorySize(pointer)) }
    var columnCount: Int { Int(PQnfields(pointer)) }
    /// Rows inserted, updated, deleted or selected; 0 for a command that counts nothing.
    var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }
    /// `INSERT 0 1`, `COMMIT` …
    var commandTag: String { String(cString: PQcmdStatus(pointer)) }
    var parameterTypes: [UInt32] { (0..<PQnparams(pointer)).map { PQparamtype(pointer, $0) } }

    func columnName(_ column: Int) -> String { String(cString: PQfname(pointer, Int32(column))) }
    func columnType(_ column: Int) -> UInt32 { PQftype(pointer, Int32(column)) }
    func columnFormat(_ column: Int) -> PostgresFormat {
        PostgresFormat(rawValue: PQfformat(pointer, Int32(column))) ?? .text
    }

    /// Nil for NULL. The bytes are valid as long as this object lives.
    func value(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        let length = Int(PQgetlength(pointer, Int32(row), Int32(column)))
        // The length of NULL is 0, too.
        if length == 0, PQgetisnull(pointer, Int32(row), Int32(column)) == 1 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(pointer, Int32(row), Int32(column)), count: length)
    }

    /// The error of a failed statement.
    var error: PostgresError {
        let state = field(ErrorField.sqlState).map(SQLState.init(rawValue:))
        let message = field(ErrorField.message) ?? String(cString: PQresultErrorMessage(pointer)).trimmedLine
        // Without a SQLSTATE the message comes from libpq itself: the connection broke.
        var error = PostgresError(state == nil ? .connectionLost : .server, message, sqlState: state)
        error.detail = field(ErrorField.detail)
        error.context = field(ErrorField.context)
        error.hint = field(ErrorField.hint)
        error.constraint = field(ErrorField.constraint)
        error.schema = field(ErrorField.schema)
        error.table = field(ErrorField.table)
        error.column = field(ErrorField.column)
        return error
    }

    private func field(_ code: UnicodeScalar) -> String? {
        PQresultErrorField(pointer, Int32(code.value)).map { String(cString: $0) }
    }

    /// PG_DIAG_… of postgres_ext.h.
    private enum ErrorField {
        static let sqlState: UnicodeScalar = "C"
        static let message: UnicodeScalar = "M"
        static let detail: UnicodeScalar = "D"
        static let hint: UnicodeScalar = "H"
        static let context: UnicodeScalar = "W"
        static let schema: UnicodeScalar = "s"
        static let table: UnicodeScalar = "t"
        static let column: UnicodeScalar = "c"
        static let constraint: UnicodeScalar = "n"
    }
}

extension String {
    /// libpq ends its messages with a line feed.
    var trimmedLine: String {
        var text = self[...]
        while text.last?.isNewline == true { text.removeLast() }
        return String(text)
    }
}
