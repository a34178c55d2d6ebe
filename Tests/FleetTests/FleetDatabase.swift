import TrolleyPostgres
import TrolleyTestSupport

/// The database of some runs, one after the other: the service on it, and copies to restore.
final class FleetDatabase {
    let url: String
    private(set) var service: FleetService
    private var number = 0

    init(url: String) async throws {
        self.url = url
        service = try await FleetService(url: url)
    }

    /// A number for names that no other run uses.
    func nextNumber() -> Int {
        number += 1
        return number
    }

    func close() async { await service.close() }

    /// Copies the database.
    /// - Returns: the name of the copy.
    func save() async throws -> String {
        let copy = "\(name)_\(nextNumber())"
        try await whileClosed { try await self.administer("CREATE DATABASE \(copy) TEMPLATE \(self.name)") }
        return copy
    }

    /// Replaces the database with a copy.
    func restore(_ copy: String) async throws {
        try await whileClosed {
            try await self.administer("DROP DATABASE \(self.name) WITH (FORCE)")
            try await self.administer("ALTER DATABASE \(copy) RENAME TO \(self.name)")
        }
    }

    func forget(_ copy: String) async throws { try await administer("DROP DATABASE IF EXISTS \(copy) WITH (FORCE)") }

    /// Runs `body` while another connection is in a transaction that has executed this.
    func during(_ sql: String, _ body: () async throws -> Void) async throws {
        let pool = Pool(try .patient(url))
        do {
            try await pool.withTransaction { connection in
                _ = try await connection.execute("\(unescaped: sql)")
                try await body()
            }
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    func execute(_ sql: String) async throws { try await during(sql) {} }

    private func whileClosed(_ body: () async throws -> Void) async throws {
        await service.close()
        do {
            try await body()
        } catch {
            service = try await FleetService(url: url)
            throw error
        }
        service = try await FleetService(url: url)
    }

    private func administer(_ sql: String) async throws {
        let pool = Pool(try .patient(url.replacing("/\(name)", with: "/postgres")))
        do {
            try await pool.withConnection { connection in _ = try await connection.execute("\(unescaped: sql)") }
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    private var name: String { String(url.split(separator: "/").last?.prefix { $0 != "?" } ?? "") }
}
