import FoundationEssentials
import Glibc
import Subprocess
import Testing

/// A disk that a test can fill: a tmpfs in a mount namespace of its own. Only root can create one.
struct SmallDisk {
    /// The disk's path, for programs that run with ``prefix``.
    let path: String
    private let holder: pid_t

    static var isPossible: Bool { geteuid() == 0 && access("/usr/bin/nsenter", X_OK) == 0 }

    /// The same path, for this process.
    var outside: String { "/proc/\(holder)/root\(path)" }

    /// The arguments of `nsenter` that run a program with this disk.
    var prefix: [String] { ["--target", "\(holder)", "--mount", "--"] }

    /// - Parameter mebibytes: the size.
    static func with<Value: Sendable>(
        mebibytes: Int, _ body: (SmallDisk) async throws -> Value
    ) async throws -> Value {
        try await withTemporaryDirectory { path in
            let mount = "mount -t tmpfs -o size=\(mebibytes)m,mode=0755 tmpfs \"$1\" && echo ready && exec sleep 3600"
            let result = try await Subprocess.run(
                .name("unshare"), arguments: ["--mount", "sh", "-c", mount, "sh", path], input: .none,
                output: .sequence, error: .currentStandardError
            ) { execution in
                let holder = pid_t(execution.processIdentifier.value)
                defer { kill(holder, SIGKILL) }
                var lines = execution.standardOutput.strings().makeAsyncIterator()
                let line = try await lines.next()
                #expect(line == "ready")
                return try await body(SmallDisk(path: path, holder: holder))
            }
            return result.takeClosureResult()
        }
    }

    var free: Int {
        var status = statvfs()
        return statvfs(outside, &status) == 0 ? Int(status.f_bavail) * Int(status.f_frsize) : 0
    }

    /// Uses all free space.
    func fill(_ name: String) {
        let descriptor = open("\(outside)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        var size = free
        while size > 0, posix_fallocate(descriptor, 0, off_t(size)) != 0 { size -= 4096 }
        #expect(size > 0)
    }

    func remove(_ name: String) { unlink("\(outside)/\(name)") }
}
