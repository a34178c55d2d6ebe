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

/// What `serve` may do. Started by root, it keeps root's rights until it listens, for ports below 1024 and for a
/// certificate's key, and gives them up before it handles a request.
struct Rights {
    /// Whom the process becomes; nil: it isn't root.
    private let user: ServerUser?
    private let logger: Logger

    /// To be made before anything is started.
    /// - Parameter dataDirectory: of a PostgreSQL of its own; nil when there is none.
    init(dataDirectory: String?, logger: Logger) throws {
        user = try ServerUser.unprivileged(dataDirectory: dataDirectory)
        self.logger = logger
        user?.takeHome()
    }

    /// Reads the certificate and its key when this process may not any more; nil: it may.
    func tlsReader(for files: TLSFiles?) async -> TLSReader? {
        guard user != nil, let files else { return nil }
        let root = await RootFiles(files.certificate, files.key)
        return { (files: TLSFiles) async throws(TLSFilesError) in
            let (certificate, key) = await root.read()
            guard let certificate else { throw .unreadable(files.certificate, "it is not there, or can't be read") }
            guard let key else { throw .unreadable(files.key, "it is not there, or can't be read") }
            return TLSMaterial(files: files, certificate: certificate, key: key)
        }
    }

    /// Ends the process when it fails: it must not serve as root, nor without its database.
    func giveUp(reaching database: PostgresConfiguration) async {
        guard let user else { return }
        do {
            try await user.become()
        } catch {
            logger.critical("\(error)")
            exit(1)
        }
        logger.notice("serves as an unprivileged user", metadata: ["user": "\(user.name)"])
        do {
            // Later connections are made as the user that it is now.
            _ = try await Connection.connect(database)
        } catch {
            logger.critical(
                "the database lets root in, and not the user that the service becomes",
                metadata: ["user": "\(user.name)", "error": "\(error)"])
            exit(1)
        }
    }
}
