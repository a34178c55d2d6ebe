/// A PostgreSQL type: its object identifier and that of its array type.
///
/// PostgreSQL fixes the numbers (`pg_type.dat`).
package struct PostgresType: Hashable, Sendable {
    package let oid: UInt32
    /// 0 when there is no array type.
    package let arrayOID: UInt32

    package init(oid: UInt32, arrayOID: UInt32 = 0) {
        self.oid = oid
        self.arrayOID = arrayOID
    }

    /// The array type of this type.
    package var array: PostgresType { PostgresType(oid: arrayOID) }

    /// The server infers the type from the context of the bind.
    package static let unspecified = PostgresType(oid: 0)
    package static let bool = PostgresType(oid: 16, arrayOID: 1000)
    package static let bytea = PostgresType(oid: 17, arrayOID: 1001)
    package static let char = PostgresType(oid: 18, arrayOID: 1002)
    package static let name = PostgresType(oid: 19, arrayOID: 1003)
    package static let int8 = PostgresType(oid: 20, arrayOID: 1016)
    package static let int2 = PostgresType(oid: 21, arrayOID: 1005)
    package static let int4 = PostgresType(oid: 23, arrayOID: 1007)
    package static let text = PostgresType(oid: 25, arrayOID: 1009)
    package static let oid = PostgresType(oid: 26, arrayOID: 1028)
    package static let json = PostgresType(oid: 114, arrayOID: 199)
    package static let float4 = PostgresType(oid: 700, arrayOID: 1021)
    package static let float8 = PostgresType(oid: 701, arrayOID: 1022)
    package static let unknown = PostgresType(oid: 705)
    package static let varchar = PostgresType(oid: 1043, arrayOID: 1015)
    package static let timestamp = PostgresType(oid: 1114, arrayOID: 1115)
    package static let timestamptz = PostgresType(oid: 1184, arrayOID: 1185)
    package static let uuid = PostgresType(oid: 2950, arrayOID: 2951)
    package static let jsonb = PostgresType(oid: 3802, arrayOID: 3807)
}

/// The wire format of a value.
package enum PostgresFormat: Int32, Hashable, Sendable {
    case text = 0
    case binary = 1
}
