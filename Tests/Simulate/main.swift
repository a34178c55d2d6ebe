import TrolleySimulation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Runs seeds of the simulation, in one thread. Reliability/simulation starts one process for each processor.
//
//   simulate FIRST COUNT [STRIDE]     runs seeds FIRST, FIRST + STRIDE …; prints progress, failures and what did happen
//   simulate --trace SEED             prints what happens, line by line
//   simulate --replay FILE            the same for a scenario in a file
//   simulate --shrink SEED            prints the fewest steps that break the same promise, and their trace
//   simulate --defects COUNT          the first of COUNT seeds that finds each defect
// The environment's TROLLEY_DEFECT builds a defect in. Ends with 1 if a promise was broken.

func usage() -> Never {
    print("usage: simulate FIRST COUNT [STRIDE] | --trace SEED | --replay FILE | --shrink SEED | --defects COUNT")
    exit(64)
}

func contents(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: bytes, as: UTF8.self)
}

let arguments = Array(CommandLine.arguments.dropFirst())
let defect = getenv("TROLLEY_DEFECT").flatMap { Defect(rawValue: String(cString: $0)) }
let number = arguments.last.flatMap { UInt64($0) }

switch (arguments.first, number) {
case ("--trace"?, let seed?): print(Simulation.trace(Scenario(seed: seed), defect: defect), terminator: "")
case ("--shrink"?, let seed?):
    let shrunk = Simulation.shrink(Scenario(seed: seed), defect: defect)
    print(shrunk)
    for line in Simulation.trace(shrunk, defect: defect).split(separator: "\n") { print("# \(line)") }
case ("--replay"?, _):
    guard let path = arguments.last, let text = contents(of: path), let scenario = Scenario(text) else { usage() }
    print(Simulation.trace(scenario, defect: defect), terminator: "")
    if !Simulation.run(scenario, defect: defect).violations.isEmpty { exit(1) }
case ("--defects"?, let count?):
    var isFound = true
    for defect in Defect.allCases {
        let found = Simulation.firstSeed(finding: defect, among: 0..<count)
        isFound = isFound && found != nil
        print("\(defect.rawValue)\t\(found.map { "\($0.seed)\t\($0.promise)" } ?? "not found\t")")
    }
    if !isFound { exit(1) }
case (_?, _?):
    guard arguments.count >= 2, let first = UInt64(arguments[0]), let count = UInt64(arguments[1]) else { usage() }
    let stride = arguments.count > 2 ? number ?? 1 : 1
    var coverage = Coverage()
    var rounds = [0, 0, 0, 0, 0, 0, 0, 0]
    var (failed, steps) = (0, 0)
    for index in 0..<count {
        let outcome = Simulation.run(Scenario(seed: first + index * stride), defect: defect)
        coverage.add(outcome.coverage)
        rounds[min(outcome.rounds, rounds.count - 1)] += 1
        steps += outcome.scenario.steps.count
        if !outcome.violations.isEmpty {
            failed += 1
            print("seed \(outcome.scenario.seed): \(outcome.violations.joined(separator: "; "))")
            fflush(nil)
        }
        if (index + 1).isMultiple(of: 1_000) {
            print("progress \(index + 1) \(failed)")
            fflush(nil)
        }
    }
    print("seeds \(count)")
    print("steps \(steps)")
    print("failed \(failed)")
    for (rounds, count) in rounds.enumerated() where count > 0 { print("rounds \(rounds) \(count)") }
    for event in Coverage.Event.allCases { print("happened \(event.rawValue) \(coverage[event])") }
    if failed > 0 { exit(1) }
default: usage()
}
