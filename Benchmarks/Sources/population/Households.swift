import ArgumentParser
import NIOCore
import NIOPosix
import TrolleyJournal
import TrolleyWire

#if canImport(Glibc)
    import Glibc
#endif

/// Households that shop for a year, as fast as the service lets them.
struct Households: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Replay a year of weekly shops in households of three devices, reads and writes, and compare the lists.",
        discussion: """
            Each household comes from an address of its own on this machine, so that the service's rate limits can stay on.
            Afterwards every list is compared with what its household wants; and of some households, whose devices fold
            what they get, all three devices and a new one are compared with the service.

            Example:
              population households --port 8080 --households 5000 --weeks 52
            """)

    @Option(help: "The port on this machine that the service listens on.")
    var port: Address

    @Option(help: "Households, on lists 1 to n; the devices of list n are 3n - 2, 3n - 1 and 3n.")
    var households = 5_000

    @Option(help: "Weeks that each of them shops.")
    var weeks = 52

    @Option(help: "Households whose devices fold what they get.")
    var watched = 500

    @Option(help: "Households that do something at the same time.")
    var atOnce = 48

    @Flag(
        help: """
            Print a line when half of the weeks are over, so that somebody can compress meanwhile, and one when the lists have \
            been compared; then wait until standard input has a line, and compare again.
            """)
    var inSteps = false

    func validate() throws {
        guard households > 0, weeks > 0, atOnce > 0, watched >= 0 else {
            throw ValidationError("there is nobody who shops: give numbers greater than 0")
        }
    }

    func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let town = Town(households: households, watched: min(watched, households))
        let began = ContinuousClock.now
        try await everyHousehold { try await shop($0, weeks: weeks - weeks / 2, in: town, on: group) }
        if inSteps { say(#"{"step":"half"}"#) }
        try await everyHousehold { try await shop($0, weeks: weeks / 2, in: town, on: group) }
        let took = (ContinuousClock.now - began) / .seconds(1)
        let comparison = Comparison(port: port, group: group, town: town)
        try await everyHousehold { try await comparison.compare($0) }
        if inSteps {
            say(#"{"step":"compared"}"#)
            _ = readLine()
            try await everyHousehold { try await comparison.compare($0) }
        }
        let record = town.record
        let found = try comparison.json
        say(
            """
            {"households":\(households),"weeks":\(weeks),"seconds":\(took),"entries":\(record.entries),\
            "read":\(record.reads.json),"write":\(record.writes.json),"slowedDown":\(record.slowedDown),\
            "comparison":\(found)}
            """)
        if comparison.hasFound { throw ExitCode.failure }
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// Some at once; each of them sees to its share, in turn.
    private func everyHousehold(_ visit: @escaping @Sendable (StrideThrough<Int>) async throws -> Void) async throws {
        try await withThrowingTaskGroup { tasks in
            for first in 1...min(atOnce, households) {
                tasks.addTask { try await visit(stride(from: first, through: households, by: atOnce)) }
            }
            try await tasks.waitForAll()
        }
    }

    private func shop(
        _ numbers: StrideThrough<Int>, weeks: Int, in town: Town, on group: any EventLoopGroup
    ) async throws {
        for _ in 0..<weeks {
            for number in numbers { try await shop(number, in: town, on: group) }
        }
    }

    /// One week of one household, over a connection of its own, as after a week without one.
    private func shop(_ number: Int, in town: Town, on group: any EventLoopGroup) async throws {
        var household = town.leave(number)
        let connection = try await HTTPConnection(to: port, from: Address.source(number), on: group)
        var record = Town.Record()
        for step in household.nextWeek() {
            let began = ContinuousClock.now
            let answer = try await connection.patiently {
                household.call(for: step)
            } whenSlowedDown: {
                record.slowedDown += 1
            }
            let took = ContinuousClock.now - began
            household.hasHeard()
            switch step {
            case .sync(let device):
                record.reads.add(took)
                household.take(try AllChangesResponse(json: answer.body.readableBytesView), on: device)
            case .upload(_, let entries):
                record.writes.add(took)
                let applied = answer.body.occurrences(of: #""status":"applied""#)
                guard applied == entries.count else { throw UnexpectedAnswer(answer, to: household.call(for: step)) }
                record.entries += applied
            }
        }
        await connection.close()
        town.comeHome(household, record)
    }
}
