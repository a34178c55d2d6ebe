import ArgumentParser
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#endif

/// Opens streams and leaves them open, so that somebody can look at the service's memory.
struct Idle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open event streams, say so, and keep them until standard input ends.",
        discussion: """
            Example:
              population idle --port 8080 --streams 10000
            """)

    @OptionGroup var service: ServiceOptions

    @Option(help: "Streams to open.")
    var streams = 1_000

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let began = ContinuousClock.now
        let readers = try await Readers(of: streams, service, on: group) { _, _ in }
        say(readers, "seconds", (ContinuousClock.now - began) / .seconds(1))
        while readLine() != nil {}
        say(readers, "lost", Double(readers.streams.count { !$0.isOpen }))
    }

    private func say(_ readers: Readers, _ name: String, _ value: Double) {
        print(#"{"open":\#(readers.streams.count { $0.isOpen }),"\#(name)":\#(value)}"#)
        fflush(nil)
    }
}
