import Foundation
import Synchronization
import TrolleyClient
import TrolleyJournal
import TrolleySync

/// How fast a device is, and how much memory it takes. Prints what docs/benchmarks/device.md says.
///
///     device DIRECTORY                 opening, showing, adding
///     device DIRECTORY URL [COUNT]     queueing so many changes offline, then syncing them to the service there,
///                                      which was started with --entries-per-list 0, else it refuses a part of them
@main
struct DeviceBenchmark {
    static func main() async throws {
        do {
            switch try Wanted(Array(CommandLine.arguments.dropFirst())) {
            case .opening(let directory): try await open(directory)
            case .queueing(let directory, let server, let count):
                try await queue(directory, server: server, count: count)
            case .syncing(let directory): try await sync(directory)
            }
        } catch let error as WrongUse {
            end(saying: error.description, status: 64)
        } catch let error as Unexpected {
            end(saying: error.description, status: 1)
        }
    }

    private static func end(saying what: String, status: Int32) {
        FileHandle.standardError.write(Data("device: \(what)\n".utf8))
        exit(status)
    }

    private enum Wanted {
        case opening(directory: String)
        case queueing(directory: String, server: String, count: Int)
        /// By a process that this program starts itself.
        case syncing(directory: String)

        init(_ arguments: [String]) throws(WrongUse) {
            guard let directory = arguments.first, !directory.hasPrefix("-"), arguments.count <= 3 else {
                throw WrongUse(
                    "usage: device DIRECTORY [URL [COUNT]]\nThe service at URL must be started with --entries-per-list 0."
                )
            }
            if arguments.dropFirst().first == "--sync" {
                self = .syncing(directory: directory)
                return
            }
            guard (try? FileManager.default.contentsOfDirectory(atPath: directory))?.isEmpty != false else {
                throw WrongUse("\(directory) isn't empty; a device that has lists already would be measured with these")
            }
            guard arguments.count > 1 else {
                self = .opening(directory: directory)
                return
            }
            guard URL(string: arguments[1])?.host() != nil else {
                throw WrongUse("'\(arguments[1])' is no address of a service, such as http://127.0.0.1:8080")
            }
            guard let count = Int(arguments.count > 2 ? arguments[2] : "100000"), count > 0 else {
                throw WrongUse("'\(arguments[2])' is no number of changes")
            }
            self = .queueing(directory: directory, server: arguments[1], count: count)
        }
    }

    private struct WrongUse: Error {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The measured work is not the intended work.
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    // MARK: Fifty lists

    private static func open(_ directory: String) async throws {
        var device = try Device(directory: directory)
        var first: ListID?
        for number in 0..<50 {
            let list = try await device.makeList(named: "List \(number)")
            first = first ?? list.id
            try await add(100, to: list.id, on: device)
        }
        guard let first else { return }
        try await device.setCurrentList(first)
        await device.close()

        var times: [Double] = []
        for _ in 0..<200 {
            let start = ContinuousClock.now
            let fresh = try Device(directory: directory)
            guard let list = try await fresh.currentList() else { return }
            let state = try await fresh.list(list).state()
            times.append(milliseconds(since: start))
            guard state.items.count == 100 else { throw Unexpected("a list of 100 items has \(state.items.count)") }
            await fresh.close()
        }
        report("open a device of 50 lists with 5,000 items and show the first list", times)

        times = []
        for _ in 0..<200 {
            let start = ContinuousClock.now
            let fresh = try Device(directory: directory)
            try await add(1, to: first, on: fresh)
            times.append(milliseconds(since: start))
            await fresh.close()
        }
        report("open it and add one item, durably", times)

        device = try Device(directory: directory)
        times = []
        for _ in 0..<1000 {
            let start = ContinuousClock.now
            try await add(1, to: first, on: device)
            times.append(milliseconds(since: start))
        }
        report("add one item, durably", times)
        times = []
        for _ in 0..<50 {
            let start = ContinuousClock.now
            _ = try await device.lists()
            times.append(milliseconds(since: start))
        }
        report("all 50 lists at a glance", times)
        await device.close()
    }

    private static func add(_ count: Int, to list: ListID, on device: Device) async throws {
        try await device.list(list).perform(
            (0..<count).map {
                .add(device.identifier(), ["text": "semi-skimmed milk", "quantity": .string("\($0)")], .bottom)
            })
    }

    // MARK: A long time offline

    /// Changes that are made at once.
    private static let gesture = 10

    private static func queue(_ directory: String, server: String, count: Int) async throws {
        let device = try Device(directory: directory)
        let list = try await device.makeList(named: "Made offline")
        let start = ContinuousClock.now
        var times: [Double] = []
        var items: [ItemID] = []
        for number in stride(from: 0, to: count, by: gesture) {
            var edits: [ListEdit] = []
            for number in number..<min(number + gesture, count) {
                if number % 3 == 2, let item = items.popLast() {
                    edits.append(.markOff(item))
                } else {
                    items.append(device.identifier())
                    edits.append(.add(items[items.count - 1], ["text": .string("item \(number)")], .top))
                }
            }
            let begin = ContinuousClock.now
            try await list.perform(edits)
            times.append(milliseconds(since: begin))
        }
        print("queued \(count) changes in \(Int(milliseconds(since: start) / 1000)) s")
        report("a gesture of \(gesture) changes, while up to \(count) wait", times)
        report("the last tenth of them", Array(times.suffix(times.count / 10)))
        _ = try await device.signUp(
            server: server, email: "benchmark-\(UUID().uuidString)@example.com", name: "B", password: "correct horse")
        await device.close()

        // In a process of its own, so that its memory is the memory of syncing.
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [directory, "--sync"]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Unexpected("syncing failed") }
    }

    private static func sync(_ directory: String) async throws {
        let device = try Device(directory: directory, requestTimeout: .seconds(120))
        _ = try await device.session()
        let idle = memory("VmRSS")
        let samples = Mutex<[Int]>([])
        let watcher = Task {
            for try await _ in device.status { samples.withLock { $0.append(memory("VmRSS")) } }
        }
        let start = ContinuousClock.now
        let report = try await device.sync(.manual)
        let time = milliseconds(since: start)
        watcher.cancel()
        print(
            "synced \(report.sent) changes in \(Int(time)) ms with \(report.requests) requests; \(report.rejected) were refused, \(report.waiting) wait, \(report.failure.map { "\($0)" } ?? "no failure")"
        )
        let seen = samples.withLock { $0 }
        let quarters = (0...4).compactMap { seen.isEmpty ? nil : seen[min(seen.count - 1, seen.count * $0 / 4)] / 1024 }
        print("memory: \(idle / 1024) MiB idle, \(memory("VmHWM") / 1024) MiB at its peak, in between \(quarters) MiB")
        guard report.failure == nil, report.waiting == 0 else { throw Unexpected("not all has been sent") }
        guard report.rejected == 0 else {
            throw Unexpected(
                "the service refused \(report.rejected) changes: it must be started with --entries-per-list 0")
        }
        await device.close()
    }

    // MARK: Figures

    private static func milliseconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .milliseconds(1)
    }

    private static func report(_ what: String, _ times: [Double]) {
        let sorted = times.sorted()
        func at(_ part: Double) -> String {
            String(format: "%.2f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
        }
        print("\(what): median \(at(0.5)) ms, p99 \(at(0.99)) ms, worst \(at(1)) ms (\(times.count) times)")
    }

    /// A line of /proc/self/status, in KiB.
    private static func memory(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
