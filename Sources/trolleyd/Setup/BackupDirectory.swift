import ArgumentParser
import FoundationEssentials
import TrolleyCluster

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The directory for the backup before an upgrade, which the service must be able to write.
struct BackupDirectory {
    let path: String

    /// The system's own directories. A drop-in for one of them would open what is below it, too.
    private static let shared: Set = [
        "/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/media", "/mnt", "/opt", "/proc", "/root", "/run",
        "/sbin", "/srv", "/sys", "/tmp", "/usr", "/usr/local", "/var", "/var/backups", "/var/lib", "/var/log",
    ]

    /// - Parameters:
    ///   - text: a path from the root.
    ///   - unit: the service's; nil: systemd doesn't restrict it.
    /// - Throws: `ValidationError` when it can't be the directory, with what to do.
    init(_ text: String, for unit: ServiceUnit?) throws {
        let parts = text.split(separator: "/")
        guard text.hasPrefix("/"), !parts.contains(".."), !parts.contains("."), !text.contains(where: \.isNewline)
        else {
            throw ValidationError("'\(text)' is not a path from the root, like /var/backups/trolley.")
        }
        path = "/" + parts.joined(separator: "/")
        guard let unit else { return }
        guard !Self.shared.contains(path) else {
            throw ValidationError(
                """
                \(path) is one of the system's own directories. Choose one that is for the backups alone, such as \
                /var/backups/trolley.
                """)
        }
        if case .hidden(let setting) = unit.access(to: path) {
            throw ValidationError(
                """
                The service can't reach \(path), because its unit sets \(setting). Choose another directory, such as \
                /var/backups/trolley.
                """)
        }
    }

    /// Makes the directory if it isn't there, for the service's user: systemd lets the service write only what exists when
    /// it starts.
    /// - Parameter unit: the service's.
    /// - Returns: what keeps the service from writing there, with what to do; nil: nothing that is known.
    /// - Throws: `CommandError` when it can't be made.
    func make(for unit: ServiceUnit) throws -> String? {
        let user = unit.user.flatMap { ServerUser(named: $0) }
        let unknown = user == nil ? unit.user.map { Self.hint(about: $0, path) } : nil
        if let status = FileStatus(path, followingLinks: true) {
            guard status.isDirectory else {
                throw CommandError("\(path) is not a directory; nothing was changed.")
            }
            guard let user, !user.isRoot, !status.canBeWritten(by: user) else { return unknown }
            return "The service's user, \(user.name), may not write there: chown \(user.name) '\(path)'"
        }
        guard mkdir(path, 0o700) == 0 else {
            let code = errno
            // The service makes what is missing below a directory of its own.
            if code == ENOENT, unit.access(to: path) == .writable { return nil }
            throw CommandError(
                """
                \(path) can't be made: \(String(cString: strerror(code))). Make it, or mount it, and run setup again; nothing was \
                changed.
                """)
        }
        if geteuid() == 0, let owner = user.flatMap({ getpwnam($0.name) })?.pointee,
            chown(path, owner.pw_uid, owner.pw_gid) != 0
        {
            let reason = String(cString: strerror(errno))
            rmdir(path)
            throw CommandError("\(path) can't be given to the service's user: \(reason); nothing was changed.")
        }
        return unknown
    }

    private static func hint(about user: String, _ path: String) -> String {
        """
        This machine knows no user \(user), which the service's unit names (User=). When there is one: \
        chown \(user) '\(path)'
        """
    }
}

extension ServiceUnit {
    /// Lets the service write to a directory, by a drop-in, or takes back what an earlier drop-in has allowed.
    /// - Parameter directory: nil: none in particular.
    /// - Returns: whether the drop-in has changed, so that systemd must read it.
    /// - Throws: `CommandError` when the drop-in can't be changed.
    func allow(_ directory: BackupDirectory?) async throws -> Bool {
        let text = directory.flatMap { access(to: $0.path) == .readOnly ? Self.dropIn(allowing: $0.path) : nil }
        guard text != (try? String(contentsOfFile: dropIn, encoding: .utf8)) else { return false }
        guard let text else {
            guard unlink(dropIn) == 0 else { throw unwritable() }
            // It stays while it has other drop-ins.
            rmdir(dropIns)
            return true
        }
        if mkdir(dropIns, 0o755) == 0 { chmod(dropIns, 0o755) } else if errno != EEXIST { throw unwritable() }
        try await Output.write(to: dropIn) { try $0.write(Array(text.utf8)) }
        chmod(dropIn, 0o644)
        return true
    }

    private func unwritable() -> CommandError {
        let reason = String(cString: strerror(errno))
        return CommandError(
            "The unit's drop-in \(dropIn) can't be changed: \(reason). No setting was changed. Run setup as root.")
    }

    private static func dropIn(allowing path: String) -> String {
        var quoted = ""
        for character in "-\(path)" {
            if "\\\"".contains(character) { quoted.append("\\") }
            quoted.append(character)
            if character == "%" { quoted.append("%") }
        }
        return """
            # trolleyd setup has written this, for TROLLEY_BACKUP_DIRECTORY.
            [Service]
            ReadWritePaths="\(quoted)"

            """
    }
}
