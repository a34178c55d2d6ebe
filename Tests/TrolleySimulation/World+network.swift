import TrolleyJournal
import TrolleySync
import TrolleyWire

// Runs of devices, and the network between them and the service.

extension World {
    /// Takes steps of a device's run. An idle device begins one.
    /// - Parameter stopsAtCall: whether to stop when a request is ready to be sent.
    func advance(_ number: Int, steps: Int, trigger: Trigger? = nil, stopsAtCall: Bool = false) {
        if devices[number].run == nil {
            let chosen = trigger ?? random.pick([.ownChange, .push, .timer, .manual, .manual, .launch, .network])
            devices[number].run = DeviceRun(chosen ?? .manual)
            say("device \(number) begins a run (\(devices[number].run?.trigger.rawValue ?? ""))")
        }
        for _ in 0..<steps {
            guard devices[number].run != nil else { return }
            if devices[number].run?.isCalling == true {
                if stopsAtCall { return }
                deliver(from: number)
            } else {
                takeStep(number)
            }
            time += Int64(random.below(8))
        }
    }

    private func takeStep(_ number: Int) {
        let device = devices[number]
        let rejected = device.store.rejected.count
        let clock = device.clock(at: time)
        var isReceiving: AllChangesResponse?
        if case .take(let result, let sent)? = device.run?.next {
            if case .success(.changes(let response)) = result { isReceiving = response }
            if case .upload = sent.action { device.timeInFlight += time - device.calledAt }
        }
        // A copy only where it is needed, because the store would be copied with each change.
        let before = isReceiving == nil ? nil : devices[number].store
        if defect == .tokenSavedApart, let isReceiving, devices[number].expected[Self.apart] == nil {
            // The first of two transactions. The program may end behind it.
            for page in isReceiving.lists { devices[number].store.saveToken(page.page.token, of: page.id) }
            devices[number].expected[Self.apart] = []
            return
        }
        if defect == .waitsIgnored { devices[number].store.forgetWaits() }
        device.run?.step(&device.store, clock: clock, random: Double(random.below(1_000)) / 1_000)
        if device.run?.isCalling == true { device.calledAt = time }
        if let isReceiving, let before { checkReceived(number, isReceiving, before) }
        truth.checkRejected(on: devices[number], from: rejected)
        note(.entryRejected, devices[number].store.rejected.count - rejected)
        if let report = device.run?.report { finish(number, report) }
    }

    private static let apart = ListID(UUIDBits(high: 0, low: 1))

    private func finish(_ number: Int, _ report: SyncReport) {
        devices[number].run = nil
        devices[number].isDone = report.failure == nil
        mark(Int64(report.sent) << 20 | Int64(report.waiting))
        say(
            "device \(number) ends its run: \(report.sent) sent, \(report.waiting) wait\(report.failure.map { ", \($0.word ?? "not yet")" } ?? "")"
        )
        if case .tooEarly? = report.failure { note(.waitKept) }
        if case .transport(.problem(let problem))? = report.failure, let seconds = problem.retryAfter,
            problem.code == .requestRateLimited || problem.code == .serviceUnavailable
        {
            devices[number].mayCallFrom = devices[number].failedAt.advanced(byMilliseconds: Int64(seconds) * 1_000)
        }
        truth.checkOwn(of: devices[number], in: service.database, at: time)
    }

    private func checkReceived(_ number: Int, _ response: AllChangesResponse, _ before: DeviceStore) {
        let device = devices[number]
        for page in response.lists {
            let (old, new) = (before.lists[page.id], device.store.lists[page.id])
            if old == nil { devices[number].arrivals[page.id, default: 0] += 1 }
            note(.snapshotInPages, page.page.snapshot && page.page.moreComing ? 1 : 0)
            note(.shownWhileShopping, new?.isShopping == true ? 1 : 0)
            mark(new?.through.rawValue ?? 0)
            if page.page.moreComing, let old, let new, old.isStaging || page.page.snapshot,
                Set(old.entries.keys) != Set(new.entries.keys)
            {
                truth.report("I4", "a part of a snapshot shows on device \(number)")
            }
            let offered = (new?.waiting.count ?? 0) - (old?.waiting.count ?? 0)
            note(.offeredAgain, max(0, offered))
        }
        for list in lists where device.store.lists[list] == nil && before.lists[list] != nil {
            devices[number].arrivals[list, default: 0] += 1
            note(.keptAside, device.store.rejected.count - before.rejected.count)
        }
        for list in lists where device.store.lists[list]?.isLocal == true && before.lists[list]?.isLocal == false {
            note(.listKeptHere)
        }
        note(.tokenRefused, response.expired.count)
        for (list, entries) in devices[number].expected.sorted(by: { $0.key < $1.key }) {
            truth.check(devices[number], has: entries, of: list)
        }
        devices[number].expected = [:]
        say(
            "device \(number) stores \(response.lists.map { "\($0.page.changes.count) changes\($0.page.snapshot ? " of a snapshot" : "")\($0.page.moreComing ? " …" : "")" })\(response.expired.isEmpty ? "" : ", token refused")\(response.gone.isEmpty ? "" : ", list gone")"
        )
    }

    // MARK: Requests

    /// Lets a request of the device go wrong. Takes the steps that lead to one.
    func send(from number: Int, _ kind: Step.Kind) {
        advance(number, steps: 1 + random.below(3))
        advance(number, steps: 12, trigger: .manual, stopsAtCall: true)
        guard let run = devices[number].run, let call = run.call else { return }
        switch kind {
        case .loseRequest:
            note(.requestLost)
            fail(number, .unreachable("the request was lost"))
        case .loseAnswer:
            guard let process = process() else { return }
            _ = serve(number, process)
            note(.answerLost)
            fail(number, .unreachable("the answer was lost"))
        case .holdRequest:
            note(.requestHeld)
            held.append(
                Held(
                    call: call, caller: devices[number].caller, device: number,
                    process: random.below(service.processes.count), sentAt: devices[number].calledAt))
            truth.noteInterrupted(run)
            time += Int64(random.below(5_000))
            fail(number, .unreachable("the request was held"))
        case .repeatRequest:
            guard let process = process() else { return }
            note(.requestRepeated)
            _ = serve(number, process)
            time += Int64(random.below(500))
            deliver(from: number)
        case .slowRequest:
            note(.requestSlow)
            time += Int64(random.below(30_000))
            if random.chance(60) { make(on: number, isInvalid: false) }
            time += Int64(random.below(30_000))
            deliver(from: number)
        case .refuse:
            note(.callRefused)
            let codes: [ProblemCode] = [.requestRateLimited, .serviceUnavailable, .internalError]
            let code = codes[random.below(3)]
            let seconds = code != .internalError && random.chance(70) ? 1 + random.below(200) : nil
            fail(number, .problem(Problem(code, retryAfter: seconds)))
        default:
            note(.listBusy)
            fail(number, .problem(Problem(.zoneBusy, retryAfter: random.chance(50) ? 1 + random.below(30) : nil)))
        }
    }

    private func fail(_ number: Int, _ error: TransportError) {
        checkWait(number)
        say("device \(number): \(error)")
        devices[number].failedAt = devices[number].clock(at: time).wall
        devices[number].run?.answer(.failure(error))
        if defect == .retryGetsNewID { devices[number].store.renew(&random, at: now) }
    }

    /// A request reaches a process, and its answer the device.
    func deliver(from number: Int) {
        time += Int64(5 + random.below(200))
        guard let process = process() else { return fail(number, .unreachable("the connection was refused")) }
        checkWait(number)
        let (result, expected) = serve(number, process)
        time += Int64(5 + random.below(200))
        devices[number].expected = expected
        if case .failure(.problem(let problem)) = result, problem.code == .limitExceeded {
            note(.requestTooLarge)
            note(.requestHalved, problem.limits == nil ? 1 : 0)
        }
        devices[number].run?.answer(result)
    }

    private func checkWait(_ number: Int) {
        guard let from = devices[number].mayCallFrom else { return }
        devices[number].mayCallFrom = nil
        if devices[number].run?.trigger != .manual, devices[number].clock(at: time).wall < from {
            truth.report("retryAfter", "device \(number) didn't wait")
        }
    }

    /// A held request arrives. Nobody waits for its answer.
    func arrive() {
        guard !held.isEmpty else { return }
        let request = held.remove(at: random.below(held.count))
        guard !service.processes[request.process].isStopped else { return }
        note(.heldRequestArrived)
        say("a held request of device \(request.device) arrives")
        _ = serve(request.call, request.caller, request.device, request.process, sentAt: request.sentAt)
    }

    /// The service carries out the device's call.
    /// - Returns: the answer, and what the device must have of each list after it has stored it.
    @discardableResult
    func serve(_ number: Int, _ process: Int) -> (Result<Answer, TransportError>, [ListID: [ConfirmedEntry]]) {
        guard let call = devices[number].run?.call else { return (.failure(.unreachable("there is no call")), [:]) }
        return serve(call, devices[number].caller, number, process, sentAt: devices[number].calledAt)
    }

    private func serve(
        _ call: Call, _ caller: Caller, _ number: Int, _ process: Int, sentAt: Int64
    ) -> (Result<Answer, TransportError>, [ListID: [ConfirmedEntry]]) {
        let before = call.list.flatMap { service.database.lists[$0] }
        var result: Result<Answer, TransportError>
        do throws(Problem) {
            result = .success(try service.answer(call, from: caller, by: process, at: now))
        } catch { result = .failure(.problem(error)) }
        let after = call.list.flatMap { service.database.lists[$0] }
        mark(after?.head.rawValue ?? -1)
        switch call {
        case .config: break
        case .createList(let request): noteCreated(request, before, after, number)
        case .upload(_, let list):
            var response: UploadResponse?
            if case .success(.upload(let given)) = result { response = given }
            truth.check(
                upload: response, to: list, from: caller, device: devices[number], before: before, after: after,
                sentAt: sentAt, arrivedAt: time)
            note(.duplicateAnswered, response?.results.count { $0.status == .duplicate } ?? 0)
            if let before, let after {
                let isRestoring = after.live.count - before.live.count > after.activity.count - before.activity.count
                note(.itemBroughtBack, isRestoring ? 1 : 0)
                if after.activity.count > before.activity.count {
                    say(
                        "process \(process) appends \(after.activity.count - before.activity.count) of device \(number), head \(after.head.rawValue)"
                    )
                }
            }
        case .changes(let request):
            guard case .success(.changes(let response)) = result else { break }
            truth.check(response, for: caller, asked: request, epoch: service.database.epoch)
            truth.checkRefused(response, for: caller, asked: request, by: service.database)
            noteTrail(request, response)
            var expected: [ListID: [ConfirmedEntry]] = [:]
            for page in response.lists where !page.page.moreComing {
                expected[page.id] = service.database.lists[page.id]?.inOrder
            }
            return (result, expected)
        }
        return (result, [:])
    }

    private func noteTrail(_ request: AllChangesRequest, _ response: AllChangesResponse) {
        for list in response.expired {
            let isOld = request.tokens[list].flatMap { PageToken($0) }?.epoch == service.database.epoch
            note(.tokenOlderThanTrail, isOld && service.database.lists[list] != nil ? 1 : 0)
        }
    }

    /// A list that is new on the service gets its people.
    private func noteCreated(_ request: CreateListRequest, _ before: StoredList?, _ after: StoredList?, _ number: Int) {
        guard before == nil, let after else { return }
        say("device \(number) creates list \(lists.firstIndex(of: request.id) ?? 0)")
        truth.members[request.id] = [after.owner: .readWrite]
        if truth.restores > 0 {
            note(.listOfferedAgain)
            return
        }
        for account in people where account != after.owner {
            service.setPermission(.readWrite, of: account, on: request.id)
            truth.members[request.id]?[account] = .readWrite
        }
    }
}

extension DeviceStore {
    /// For a defect.
    fileprivate mutating func forgetWaits() {
        var retryState = retryState
        retryState.nextTry = nil
        saveRetryState(retryState)
    }
}
