#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A user of this machine, such as the one that runs PostgreSQL, which refuses to run as root.
package struct ServerUser: Sendable, Hashable {
    package let name: String
    let id: uid_t
    let group: gid_t
    /// The user's home directory; nil for this process's own user.
    var home: String?
    /// True when this process is root, and the server must run as another user.
    let isOther: Bool

    /// This process's own user. For root: the first of the owners of existing data that this machine knows and that
    /// isn't root, otherwise `postgres`, otherwise `nobody`.
    static func choose(owners: [uid_t]) throws(ClusterError) -> ServerUser {
        if geteuid() != 0 {
            return ServerUser(name: "\(geteuid())", id: geteuid(), group: getegid(), isOther: false)
        }
        for owner in owners where owner != 0 {
            if let entry = getpwuid(owner) { return ServerUser(entry.pointee) }
        }
        for name in ["postgres", "nobody"] {
            if let entry = getpwnam(name), entry.pointee.pw_uid != 0 { return ServerUser(entry.pointee) }
        }
        throw .noUnprivilegedUser
    }

    /// Nil when this machine knows no such user.
    /// - Parameter name: a name, or a number as systemd takes it.
    package init?(named name: String) {
        if let entry = getpwnam(name) {
            self.init(entry.pointee)
        } else if let id = uid_t(name), let entry = getpwuid(id) {
            self.init(entry.pointee)
        } else {
            return nil
        }
    }

    /// Whether it is root, which may do everything.
    package var isRoot: Bool { id == 0 }

    private init(_ entry: passwd) {
        self.init(name: String(cString: entry.pw_name), id: entry.pw_uid, group: entry.pw_gid, isOther: true)
        home = String(cString: entry.pw_dir)
    }

    private init(name: String, id: uid_t, group: gid_t, isOther: Bool) {
        self.name = name
        self.id = id
        self.group = group
        self.isOther = isOther
    }
}
