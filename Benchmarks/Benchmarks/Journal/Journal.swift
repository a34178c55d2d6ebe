import Benchmark
import TrolleyJournal
import Workload

let benchmarks = { @Sendable in
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .cpuTotal, .peakMemoryResident, .throughput], warmupIterations: 1,
        maxDuration: .seconds(5), maxIterations: 100)

    for count in [1_000, 10_000, 100_000] {
        let journal = Household.journal(of: count)
        Benchmark("fold \(count) entries") { _ in
            blackHole(ListFold(folding: journal))
        }
        let cutOff = journal[count * 9 / 10].receivedAt
        Benchmark("compress \(count) entries") { _ in
            blackHole(Compression(of: journal, olderThan: cutOff))
        }
    }

    Benchmark("apply one entry to a list of 1000 items", configuration: .init(scalingFactor: .kilo)) { benchmark in
        var household = Household(openItems: 1_000)
        var fold = ListFold()
        while fold.state.items.count(where: { !$0.markedOff }) < 1_000 {
            for _ in 0..<200 { fold.apply(household.next()) }
        }
        let entries = benchmark.scaledIterations.map { _ in household.next() }
        benchmark.startMeasurement()
        for entry in entries { fold.apply(entry) }
        blackHole(fold)
    }

    Benchmark("state and digest of a list of 1000 items") { benchmark in
        var household = Household(openItems: 1_000)
        let fold = ListFold(folding: (0..<5_000).map { _ in household.next() })
        benchmark.startMeasurement()
        blackHole(fold.state.digest)
    }

    Benchmark("scrub a replay of 100000 changes to and fro") { benchmark in
        var timeline = Timeline(Household.journal(of: 100_000))
        benchmark.startMeasurement()
        for step in 0..<20 {
            blackHole(timeline.state(through: SequenceNumber(rawValue: Int64(step * 37_117 % 100_000))))
        }
    }
}
