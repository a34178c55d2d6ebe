/// One numbered step of the database's schema. Forward only; once landed its text never changes.
public struct Migration: Hashable, Sendable {
    /// 1, 2, 3 … without gaps.
    public let version: Int
    public let name: String
    public let sql: String
}

/// The steps, in order: the `NNNN-name.sql` files beside this one, as they were when the binary was built.
public enum Migrations {
    public static let all = [
        Migration(version: 1, name: "initial", bytes: PackageResources._001_initial_sql),
        Migration(version: 2, name: "compression", bytes: PackageResources._002_compression_sql),
    ]
}

extension Migration {
    fileprivate init(version: Int, name: String, bytes: [UInt8]) {
        self.init(version: version, name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
