import ArgumentParser
import NIOCore
import NIOPosix
import TrolleyWire

#if canImport(Glibc)
    import Glibc
#endif

/// Opens sockets and leaves them open, so that somebody can look at the service's memory.
struct Sockets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open sockets without a room, say so, and keep them until standard input ends.",
        discussion: """
            Each socket is another account's, and comes from an address of its own on this machine.

            Example:
              population sockets --port 8080 --sockets 10000
            """)

    @Option(help: "The port on this machine that the service listens on.")
    var port: Address

    @Option(help: "Sockets to open.")
    var sockets = 1_000

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let began = ContinuousClock.now
        var open: [WebSocket] = []
        let inParallel = 32
        for start in stride(from: 1, through: sockets, by: inParallel) {
            open += try await withThrowingTaskGroup { tasks in
                for number in start...min(start + inParallel - 1, sockets) {
                    tasks.addTask {
                        try await WebSocket(
                            to: port, from: try Address.source(number),
                            call: HTTPCall(path: Path.socket, authorization: "Bearer \(Fixture.token(2 * number))"),
                            on: group
                        ) { _ in }
                    }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
        }
        say(open, "seconds", (ContinuousClock.now - began) / .seconds(1))
        while readLine() != nil {}
        say(open, "lost", Double(open.count { !$0.isOpen }))
    }

    private func say(_ open: [WebSocket], _ name: String, _ value: Double) {
        print(#"{"open":\#(open.count { $0.isOpen }),"\#(name)":\#(value)}"#)
        fflush(nil)
    }
}
