import FoundationEssentials
import Synchronization
import Testing
import TrolleyJournal
import TrolleyServer
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient
@testable import TrolleySync

/// Every code, from the service itself: how the device reacts, that no unsent change is lost, and that the list is
/// right afterwards.
@Suite(.timeLimit(.minutes(60))) struct ProblemCodeTests {
    @Test(arguments: ProblemCode.allCases)
    func `a device does what is right, and loses nothing`(code: ProblemCode) async throws {
        try await Scene.play { scene in
            switch code {
            case .notAuthenticated: try await thrownOut(scene)
            case .permissionFailure: try await mayOnlyRead(scene)
            case .listNotFound: try await listThatARestoreLost(scene)
            case .invalidArguments: try await oneOfThreeIsRefused(scene, wrong: #""jam"#)
            case .partialFailure: try await oneOfThreeIsRefused(scene, wrong: "5")
            case .serverRecordChanged: try await idThatIsTaken(scene)
            case .limitExceeded: try await lowerLimits(scene)
            case .requestRateLimited: try await tooOften(scene)
            case .zoneBusy: try await lockedList(scene)
            case .serviceUnavailable: try await databaseAway(scene)
            case .internalError: try await faultOfTheServices(scene)
            case .batchRequestFailed: try await allOrNothing(scene)
            case .changeTokenExpired: try await anotherEpoch(scene)
            case .listDeleted: try await deletedList(scene)
            case .quotaExceeded: try await fullList(scene)
            case .unknownItem: try await invitationThatIsNone(scene)
            case .tooManyParticipants, .alreadyShared: try await sharedAndFull(scene)
            case .incompatibleVersion: try await laterService(scene)
            case .crossOriginRequest, .unknownRoute, .methodNotAllowed:
                try await notForDevices(scene, code)
                return
            }
            // This version of the service refuses no version of a device.
            guard code != .incompatibleVersion else { return }
            #expect(scene.network.state.withLock { $0.answered }.contains(code))
        }
    }

    // MARK: Authentication and permissions

    private func thrownOut(_ scene: Scene) async throws {
        let other = try await scene.network.session(of: scene.people[0])
        let thrown = try #require(scene.alice.session?.device)
        _ = try await scene.network.calm(.delete, Path.device(thrown), token: other.token)
        let report = try await scene.alice.sync(.manual, over: scene.network, random: 0)
        #expect(report?.failure?.code == .notAuthenticated && report?.waiting == 1 && report?.outcome == .failed)
        #expect(report?.failure?.description == SyncFailure.signedOut)
        #expect(report?.nextTry == nil, "only a person can help")
        #expect(try await scene.alice.state(of: scene.list).items.count == 3)
        try await scene.network.signIn(scene.alice, as: scene.people[0])
        try await scene.check()
    }

    private func mayOnlyRead(_ scene: Scene) async throws {
        let path = Path.participant(scene.people[1].id, of: scene.list)
        let wanted = PermissionRequest(permission: .readOnly)
        let answer = try await scene.network.calm(.patch, path, wanted, token: scene.alice.session?.token)
        #expect(answer.status == 200)
        // Bob's device does not know about the change yet.
        try await scene.add(["jam"], on: scene.bob)
        try await scene.sync(scene.bob)
        let refused = try await scene.bob.store.rejected()
        #expect(refused.map(\.code) == [.permissionFailure] && refused.map(\.entry.fields) == [["text": "jam"]])
        try await scene.check()
    }

    private func deletedList(_ scene: Scene) async throws {
        try await scene.add(["never sent"], on: scene.bob)
        _ = try await scene.network.calm(.delete, Path.list(scene.list), token: scene.alice.session?.token)
        try await scene.sync(scene.bob)
        #expect(try await scene.bob.store.deviceStatus().lists.isEmpty)
        #expect(try await scene.bob.store.rejected().map(\.entry.fields) == [["text": "never sent"]])
        #expect(try await scene.bob.store.queues().notices.map(\.reason) == [.deleted])
    }

    private func listThatARestoreLost(_ scene: Scene) async throws {
        let copy = try await scene.database.save()
        scene.network.current = scene.database.service
        let other: ListID = Samples.id()
        let alice = scene.alice
        func add(_ text: String) async throws {
            _ = try await alice.store.append([Samples.add(text)], to: other, made: alice.clock.now)
        }
        try await alice.store.addList(other)
        try await add("first")
        try await scene.sync(alice)
        try await scene.database.restore(copy)
        scene.network.current = scene.database.service
        try await add("second")
        // One run is enough: the device learns that the list is missing, creates it again, and offers its entries.
        try await scene.sync(alice)
        let state = try await scene.network.calm(.get, Path.state(other), token: alice.session?.token)
        #expect(
            String(decoding: state.body, as: UTF8.self).contains(try await alice.state(of: other).digest.description))
        #expect(try await alice.store.deviceStatus().waiting == 0)
        try await scene.check()
    }

    private func laterService(_ scene: Scene) async throws {
        scene.network.state.withLock { $0.refusal = Problem(.incompatibleVersion) }
        let report = try await scene.alice.sync(.manual, over: scene.network, random: 0)
        #expect(report?.failure?.code == .incompatibleVersion && report?.waiting == 1 && report?.nextTry == nil)
        #expect(
            report?.failure?.description
                == "The service and this program speak different versions; update the older one. Nothing is lost.")
        scene.network.state.withLock { $0.refusal = nil }
        try await scene.check()
    }

    /// Codes that the service never sends to a device of its own version, but may send to an app of another version.
    private func notForDevices(_ scene: Scene, _ code: ProblemCode) async throws {
        scene.network.state.withLock { $0.refusal = Problem(code) }
        let report = try await scene.alice.sync(.manual, over: scene.network, random: 0)
        #expect(report?.failure?.code == code && report?.waiting == 1)
        scene.network.state.withLock { $0.refusal = nil }
        try await scene.check()
    }

    // MARK: What is refused for good

    /// The text of one entry is invalid. Without its closing quote it makes the whole request invalid, so the device
    /// sends it in halves. As a number it makes only that entry invalid.
    private func oneOfThreeIsRefused(_ scene: Scene, wrong: String) async throws {
        scene.network.state.withLock { $0.mistake = (#""jam""#, wrong) }
        try await scene.add(["butter", "jam", "tea"], on: scene.alice)
        try await scene.sync(scene.alice)
        let refused = try await scene.alice.store.rejected()
        #expect(refused.map(\.code) == [.invalidArguments] && refused.map(\.entry.fields) == [["text": "jam"]])
        try await scene.check(["milk", "bread", "unsent", "eggs", "butter", "tea"])
    }

    private func idThatIsTaken(_ scene: Scene) async throws {
        let eggs = try #require(try await scene.bob.store.journal(of: scene.list).confirmed.last)
        var entry = Samples.add("not eggs")
        entry.id = eggs.entry.id
        _ = try await scene.alice.store.append([entry], to: scene.list, made: scene.alice.clock.now)
        try await scene.sync(scene.alice)
        let refused = try await scene.alice.store.rejected()
        #expect(refused.map(\.code) == [.serverRecordChanged] && refused.map(\.entry.fields) == [["text": "not eggs"]])
        try await scene.check()
    }

    /// The operator lowers the limits while the device uses those that it knew before.
    private func lowerLimits(_ scene: Scene) async throws {
        scene.network.current = try await scene.database.service.with {
            $0.limits = Limits(entriesPerRequest: 2, bytesPerRequest: 1000, bytesOfFields: 300)
        }
        let texts = (1...9).map { "number \($0) " + String(repeating: "x", count: $0 * 20) }
        try await scene.add(texts, on: scene.alice)
        try await scene.add([String(repeating: "y", count: 301)], on: scene.alice)
        try await scene.add(["last"], on: scene.alice)
        try await scene.sync(scene.alice)
        #expect(try await scene.alice.store.rejected().map(\.code) == [.limitExceeded])
        let sent = try await scene.alice.store.journal(of: scene.list).confirmed.compactMap {
            $0.entry.fields[Fields.text]?.string
        }
        #expect(sent == ["milk", "bread", "eggs", "unsent"] + texts + ["last"], "each once, in order")
        try await scene.check(Set(["milk", "bread", "unsent", "eggs", "last"] + texts))
    }

    /// A list that is full, and a person who owns as many lists as they may.
    private func fullList(_ scene: Scene) async throws {
        scene.network.current = try await scene.database.service.with {
            $0.quotas = Quotas(entriesPerList: 3, listsPerAccount: 1)
        }
        let other: ListID = Samples.id()
        let alice = scene.alice
        try await alice.store.addList(other)
        _ = try await alice.store.append([Samples.add("tea")], to: other, made: alice.clock.now)
        let report = try await alice.sync(.manual, over: scene.network, random: 0)
        #expect(report?.failure?.code == .quotaExceeded && report?.waiting == 1)
        #expect(
            report?.failure?.description
                == "The service has no more room for this list. Your changes stay on this device until it has.")
        let refused = try await alice.store.rejected()
        #expect(refused.map(\.code) == [.quotaExceeded] && refused.map(\.entry.fields) == [["text": "unsent"]])
        #expect(try await alice.state(of: scene.list).items.count == 3, "the other list went on")

        scene.network.current = scene.database.service
        let made = alice.clock.now
        #expect(try await alice.store.write { try $0.retry(made: made, identifier: { Samples.id() }) } == 1)
        try await scene.check()
        #expect(try await alice.store.rejected().isEmpty)
        let lists = try await scene.network.calm(.get, Path.state(other), token: alice.session?.token)
        #expect(String(decoding: lists.body, as: UTF8.self).contains("tea"))
    }

    /// A device never asks for all or nothing. If it did, the valid entries would stay in the queue.
    private func allOrNothing(_ scene: Scene) async throws {
        try await scene.add(["jam"], on: scene.alice)
        let queued = try await scene.alice.store.waiting(in: scene.list, limit: 9)
        let request = UploadRequest(
            entries: queued.map { UploadEntry(entry: $0.entry, age: 0) }, atomic: true)
        scene.network.state.withLock { $0.mistake = (#""jam""#, "5") }
        let session = try #require(scene.alice.session)
        let transport = FleetTransport(
            network: scene.network, device: 0, account: session.account, token: session.token)
        let response = try await transport.upload(request, to: scene.list)
        let verdicts = request.verdicts(in: response)
        #expect(verdicts.map(\.entry) == [queued[1].entry.id])
        try await scene.alice.store.settle(verdicts, in: scene.list, at: scene.alice.clock.now.wall)
        #expect(try await scene.alice.store.waiting(in: scene.list, limit: 9).map(\.entry) == [queued[0].entry])
        try await scene.check()
    }

    // MARK: Temporary failures

    private func tooOften(_ scene: Scene) async throws {
        // No time passes for the limit: on a busy machine a minute may pass between the requests.
        let now = ContinuousClock.now
        scene.network.current = try await scene.database.service.with { configuration in
            configuration.rates.requestsPerMinuteByDevice = 1
            configuration.rateClock = { now }
        }
        let alice = scene.alice
        let report = try #require(try await alice.sync(.manual, over: scene.network, random: 0))
        guard case .transport(.problem(let problem)) = report.failure, let wait = problem.retryAfter else {
            Issue.record("it was let in: \(report)")
            return
        }
        #expect(problem.code == .requestRateLimited && wait > 0 && wait <= 60)
        #expect(report.nextTry == alice.clock.now.wall.advanced(byMilliseconds: Int64(wait) * 1000))
        #expect(
            report.failure?.description == "The service is busy. Nothing is lost; the next sync tries again.")
        // The service accepts requests again, but the device waits until the time that it was given.
        scene.network.current = scene.database.service
        alice.clock.pass(Int64(wait) * 1000 - 1)
        for trigger in [Trigger.timer, .launch, .push, .ownChange, .network] {
            let early = try await alice.sync(trigger, over: scene.network, random: 0)
            #expect(early?.requests == 0)
        }
        alice.clock.pass(1)
        let late = try await alice.sync(.timer, over: scene.network, random: 0)
        #expect(late.map { $0.failure == nil && $0.requests > 0 } == true)
        try await scene.check()
    }

    /// The list is locked for longer than an upload may wait.
    private func lockedList(_ scene: Scene) async throws {
        try await scene.database.during("SELECT FROM list WHERE id = '\(scene.list)' FOR UPDATE") {
            let report = try await scene.alice.sync(.manual, over: scene.network, random: 0)
            try expectWait(report, .zoneBusy, of: scene.alice)
        }
        try await scene.check()
    }

    private func databaseAway(_ scene: Scene) async throws {
        let away = try await FleetService(url: scene.database.url)
        await away.close()
        scene.network.current = away
        let report = try await scene.alice.sync(.manual, over: scene.network, random: 0)
        try expectWait(report, .serviceUnavailable, of: scene.alice)
        scene.network.current = scene.database.service
        try await scene.check()
    }

    private func faultOfTheServices(_ scene: Scene) async throws {
        try await scene.database.execute("ALTER TABLE entry RENAME TO lost_entry")
        let report = try await scene.alice.sync(.manual, over: scene.network, random: 7)
        #expect(report?.failure?.code == .internalError && report?.waiting == 1)
        let now = scene.alice.clock.now.wall
        #expect(report?.nextTry.map { $0 >= now && $0 <= now.advanced(byMilliseconds: 1000) } == true, "with jitter")
        try await scene.database.execute("ALTER TABLE lost_entry RENAME TO entry")
        try await scene.check()
    }

    private func anotherEpoch(_ scene: Scene) async throws {
        try await scene.network.current.beginEpoch()
        try await scene.check()
    }

    /// Nothing is lost, and the next try is at the time that the service gave.
    private func expectWait(_ report: SyncReport?, _ code: ProblemCode, of device: FleetDevice) throws {
        guard case .transport(.problem(let problem)) = report?.failure, let wait = problem.retryAfter else {
            Issue.record("no wait was asked for: \(String(describing: report))")
            return
        }
        #expect(problem.code == code && report?.waiting == 1)
        #expect(report?.nextTry == device.clock.now.wall.advanced(byMilliseconds: Int64(wait) * 1000))
    }

    // MARK: Calls of a person

    private func invitationThatIsNone(_ scene: Scene) async throws {
        try await withDevice(of: scene) { device, address in
            let link = "\(address)/join#\(String(repeating: "x", count: 43))"
            await expect(.unknownItem, scene) { () async throws(DeviceError) in
                _ = try await device.previewInvitation(link)
            }
            await expect(.unknownItem, scene) { () async throws(DeviceError) in _ = try await device.join(link) }
        }
        try await scene.check()
    }

    private func sharedAndFull(_ scene: Scene) async throws {
        try await withDevice(of: scene) { device, _ in
            await expect(.alreadyShared, scene) { () async throws(DeviceError) in
                _ = try await device.list(scene.list).share(with: [InvitationRequest(email: "carol@example.com")])
            }
            await expect(.tooManyParticipants, scene) { () async throws(DeviceError) in
                _ = try await device.list(scene.list).invite(email: "carol@example.com")
            }
        }
        try await scene.check()
    }

    /// Another device of Alice's, over a socket, because calls of a person don't use the queues.
    private func withDevice(of scene: Scene, _ body: (Device, String) async throws -> Void) async throws {
        let directory = FleetDirectory()
        try await ServedDatabase.run(scene.database.url, limits: Limits(participantsPerList: 2)) { served in
            let device = try Device(
                directory: directory.path, connectTimeout: .seconds(60), requestTimeout: .seconds(120))
            do {
                _ = try await device.signIn(
                    server: served.address, email: scene.people[0].email, password: FleetNetwork.password)
                let report = try await device.sync()
                #expect(report.failure == nil)
                try await body(device, served.address)
            } catch {
                await device.close()
                throw error
            }
            await device.close()
        }
    }

    private func expect(
        _ code: ProblemCode, _ scene: Scene, _ body: () async throws(DeviceError) -> Void
    ) async {
        do throws(DeviceError) {
            try await body()
            Issue.record("\(code.rawValue) was expected")
        } catch {
            #expect(error.problem?.code == code && !error.description.isEmpty)
            if let code = error.problem?.code { scene.network.state.withLock { _ = $0.answered.insert(code) } }
        }
    }
}
