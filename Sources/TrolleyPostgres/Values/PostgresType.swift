/// A PostgreSQL type: its object identifier and that of its array type.
///
/// PostgreSQL fixes the numbers (`pg_type.dat`).
public struct PostgresType: Hashable, Sendable {
    public let oid: UInt32
    /// 0 when there is no array type.
    public let arrayOID: UInt32

    public init(oid: UInt32, arrayOID: UInt32 = 0) {
        self.oid = oid
        self.arrayOID = arrayOID
    }

    /// The array type of this type.
    public var array: PostgresType { PostgresType(oid: arrayOID) }

    /// The server infers the type from the context of the bind.
    public static let unspecified = PostgresType(oid: 0)
    public static let bool = PostgresType(oid: 16, arrayOID: 1000)
    public static let bytea = PostgresType(oid: 17, arrayOID: 1001)
    public static let char = PostgresType(oid: 18, arrayOID: 1002)
    public static let name = PostgresType(oid: 19, arrayOID: 1003)
    public static let int8 = PostgresType(oid: 20, arrayOID: 1016)
    public static let int2 = PostgresType(oid: 21, arrayOID: 1005)
    public static let int4 = PostgresType(oid: 23, arrayOID: 1007)
    public static let text = PostgresType(oid: 25, arrayOID: 1009)
    public static let oid = PostgresType(oid: 26, arrayOID: 1028)
    public static let json = PostgresType(oid: 114, arrayOID: 199)
    public static let float4 = PostgresType(oid: 700, arrayOID: 1021)
    public static let float8 = PostgresType(oid: 701, arrayOID: 1022)
    public static let unknown = PostgresType(oid: 705)
    public static let varchar = PostgresType(oid: 1043, arrayOID: 1015)
    public static let timestamp = PostgresType(oid: 1114, arrayOID: 1115)
    public static let timestamptz = PostgresType(oid: 1184, arrayOID: 1185)
    public static let uuid = PostgresType(oid: 2950, arrayOID: 2951)
    public static let jsonb = PostgresType(oid: 3802, arrayOID: 3807)
}

/// The wire format of a value.
public enum PostgresFormat: Int32, Hashable, Sendable {
    case text = 0
    case binary = 1
}
