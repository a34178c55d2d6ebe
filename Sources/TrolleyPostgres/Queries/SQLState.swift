/// A five-character error code of the SQL standard and PostgreSQL (documentation, appendix A).
public struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The first two characters: the class of the code.
    public var errorClass: String { String(rawValue.prefix(2)) }

    public var description: String { rawValue }

    /// Whether the condition is temporary: a lost race, or a resource that the server lacks at the moment.
    public var isTransient: Bool {
        switch errorClass {
        // No connection (also between the nodes of a distributed database); no memory, disk or connections; an operator
        // stops the server or a statement; a system error.
        case "08", "53", "57", "58": true
        default:
            switch self {
            case .serializationFailure, .deadlockDetected, .lockNotAvailable, .readOnlyTransaction: true
            default: false
            }
        }
    }

    public static let uniqueViolation = SQLState(rawValue: "23505")
    public static let foreignKeyViolation = SQLState(rawValue: "23503")
    public static let notNullViolation = SQLState(rawValue: "23502")
    public static let checkViolation = SQLState(rawValue: "23514")
    public static let serializationFailure = SQLState(rawValue: "40001")
    public static let deadlockDetected = SQLState(rawValue: "40P01")
    public static let lockNotAvailable = SQLState(rawValue: "55P03")
    public static let queryCanceled = SQLState(rawValue: "57014")
    public static let adminShutdown = SQLState(rawValue: "57P01")
    public static let crashShutdown = SQLState(rawValue: "57P02")
    public static let cannotConnectNow = SQLState(rawValue: "57P03")
    public static let databaseDropped = SQLState(rawValue: "57P04")
    public static let tooManyConnections = SQLState(rawValue: "53300")
    public static let diskFull = SQLState(rawValue: "53100")
    public static let readOnlyTransaction = SQLState(rawValue: "25006")
    public static let inFailedTransaction = SQLState(rawValue: "25P02")
    public static let undefinedTable = SQLState(rawValue: "42P01")
    public static let undefinedColumn = SQLState(rawValue: "42703")
    public static let syntaxError = SQLState(rawValue: "42601")
    public static let invalidCatalogName = SQLState(rawValue: "3D000")
    /// Also returned for a prepared statement whose result columns a migration has changed, until it is prepared again.
    public static let featureNotSupported = SQLState(rawValue: "0A000")
    public static let invalidStatementName = SQLState(rawValue: "26000")
    public static let internalError = SQLState(rawValue: "XX000")
}
