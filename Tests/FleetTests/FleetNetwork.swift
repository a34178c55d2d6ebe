import Synchronization
import TrolleyJournal
import TrolleySyncTesting
import TrolleyWire

/// The network between a fleet's devices and the service. It loses, delays and duplicates messages, and checks all of them.
final class FleetNetwork: Sendable {
    enum Fault: Hashable {
        /// The request never arrives.
        case lostRequest
        /// The request is executed; its answer never arrives.
        case lostResponse
        /// The request arrives long after the device has given it up; its answer never arrives.
        case late
        /// The request arrives twice; the second answer comes back.
        case twice
        case problem(ProblemCode, retryAfter: Int?)
    }

    struct State {
        var random: SeededGenerator
        /// The number of faulty calls in a hundred.
        var badness = 0
        var delayed: [FleetCall] = []
        /// Increases with each epoch of the service.
        var generation = 0
        /// The generation in which each token was issued.
        var tokens: [String: Int] = [:]
        /// The people on each list, by the mark in the list's texts.
        var members: [String: Set<AccountID>] = [:]
        /// The sequence of each entry, as the service said.
        var accepted: [EntryID: SequenceNumber] = [:]
        /// The service's own refusals.
        var answered: Set<ProblemCode> = []
        /// A fault of a device: the right text, and the wrong text that it writes.
        var mistake: (right: String, wrong: String)?
        /// The answer to every call; nil: the service answers.
        var refusal: Problem?
        var violations: [String] = []
        /// A summary of all messages; equal for equal seeds.
        var trace: [String] = []
    }

    let state: Mutex<State>
    private let service: Mutex<FleetService>

    init(_ service: FleetService, seed: UInt64) {
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        self.service = Mutex(service)
    }

    var current: FleetService {
        get { service.withLock { $0 } }
        set { service.withLock { $0 = newValue } }
    }

    func violate(_ what: String) { state.withLock { $0.violations.append(what) } }

    /// One call of a device, with its faults. nil: no answer came.
    func call(_ call: FleetCall, by account: AccountID, device: Int) async -> FleetAnswer? {
        var call = call
        if let mistake = state.withLock({ $0.mistake }), let body = call.body {
            call.body = Array(
                String(decoding: body, as: UTF8.self).replacing(mistake.right, with: mistake.wrong).utf8)
        }
        let fault = state.withLock { $0.fault() }
        state.withLock { state in
            let size = call.path == Path.changes ? "" : " \(call.body?.count ?? 0)"
            state.trace.append("\(device) \(call.method) \(call.path)\(size) \(fault.map { "\($0)" } ?? "")")
        }
        if let refusal = state.withLock({ $0.refusal }) { return FleetAnswer(problem: refusal) }
        switch fault {
        case .lostRequest: return nil
        case .late:
            state.withLock { $0.delayed.append(call) }
            return nil
        case .problem(let code, let retryAfter):
            let limits = code == .limitExceeded ? Limits() : nil
            return FleetAnswer(problem: Problem(code, retryAfter: retryAfter, limits: limits))
        case .twice: _ = await current.respond(call)
        case .lostResponse, nil: break
        }
        let answer = await current.respond(call)
        inspect(answer, for: account)
        state.withLock { $0.trace[$0.trace.count - 1] += "\(answer.status)" }
        return fault == .lostResponse ? nil : answer
    }

    /// Delivers delayed messages.
    func deliver() async {
        let calls = state.withLock { state in
            defer { state.delayed = [] }
            return state.delayed
        }
        for call in calls { _ = await current.respond(call) }
    }

    /// I7: no person gets a byte of a list that they are not on.
    func inspect(_ answer: FleetAnswer, for account: AccountID) {
        let text = String(decoding: answer.body, as: UTF8.self)
        let problem = try? answer.status < 300 ? nil : answer.decoded(Problem.self)
        state.withLock { state in
            if let problem { state.answered.insert(problem.code) }
            for (mark, members) in state.members where !members.contains(account) && text.utf8.contains(mark.utf8) {
                state.violations.append("I7: somebody who is not on the list got a byte of \(mark)")
            }
        }
    }

    /// I2: an entry is accepted once; sending it again gets the first answer.
    func inspect(_ response: UploadResponse) {
        state.withLock { state in
            state.answered.formUnion([response.code].compactMap(\.self) + response.results.compactMap(\.code))
            for result in response.results where result.status != .rejected {
                guard let id = result.id, let sequence = result.sequence else {
                    state.violations.append("an entry was accepted without a place")
                    continue
                }
                if state.accepted.updateValue(sequence, forKey: id).map({ $0 != sequence }) == true {
                    state.violations.append("I2: an entry was accepted twice")
                }
            }
        }
    }

    /// I3 and I6: the answers to tokens.
    func inspect(_ response: AllChangesResponse, to request: AllChangesRequest) {
        state.withLock { state in
            if !response.expired.isEmpty { state.answered.insert(.changeTokenExpired) }
            if !response.gone.isEmpty { state.answered.insert(.listDeleted) }
            for list in response.lists {
                let sequences = list.page.changes.map(\.sequence)
                if zip(sequences, sequences.dropFirst()).contains(where: { $0 >= $1 }) {
                    state.violations.append("I3: a page's sequences don't rise")
                }
                if let token = request.tokens[list.id] {
                    if list.page.snapshot { state.violations.append("a token was answered with a snapshot") }
                    if state.tokens[token].map({ $0 != state.generation }) == true {
                        state.violations.append("I6: a token of another epoch was honoured")
                    }
                }
                state.tokens[list.page.token] = state.generation
            }
        }
    }
}

extension FleetNetwork.State {
    fileprivate mutating func fault() -> FleetNetwork.Fault? {
        guard random.chance(badness) else { return nil }
        switch random.below(10) {
        case 0, 1: return .lostRequest
        case 2, 3: return .lostResponse
        case 4: return .late
        case 5: return .twice
        default:
            let code = random.pick(ProblemCode.allCases) ?? .zoneBusy
            return .problem(code, retryAfter: random.chance(50) ? random.below(90) : nil)
        }
    }
}

extension FleetAnswer {
    init(problem: Problem) {
        let detail = problem.limits.map { #","limits":\#($0.json)"# } ?? ""
        let retryAfter = problem.retryAfter.map { #","retryAfter":\#($0)"# } ?? ""
        self.init(
            status: problem.status == 200 ? 400 : problem.status,
            body: Array(
                #"{"code":"\#(problem.code.rawValue)","status":\#(problem.status),"title":"as the test says"\#(retryAfter)\#(detail)}"#
                    .utf8), retryAfter: problem.retryAfter)
    }
}

extension Limits {
    fileprivate var json: String {
        """
        {"entriesPerRequest":\(entriesPerRequest),"bytesPerRequest":\(bytesPerRequest),"bytesPerEntry":\(bytesPerEntry),\
        "bytesOfFields":\(bytesOfFields),"fieldsPerEntry":\(fieldsPerEntry),"changesPerPage":\(changesPerPage),\
        "defaultChangesPerPage":\(defaultChangesPerPage),"participantsPerList":\(participantsPerList),"ageCap":\(ageCap)}
        """
    }
}
