import FoundationEssentials
import Logging
import Synchronization
import Testing
import TrolleyPostgres
import TrolleyTestSupport

@testable import TrolleyCluster

#if canImport(Glibc)
    import Glibc
#endif

/// A server that ends again and again.
@Suite(.timeLimit(.minutes(20))) struct SupervisorTests {
    @Test
    func `a server that can't start is tried again for ever, and said so each time, and the directory stays taken`()
        async throws
    {
        try await ClusterDirectory.temporary { directory in
            var configuration = directory.configuration
            configuration.restarts = Restarts(first: .milliseconds(1), longest: .milliseconds(10))
            let log = CountingLog()
            let cluster = try await Cluster.start(configuration, logger: log.logger)
            let control = "\(directory.path)/postgres/global/pg_control"
            try FileManager.default.moveItem(atPath: control, toPath: "\(control).away")
            kill(try #require(directory.postmaster), SIGKILL)
            try await eventually("it has failed more often than anybody would count") {
                log.count(of: "PostgreSQL has stopped and will be restarted") > 6
            }
            await #expect {
                try await directory.start()
            } throws: { error in
                if case .inUse = error as? ClusterError { true } else { false }
            }
            try FileManager.default.moveItem(atPath: "\(control).away", toPath: control)
            try await eventually("the server is back") { (try? await cluster.execute("SELECT 1")) != nil }
            await cluster.stop()
        }
    }

    @Test func `it is started again soon, then ever later, and soon again after it has run for a while`() {
        var restarts = Restarts(first: .seconds(1), longest: .seconds(30), steady: .seconds(10))
        let pauses = (0..<100).map { _ in restarts.pause(after: .zero) }
        #expect(pauses.prefix(6) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30)])
        #expect(pauses.dropFirst(5).allSatisfy { $0 == .seconds(30) })
        #expect(restarts.pause(after: .seconds(10)) == .seconds(1))
    }

    @Test func `a stop is fast, then immediate, then the end, and sooner so while the server recovers`() {
        let shutdown = Shutdown(
            fast: .seconds(15), recovering: .seconds(2), immediate: .seconds(10), last: .seconds(10))
        func steps(_ isRecovering: Bool) -> [Shutdown.Step] {
            [0, 1, 2, 11, 12, 15, 24, 25, 34, 35].map { shutdown.step(after: .seconds($0), isRecovering: isRecovering) }
        }
        let (fast, immediate, end) = (
            Shutdown.Step.signal(SIGINT), Shutdown.Step.signal(SIGQUIT), Shutdown.Step.signal(SIGKILL)
        )
        #expect(
            steps(false) == [fast, fast, fast, fast, fast, immediate, immediate, end, end, .giveUp])
        #expect(
            steps(true) == [fast, fast, immediate, immediate, end, end, .giveUp, .giveUp, .giveUp, .giveUp])
    }

    @Test
    func `a server that hangs in its recovery is stopped all the same, and the next start finds all there was`()
        async throws
    {
        try await ClusterDirectory.temporary { directory in
            let first = try await directory.start()
            try await first.execute("CREATE TABLE thing AS SELECT 7 AS a")
            await first.stop()
            let signal = "\(directory.path)/postgres/recovery.signal"
            let user = try #require(FileStatus("\(directory.path)/postgres/PG_VERSION"))
            try Data().write(to: URL(filePath: signal))
            chown(signal, user.owner, user.group)

            var configuration = directory.configuration
            configuration.settings["restore_command"] = "sleep 600"
            configuration.shutdown.recovering = .milliseconds(200)
            let starting = Task { [configuration] in _ = try await Cluster.start(configuration, logger: .quiet) }
            var hanging: pid_t?
            try await eventually("it recovers") {
                hanging = startup(of: directory.postmaster ?? 0)
                return hanging != nil
            }
            let process = try #require(hanging)
            // This process ignores the signals of a fast shutdown.
            kill(process, SIGSTOP)
            starting.cancel()
            await #expect(throws: ClusterError.self) { try await starting.value }
            #expect(directory.postmaster == nil)
            // What init takes over is a process until init has heard of its end.
            try await eventually("the hanging process has ended") { kill(process, 0) != 0 }

            try FileManager.default.removeItem(atPath: signal)
            let second = try await directory.start()
            #expect(try await second.execute("SELECT a FROM thing")[0].decode(Int.self, at: 0) == 7)
            await second.stop()
        }
    }

    private func startup(of postmaster: pid_t) -> pid_t? {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap(pid_t.init).first { process in
            let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            let title = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
            return stat.split(separator: ")").last?.split(separator: " ").dropFirst().first.map(String.init)
                == "\(postmaster)" && title.contains(": startup")
        }
    }
}

/// Counts log messages.
private final class CountingLog: Sendable {
    private let messages = Mutex<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    func count(of message: String) -> Int { messages.withLock { $0.count { $0 == message } } }

    private struct Handler: LogHandler {
        let log: CountingLog
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log.messages.withLock { $0.append(event.message.description) } }
    }
}
