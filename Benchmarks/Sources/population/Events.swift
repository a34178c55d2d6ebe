import ArgumentParser
import NIOCore
import NIOPosix
import Synchronization

/// How long a change takes from the writer's request to the reader's stream.
struct Events: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Upload to lists at a steady rate while their readers listen, and say how soon they are told.",
        discussion: """
            Example:
              population events --port 8080 --streams 1000 --rate 1000 --seconds 10
            """)

    @OptionGroup var service: ServiceOptions

    @Option(help: "Lists, each with a stream of its reader's.")
    var streams = 1

    @Option(help: "Uploads a second, over all lists.")
    var rate = 50

    @Option(help: "How long to upload.")
    var seconds = 5

    @Option(help: "Uploads under way at once at the most; a list never has two.")
    var writers = 64

    @Option(help: "Where the readers listen, if not at the writers' process.")
    var readerPort: Address?

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let board = ArrivalBoard(lists: streams)
        let dialect = service.spoken
        var listening = service
        listening.port = readerPort ?? service.port
        let readers = try await Readers(of: streams, listening, on: group) { list, event in
            if let place = dialect.place(in: event) { board.arrived(list, through: place) }
        }
        let places = try await beginnings(on: group)
        let writers = min(writers, streams)
        let began = ContinuousClock.now
        try await withThrowingTaskGroup { tasks in
            for writer in 0..<writers {
                tasks.addTask {
                    try await write(
                        as: writer, of: writers, from: began, places: places, board: board,
                        connection: try await HTTPConnection(to: service.port, on: group))
                }
            }
            try await tasks.waitForAll()
        }
        let took = ContinuousClock.now - began
        for _ in 0..<100 where board.untold > 0 { try await Task.sleep(for: .milliseconds(100)) }
        let lost = readers.streams.count { !$0.isOpen }
        let sent = board.sent
        print(
            """
            {"streams":\(streams),"lostStreams":\(lost),"sent":\(sent),"untold":\(board.untold),\
            "rate":\(Double(sent) / (took / .seconds(1))),"arrival":\(board.arrivals.json)}
            """)
        for stream in readers.streams { await stream.close() }
    }

    /// The newest place of each list. Where the service gives places, the first upload tells, and is not counted.
    private func beginnings(on group: any EventLoopGroup) async throws -> [Int] {
        let dialect = service.spoken
        guard dialect.givesPlaces else { return Array(repeating: 0, count: streams) }
        let connection = try await HTTPConnection(to: service.port, on: group)
        var places: [Int] = []
        for list in 1...streams {
            let call = dialect.upload(to: list, place: 1)
            let answer = try await connection.success(call)
            guard let place = dialect.place(in: answer) else { throw UnexpectedAnswer(answer, to: call) }
            places.append(place)
        }
        await connection.close()
        return places
    }

    /// Sends this writer's share: uploads are due one after another, each writer's to lists of its own. A service that can't
    /// keep up gets as long again, then the rest is left out.
    private func write(
        as writer: Int, of writers: Int, from began: ContinuousClock.Instant, places: [Int], board: ArrivalBoard,
        connection: HTTPConnection
    ) async throws {
        var places = places
        let lists = Array(stride(from: writer + 1, through: streams, by: writers))
        let dialect = service.spoken
        for turn in 0... {
            let due = began + .seconds(1) * (Double(turn * writers + writer) / Double(rate))
            let now = ContinuousClock.now
            guard due < began + .seconds(seconds), now < began + .seconds(2 * seconds) else { return }
            let isLate = now > due
            if !isLate { try await Task.sleep(until: due, tolerance: .zero) }
            let list = lists[turn % lists.count]
            places[list - 1] += 1
            let call = dialect.upload(to: list, place: places[list - 1])
            // An upload that had to wait for the one before counts from when it was due.
            board.departed(list, place: places[list - 1], at: isLate ? due : .now)
            _ = try await connection.success(call)
        }
    }
}

/// When the changes left, and when their readers were told.
final class ArrivalBoard: Sendable {
    private struct State {
        var pending: [[(place: Int, since: ContinuousClock.Instant)]]
        var arrivals = Latencies()
        var sent = 0
    }

    private let state: Mutex<State>

    init(lists: Int) { state = Mutex(State(pending: Array(repeating: [], count: lists + 1))) }

    func departed(_ list: Int, place: Int, at instant: ContinuousClock.Instant) {
        state.withLock { state in
            state.pending[list].append((place, instant))
            state.sent += 1
        }
    }

    /// The reader of a list has got all hints up to `place`.
    func arrived(_ list: Int, through place: Int) {
        let now = ContinuousClock.now
        state.withLock { state in
            let told = state.pending[list].prefix { $0.place <= place }
            for change in told { state.arrivals.add(now - change.since) }
            state.pending[list].removeFirst(told.count)
        }
    }

    var sent: Int { state.withLock { $0.sent } }
    /// Changes without a hint to a reader.
    var untold: Int { state.withLock { $0.pending.reduce(0) { $0 + $1.count } } }
    var arrivals: Latencies { state.withLock { $0.arrivals } }
}
