// Only this file depends on which C library is used.
public import TrolleyJournal
public import TrolleySync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension DeviceTime {
    /// The time on two clocks: the one since the machine started, which continues during sleep, and the wall clock.
    public static func now() -> DeviceTime {
        #if canImport(Darwin)
            let steady = CLOCK_MONOTONIC_RAW
        #else
            let steady = CLOCK_BOOTTIME
        #endif
        return DeviceTime(boot: boot, uptime: milliseconds(of: steady), wall: .now())
    }

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    fileprivate static func wallClock() -> Int64 { milliseconds(of: CLOCK_REALTIME) }

    /// Identifies this run of the machine; empty where the system has no such id.
    private static let boot: String = {
        #if os(Linux)
            let file = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            return String(file?.prefix { !$0.isNewline } ?? "")
        #elseif canImport(Darwin)
            var name = [CChar](repeating: 0, count: 64)
            var size = name.count
            guard sysctlbyname("kern.bootsessionuuid", &name, &size, nil, 0) == 0 else { return "" }
            return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        #else
            return ""
        #endif
    }()
}

enum Platform {
    /// Whether the error means that no process listens at the address.
    static func isRefusal(_ number: CInt) -> Bool { number == ECONNREFUSED }

    /// The operating system and the processor's architecture, for diagnostics.
    static var description: String { "\(ProcessInfo.processInfo.operatingSystemVersionString), \(architecture)" }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "another architecture"
        #endif
    }
}

extension Timestamp {
    /// The wall clock's time.
    public static func now() -> Timestamp { Timestamp(milliseconds: DeviceTime.wallClock()) }
}

/// A lock between processes. It is held as long as this object lives, and released when the process ends.
final class FileLock: Sendable {
    private let descriptor: CInt

    /// - Returns: nil when another process holds the lock.
    init?(path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

/// Files that only their owner can read.
enum PrivateFile {
    /// Creates the directory and its parents. Narrows an existing directory to its owner.
    static func makeDirectory(_ path: String) -> Bool {
        var partial = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            partial += part + "/"
            if !part.isEmpty { mkdir(partial, partial.dropLast() == path ? 0o700 : 0o755) }
        }
        return chmod(path, 0o700) == 0
    }

    /// Writes a new file durably, unless the file exists.
    /// - Returns: whether this call created it.
    static func create(_ path: String, _ bytes: [UInt8]) -> Bool {
        let temporary = path + ".\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let complete = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        defer { unlink(temporary) }
        // Uses a link: it fails where a rename would replace a file that another process has just created.
        return complete && link(temporary, path) == 0
    }

    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = TrolleyClient.read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }
}

private func read(_ descriptor: CInt, _ bytes: inout [UInt8], _ count: Int) -> Int {
    #if canImport(Darwin)
        Darwin.read(descriptor, &bytes, count)
    #elseif canImport(Glibc)
        Glibc.read(descriptor, &bytes, count)
    #else
        Musl.read(descriptor, &bytes, count)
    #endif
}
