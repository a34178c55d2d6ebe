import ArgumentParser
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TrolleyJournal
import TrolleyWire

/// Households that shop for a year, as fast as the service lets them.
struct Households: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Replay a year of weekly shops in households of three devices, reads and writes, and check the lists.",
        discussion: """
            Each household comes from an address of its own on this machine, so that the service's rate limits can stay on.
            Afterwards the lists of some households are compared with what those must see.

            Example:
              population households --port 8080 --households 5000 --weeks 52
            """)

    @Option(help: "The port on this machine that the service listens on.")
    var port: Address

    @Option(help: "Households, on lists 1 to n; the devices of list n are 3n - 2, 3n - 1 and 3n.")
    var households = 5_000

    @Option(help: "Weeks that each of them shops.")
    var weeks = 52

    @Option(help: "Households that do something at the same time.")
    var atOnce = 48

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let town = Town(households: households)
        let began = ContinuousClock.now
        try await withThrowingTaskGroup { tasks in
            for first in 1...min(atOnce, households) {
                tasks.addTask {
                    for _ in 0..<weeks {
                        for household in stride(from: first, through: households, by: atOnce) {
                            try await shop(household, in: town, on: group)
                        }
                    }
                }
            }
            try await tasks.waitForAll()
        }
        let took = (ContinuousClock.now - began) / .seconds(1)
        let checked = try await check(town, on: group)
        let record = town.record
        print(
            """
            {"households":\(households),"weeks":\(weeks),"seconds":\(took),"entries":\(record.entries),\
            "read":\(record.reads.json),"write":\(record.writes.json),"slowedDown":\(record.slowedDown),\
            "checkedLists":\(checked.lists),"differentLists":\(checked.different)}
            """)
    }

    /// One week of one household, over a connection of its own, as after a week without one.
    private func shop(_ number: Int, in town: Town, on group: any EventLoopGroup) async throws {
        var household = town.leave(number)
        let connection = try await HTTPConnection(to: port, from: Address.source(number), on: group)
        var record = Town.Record()
        for step in household.year.week() {
            let (call, device) = household.call(for: step, household: number)
            let began = ContinuousClock.now
            let answer = try await patiently(call, over: connection, &record)
            let took = ContinuousClock.now - began
            switch step {
            case .sync:
                record.reads.add(took)
                household.note(answer, for: device)
            case .upload(_, let entries):
                record.writes.add(took)
                let applied = String(buffer: answer.body).ranges(of: #""status":"applied""#).count
                guard applied == entries.count else { throw UnexpectedAnswer(answer, to: call) }
                record.entries += applied
            }
        }
        await connection.close()
        town.comeHome(number, household, record)
    }

    /// Waits as long as the service says when it says so.
    private func patiently(
        _ call: HTTPCall, over connection: HTTPConnection, _ record: inout Town.Record
    ) async throws -> HTTPAnswer {
        while true {
            let answer = try await connection.call(call)
            guard [429, 503].contains(answer.status) else {
                guard answer.status == 200 else { throw UnexpectedAnswer(answer, to: call) }
                return answer
            }
            record.slowedDown += 1
            try await Task.sleep(for: .seconds(answer.retryAfter ?? 1))
        }
    }

    /// Compares what the service says that lists show with what their households want.
    private func check(_ town: Town, on group: any EventLoopGroup) async throws -> (lists: Int, different: Int) {
        let sample = stride(from: 1, through: households, by: max(1, households / 100))
        let connection = try await HTTPConnection(to: port, on: group)
        var result = (lists: 0, different: 0)
        for number in sample {
            let household = town.leave(number)
            let call = HTTPCall(
                path: Path.state(Fixture.list(number)), authorization: "Bearer \(Fixture.token(3 * number))")
            let answer = try await connection.success(call)
            let state = try JSONDecoder().decode(ShownList.self, from: Data(answer.body.readableBytesView))
            let shown = Set(state.items.filter { !$0.markedOff }.map(\.id))
            result.lists += 1
            if shown != Set(household.year.wanted.map(\.description)) { result.different += 1 }
        }
        await connection.close()
        return result
    }
}

/// Of `GET /v1/lists/{id}/state`, what is compared.
private struct ShownList: Decodable {
    struct Item: Decodable {
        let id: String
        let markedOff: Bool
    }

    let items: [Item]
}

/// A household and what its devices know.
struct Household: Sendable {
    var year: ShoppingYear
    /// Each device's change token; nil before its first sync.
    private var tokens: [String?] = [nil, nil, nil]

    init(number: Int) { year = ShoppingYear(household: number) }

    func call(for step: ShoppingYear.Step, household: Int) -> (HTTPCall, device: Int) {
        let list = Fixture.list(household)
        func authorization(_ device: Int) -> String { "Bearer \(Fixture.token(3 * household - 2 + device))" }
        switch step {
        case .sync(let device):
            let known = tokens[device].map { #""\#(list)":"\#($0)""# } ?? ""
            return (
                HTTPCall(
                    method: .POST, path: Path.changes, authorization: authorization(device),
                    body: Array(#"{"tokens":{\#(known)}}"#.utf8)), device
            )
        case .upload(let device, let entries):
            return (
                HTTPCall(
                    method: .POST, path: Path.entries(list), authorization: authorization(device),
                    body: UploadRequest(entries: entries).json), device
            )
        }
    }

    /// Keeps the token of an answer to a sync; an answer without news has none.
    mutating func note(_ answer: HTTPAnswer, for device: Int) {
        let text = String(buffer: answer.body)
        guard let start = text.ranges(of: #""token":""#).last?.upperBound else { return }
        tokens[device] = String(text[start...].prefix { $0 != "\"" })
    }
}

/// All households, and what was measured of them.
final class Town: Sendable {
    struct Record: Sendable {
        var reads = Latencies()
        var writes = Latencies()
        var entries = 0
        /// Answers that asked to wait.
        var slowedDown = 0
    }

    private struct State {
        var households: [Household]
        var record = Record()
    }

    private let state: Mutex<State>

    init(households: Int) { state = Mutex(State(households: (1...households).map { Household(number: $0) })) }

    func leave(_ number: Int) -> Household { state.withLock { $0.households[number - 1] } }

    func comeHome(_ number: Int, _ household: Household, _ record: Record) {
        state.withLock { state in
            state.households[number - 1] = household
            state.record.reads.add(record.reads)
            state.record.writes.add(record.writes)
            state.record.entries += record.entries
            state.record.slowedDown += record.slowedDown
        }
    }

    var record: Record { state.withLock { $0.record } }
}
