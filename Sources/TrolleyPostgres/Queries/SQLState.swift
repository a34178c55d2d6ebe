/// A five-character error code of the SQL standard and PostgreSQL (documentation, appendix A).
package struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The first two characters: the class of the code.
    package var errorClass: String { String(rawValue.prefix(2)) }

    package var description: String { rawValue }

    /// Whether the condition is temporary: a lost race, or a resource that the server lacks at the moment.
    package var isTransient: Bool {
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

    package static let uniqueViolation = SQLState(rawValue: "23505")
    package static let foreignKeyViolation = SQLState(rawValue: "23503")
    package static let notNullViolation = SQLState(rawValue: "23502")
    package static let checkViolation = SQLState(rawValue: "23514")
    package static let serializationFailure = SQLState(rawValue: "40001")
    package static let deadlockDetected = SQLState(rawValue: "40P01")
    package static let lockNotAvailable = SQLState(rawValue: "55P03")
    package static let queryCanceled = SQLState(rawValue: "57014")
    package static let adminShutdown = SQLState(rawValue: "57P01")
    package static let crashShutdown = SQLState(rawValue: "57P02")
    package static let cannotConnectNow = SQLState(rawValue: "57P03")
    package static let databaseDropped = SQLState(rawValue: "57P04")
    package static let tooManyConnections = SQLState(rawValue: "53300")
    package static let diskFull = SQLState(rawValue: "53100")
    package static let readOnlyTransaction = SQLState(rawValue: "25006")
    package static let inFailedTransaction = SQLState(rawValue: "25P02")
    package static let undefinedTable = SQLState(rawValue: "42P01")
    package static let undefinedColumn = SQLState(rawValue: "42703")
    package static let syntaxError = SQLState(rawValue: "42601")
    package static let invalidCatalogName = SQLState(rawValue: "3D000")
    /// Also returned for a prepared statement whose result columns a migration has changed, until it is prepared again.
    package static let featureNotSupported = SQLState(rawValue: "0A000")
    package static let invalidStatementName = SQLState(rawValue: "26000")
}
