import Logging
import TrolleyCluster
import TrolleyPostgres
import TrolleyServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The rights of `serve`. When root starts it, it stays root until it listens, for ports below 1024 and a certificate's
/// key. It changes to an unprivileged user before it handles a request.
struct Privileges {
    /// The user that the process changes to; nil when it isn't root.
    private let user: ServerUser?
    private let logger: Logger

    /// Call this before anything is started.
    /// - Parameter dataDirectory: the directory of trolleyd's own PostgreSQL; nil when there is none.
    init(dataDirectory: String?, logger: Logger) throws {
        user = try ServerUser.unprivileged(dataDirectory: dataDirectory)
        self.logger = logger
        user?.useOwnHomeDirectory()
    }

    /// Reads files with the rights that the service will have, such as those of the web app, which it shows to everybody.
    func reading(_ body: () throws -> Void) throws {
        if let user { try user.readingFiles(body) } else { try body() }
    }

    /// A reader for the certificate and its key that works after the process has stopped being root; nil when it isn't
    /// needed.
    func tlsReader(for files: TLSFiles?) async -> TLSReader? {
        guard let user, let files else { return nil }
        for file in [files.certificate, files.key] where !PrivilegedFileReader.canRead(file) {
            logger.notice(
                "the certificate's files will be read again without root's rights, because others can change their path",
                metadata: ["file": "\(file)", "user": "\(user.name)"])
            return nil
        }
        let root = await PrivilegedFileReader(files.certificate, files.key)
        return { (files: TLSFiles) async throws(TLSFilesError) in
            let (certificate, key) = await root.read()
            guard let certificate else { throw .unreadable(files.certificate, "it doesn't exist, or can't be read") }
            guard let key else { throw .unreadable(files.key, "it doesn't exist, or can't be read") }
            return TLSMaterial(files: files, certificate: certificate, key: key)
        }
    }

    /// Changes to the unprivileged user. Exits if that fails: the process must not serve as root, or without its
    /// database.
    func drop(reaching database: PostgresConfiguration) async {
        guard let user else { return }
        do {
            try await user.dropPrivileges()
        } catch {
            logger.critical("\(error)")
            exit(1)
        }
        logger.notice("changed to an unprivileged user", metadata: ["user": "\(user.name)"])
        do {
            // Later connections are made as the unprivileged user, so check that it can connect.
            _ = try await Connection.connect(database)
        } catch {
            logger.critical(
                "the database accepts connections by root, but not by the user that the service changes to",
                metadata: ["user": "\(user.name)", "error": "\(error)"])
            exit(1)
        }
    }
}
