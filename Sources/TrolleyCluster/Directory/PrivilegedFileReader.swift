internal import FoundationEssentials
internal import Subprocess
internal import Synchronization

/// Reads two files that only root may read, such as a certificate and its key, for a process that is no longer root.
/// The process can read them again when they have been replaced.
///
/// A shell stays root for this. It only reads these two files, completely, each time it is asked. It ends with the
/// process that started it.
package final class PrivilegedFileReader: Sendable {
    /// The contents of both files; nil for a file that can't be read.
    package typealias Contents = (first: [UInt8]?, second: [UInt8]?)

    private typealias Request = CheckedContinuation<Contents, Never>

    private let requests: AsyncStream<Request>.Continuation
    private let shell: Task<Void, Never>

    /// Call this while the process is root. Returns when the shell runs.
    /// - Parameters:
    ///   - first: the path of a file.
    ///   - second: the path of another file.
    package init(_ first: String, _ second: String) async {
        let (questions, requests) = AsyncStream.makeStream(of: Request.self)
        self.requests = requests
        let paths = [first, second].map(Self.absolute)
        let (starts, started) = AsyncStream.makeStream(of: Never.self)
        shell = Task {
            await Self.run(paths, questions) { started.finish() }
            started.finish()
        }
        for await _ in starts {}
    }

    deinit { requests.finish() }

    /// Whether root alone decides which file is at a path. Otherwise the reader must not read it: a process that is no
    /// longer root could put a link to any file of root's there, and have it read.
    package static func canRead(_ path: String) -> Bool { RootPath.leadsToRootsFile(absolute(path)) }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }

    /// Reads both files.
    package func read() async -> Contents {
        await withCheckedContinuation { continuation in
            if case .terminated = requests.yield(continuation) { continuation.resume(returning: (nil, nil)) }
        }
    }

    /// Answers each request. After the shell has ended, the answer is nil for both files.
    private static func run(_ paths: [String], _ questions: AsyncStream<Request>, started: () -> Void) async {
        let pending = Mutex<Request?>(nil)
        func answer(_ contents: Contents) {
            let request = pending.withLock { pending in
                defer { pending = nil }
                return pending
            }
            request?.resume(returning: contents)
        }
        do {
            _ = try await Subprocess.run(
                .name("sh"), arguments: Arguments(["-c", script, "trolley-certificate"] + paths),
                platformOptions: .ownSession, input: .inputWriter, output: .sequence, error: .discarded
            ) { execution in
                started()
                var output = execution.standardOutput.makeAsyncIterator()
                var rest: [UInt8] = []
                /// The next line without its line end; nil when the shell has ended.
                func line() async throws -> [UInt8]? {
                    while true {
                        if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                            defer { rest.removeSubrange(...end) }
                            return Array(rest[..<end])
                        }
                        guard let more = try await output.next() else { return nil }
                        more.withUnsafeBytes { rest.append(contentsOf: $0) }
                    }
                }
                for await question in questions {
                    pending.withLock { $0 = question }
                    _ = try await execution.standardInputWriter.write([UInt8(ascii: "\n")])
                    guard let first = try await line(), let second = try await line() else { break }
                    answer((decoded(first), decoded(second)))
                }
            }
        } catch {
            // The shell could not be started or has ended. Requests get nil, and the caller reports the error.
        }
        answer((nil, nil))
        for await question in questions { question.resume(returning: (nil, nil)) }
    }

    private static func decoded(_ line: [UInt8]) -> [UInt8]? {
        guard line.first == UInt8(ascii: "+") else { return nil }
        return Data(base64Encoded: Data(line.dropFirst())).map { Array($0) }
    }

    /// For each input line, prints one line per file: `+` and the bytes in base64, or `-`.
    private static let script = """
        cd /
        while read -r _; do
            for file in "$1" "$2"; do
                if text=$(base64 -w 0 <"$file" 2>/dev/null); then printf '+%s\\n' "$text"; else echo -; fi
            done
        done
        """
}
