import TrolleyJournal
import TrolleySync
import TrolleyWire

/// One run of the simulation: a service, devices, the network between them, and the truth. Everything follows from the scenario:
/// there is no clock, no task, and no order of a dictionary.
package final class World {
    /// A request that is still on its way after its device gave it up.
    struct Held {
        var call: Call
        var caller: Caller
        var device: Int
        var process: Int
        var sentAt: Int64
    }

    package let scenario: Scenario
    let defect: Defect?
    /// The true time, in milliseconds.
    var time: Int64 = 1_800_000_000_000
    var random: Randomness
    var service: SimulatedService
    var devices: [SimulatedDevice] = []
    var truth = Truth()
    var held: [Held] = []
    var backups: [(database: Database, members: [ListID: [AccountID: Permission]])] = []
    let lists: [ListID]
    let people: [AccountID]
    package private(set) var coverage = Coverage()
    /// The lines of the trace; nil: not kept.
    private(set) var lines: [String]?
    /// Of all that happens, whether or not the trace is kept.
    package private(set) var fingerprint = Fingerprint()
    /// The rounds in which all queues became empty after the network had healed.
    package var rounds = 0

    package init(_ scenario: Scenario, defect: Defect? = nil, tracing: Bool = false) {
        self.scenario = scenario
        self.defect = defect
        lines = tracing ? [] : nil
        var random = Randomness(seed: scenario.seed ^ 0x5349_4D55_4C41_5445)
        service = SimulatedService(defect: defect)
        let begin = Timestamp(milliseconds: time)
        people = (0..<scenario.people).map { _ in random.identifier(at: begin) }
        lists = (0..<scenario.lists).map { _ in random.identifier(at: begin) }
        for number in 0..<scenario.devices {
            let account = people[number % people.count]
            devices.append(
                SimulatedDevice(
                    number: number, account: account, id: random.identifier(at: begin),
                    store: DeviceStore(account: account, defect: defect),
                    startedAt: time - Int64(random.below(1_000_000)),
                    wallOffset: Int64(random.below(10_000)) - 5_000))
        }
        self.random = random
        backups.append((service.database, [:]))
        // The owner of a list is the person of the device with its number.
        for (number, list) in lists.enumerated() { devices[number].store.addList(list) }
        for number in 0..<lists.count { devices[number].arrivals[lists[number]] = 1 }
    }

    var now: Timestamp { Timestamp(milliseconds: time) }

    var violations: [String] { truth.violations }

    /// Executes all steps, heals everything, and checks what must hold then.
    package func run() {
        for (index, step) in scenario.steps.enumerated() {
            execute(step, index)
            if !truth.violations.isEmpty { return }
        }
        heal()
    }

    func note(_ event: Coverage.Event, _ count: Int = 1) { if count > 0 { coverage.note(event, count) } }

    /// Writes to the trace.
    func say(_ what: @autoclosure () -> String) { lines?.append("\(time - 1_800_000_000_000) \(what())") }

    func mark(_ word: Int64) { fingerprint.add(UInt64(bitPattern: word)) }

    // MARK: Steps

    private func execute(_ step: Step, _ index: Int) {
        random = Randomness(seed: step.number)
        time += Int64(20 + random.below(2_000))
        mark(Int64(index))
        mark(time)
        say("— \(step)")
        let device = step.subject % devices.count
        let process = step.subject % service.processes.count
        let list = lists[step.subject % lists.count]
        switch step.kind {
        case .make: make(on: device, isInvalid: false)
        case .makeInvalid: make(on: device, isInvalid: true)
        case .act: advance(device, steps: 1 + random.below(16))
        case .shop: shop(on: device)
        case .pause: time += Int64(random.below(3_600_000))
        case .compress: compress(list, by: process)
        case .compressStep: compressionStep(by: process)
        case .backup: backUp()
        case .loseRequest, .loseAnswer, .holdRequest, .repeatRequest, .slowRequest, .refuse, .busyList:
            send(from: device, step.kind)
        case .arrive: arrive()
        case .crash: crash(device)
        case .reboot: reboot(device)
        case .setClock: setClock(device)
        case .longAway: passWeeks()
        case .stopProcess: stop(process)
        case .startProcess: service.processes[process].isStopped = false
        case .lowerLimits: lowerLimits(of: process)
        case .raiseLimits: service.processes[process].limits = ServiceProcess.generous
        case .dropTrail: dropTrail(of: list)
        case .restore: restore()
        case .remove: setPermission(nil, on: list)
        case .rejoin, .permit: setPermission(.readWrite, on: list)
        case .restrict: setPermission(.readOnly, on: list)
        }
        if index.isMultiple(of: 9) { keepLaggingCopies() }
    }

    /// For defects: processes that answer from an older state.
    private func keepLaggingCopies() {
        guard defect == .laggingCopy || defect == .membershipReadBefore else { return }
        for process in service.processes.indices { service.processes[process].lagging = service.database }
    }
}

extension World {
    package var hasFailed: Bool { !truth.violations.isEmpty }
    package var failures: [String] { truth.violations }
    /// The trace as text.
    package var trace: String {
        ((lines ?? []) + truth.violations.map { "broken: \($0)" }
            + ["fingerprint \(String(fingerprint.value, radix: 16)), \(rounds) rounds to heal"]).joined(separator: "\n")
            + "\n"
    }
}
