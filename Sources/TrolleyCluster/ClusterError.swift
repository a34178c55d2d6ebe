/// Why PostgreSQL could not be run. Each description says what to do.
package enum ClusterError: Error, Hashable, Sendable {
    case notInstalled(searched: [String])
    case tooOld(version: Int, path: String)
    /// Another major version than the installed ones wrote the data.
    case otherVersion(data: Int, installed: [Int])
    /// There is no cluster, and the caller doesn't create one.
    case noCluster(String)
    /// Another process uses the data directory.
    case inUse(directory: String, process: Int32?)
    /// The server's user can't enter `ancestor`, so it can't reach the data directory.
    case unreachable(directory: String, user: String, ancestor: String)
    /// The directory belongs to another user.
    case notOwned(path: String, owner: UInt32)
    /// The server's user can't create files in the data directory.
    case notUsable(directory: String, user: String)
    /// The directory is root's, and another user than root could have put it there.
    case notRootsAlone(directory: String, user: String)
    case noUnprivilegedUser
    /// The process is still root.
    case privilegesNotDropped(user: String, reason: String)
    case initializationFailed(output: String)
    /// Server processes of an earlier run don't end.
    case leftoverProcesses([Int32])
    case startFailed(log: String, lastLines: String)
    /// No pg_dump, pg_restore and psql for a server of this version.
    case noBackupPrograms(server: Int, searched: [String])
    case programFailed(String, output: String)
    case file(operation: String, path: String, reason: String)
}

extension ClusterError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notInstalled(let searched):
            """
            No PostgreSQL is installed (looked in \(searched.joined(separator: ", "))). Install version 15 or newer \
            (Debian: apt-get install postgresql), or give the URL of a database.
            """
        case .tooOld(let version, let path):
            "PostgreSQL in \(path) is version \(version), and Trolley needs 15 or newer. Install a newer one."
        case .otherVersion(let data, let installed):
            """
            PostgreSQL \(data) wrote the data, but the installed version is \(installed.map(String.init).joined(separator: ", ")). \
            Install PostgreSQL \(data), or move the data with pg_upgrade.
            """
        case .noCluster(let directory):
            """
            There is no database in \(directory). Start trolleyd serve there, or choose another place with \
            --data-directory or --database-url.
            """
        case .inUse(let directory, let process):
            """
            \(directory) is in use by another service\(process.map { " (process \($0))" } ?? ""). \
            Stop that service, or choose another data directory.
            """
        case .unreachable(let directory, let user, let ancestor):
            """
            PostgreSQL must not run as root, and the user \(user), which would run it, can't enter \(ancestor). \
            Choose another data directory than \(directory), such as /var/lib/trolley.
            """
        case .notOwned(let path, let owner):
            "\(path) belongs to the user with id \(owner). Start as that user or as root, or choose another data directory."
        case .notUsable(let directory, let user):
            """
            PostgreSQL must not run as root, and \(directory) is not the directory of the user \(user), which would run \
            it. Give it to that user (chown \(user) \(directory)), or choose another data directory.
            """
        case .notRootsAlone(let directory, let user):
            """
            \(directory) is root's, but a directory above it can be changed by other users, so one of them could have put it \
            there. If it is meant for this, give it to the user \(user), which runs PostgreSQL (chown \(user) \(directory)); \
            otherwise choose a place such as /var/lib/trolley.
            """
        case .noUnprivilegedUser:
            "PostgreSQL must not run as root, and there is neither a user postgres nor a user nobody. Create one of them."
        case .privilegesNotDropped(let user, let reason):
            "The process can't change from root to the user \(user): \(reason). Start it as another user than root."
        case .initializationFailed(let output):
            "initdb failed: \(output)"
        case .leftoverProcesses(let processes):
            """
            A PostgreSQL of an earlier run (processes \(processes.map(String.init).joined(separator: ", "))) didn't stop. \
            End these processes, then start again.
            """
        case .startFailed(let log, let lastLines):
            "PostgreSQL did not start. The end of \(log):\n\(lastLines)"
        case .noBackupPrograms(let server, let searched):
            """
            There are no pg_dump, pg_restore and psql of version \(server) or newer here (looked in \
            \(searched.joined(separator: ", "))). Install them (Debian: apt-get install postgresql-client-\(server)).
            """
        case .programFailed(let program, let output): "\(program) failed: \(output)"
        case .file(let operation, let path, let reason):
            "Can't \(operation) \(path): \(reason)."
        }
    }
}
