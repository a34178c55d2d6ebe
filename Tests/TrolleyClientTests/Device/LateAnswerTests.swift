import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// Answers that are still on their way when somebody signs out. Each is for the session that has asked.
@Suite(.timeLimit(.minutes(20))) struct LateAnswerTests {
    private let service = InMemoryService()

    /// Ann's device, with a list of hers on the service. Answers to calls of this path are held.
    private func annsPhone(holding path: String) async throws -> (phone: Device, held: HeldConnection) {
        let desk = try await service.device(of: "Ann")
        try await desk.makeList(named: "Diary").add("doctor")
        _ = try await desk.sync()
        _ = try await service.device(of: "Ben")
        let held = HeldConnection(InMemoryConnection(service: service), path: path)
        let phone = try Device.inMemory(over: held)
        try await signIn("ann", on: phone)
        return (phone, held)
    }

    private func signIn(_ person: String, on device: Device) async throws {
        _ = try await device.signIn(
            server: InMemoryService.address, email: "\(person)@example.com", password: InMemoryService.password)
    }

    @Test func `a fetch that comes after signing out brings nobody's lists, and the next person takes none over`()
        async throws
    {
        let (phone, held) = try await annsPhone(holding: Path.changes)
        let late = Task { try await phone.sync() }
        await held.untilHeld()
        // As another program does it: this one would wait for the run.
        try await phone.store.signOut()
        held.release()
        #expect(try await late.value.failure == .notSignedIn)
        #expect(try await phone.lists().isEmpty)
        try await signIn("ben", on: phone)
        #expect(try await phone.lists().isEmpty)
        await phone.close()
    }

    @Test func `a run goes on for nobody else: neither with their lists nor with its waits`() async throws {
        let (phone, held) = try await annsPhone(holding: Path.changes)
        service.goWrong { _, path in
            path == Path.changes ? .problem(Problem(.serviceUnavailable, retryAfter: 600)) : nil
        }
        for fails in [true, false] {
            let late = Task { try await phone.sync() }
            await held.untilHeld()
            try await phone.store.signOut()
            try await signIn("ben", on: phone)
            try await phone.makeList(named: "Ben's")
            held.release()
            #expect(try await late.value.failure == .stopped)
            #expect(try await phone.store.deviceStatus().retryState == RetryState(), "fails: \(fails)")
            #expect(try await phone.lists().allSatisfy { $0.name == "Ben's" })
            #expect(try await phone.syncErrors().isEmpty)
            service.goWrong { _, _ in nil }
            try await phone.store.signOut(.forget)
            try await signIn("ann", on: phone)
        }
        let desk = try await service.device(of: "Ann")
        _ = try await desk.sync()
        #expect(try await desk.lists().map(\.name) == ["Diary"], "nothing of Ben's was made in Ann's account")
        await phone.close()
    }

    @Test func `an account that is deleted takes nothing of the person along who has signed in since`() async throws {
        let (phone, held) = try await annsPhone(holding: Path.account)
        let late = Task { try await phone.account.delete(password: InMemoryService.password) }
        await held.untilHeld()
        try await phone.store.signOut(.hide)
        try await signIn("ben", on: phone)
        let list = try await phone.makeList(named: "Ben's")
        held.release()
        try await late.value
        #expect(try await phone.session()?.email == "ben@example.com")
        #expect(try await phone.lists().map(\.id) == [list.id])
        await phone.close()
    }

    @Test func `a list that was joined by a session that has ended is nobody else's`() async throws {
        let (phone, held) = try await annsPhone(holding: Path.accept)
        let ben = try await service.device(of: "Ben")
        let link = try await ben.makeList(named: "Party").invite().link
        let late = Task { try await phone.join(link) }
        await held.untilHeld()
        try await phone.store.signOut()
        held.release()
        await #expect(throws: DeviceError.notSignedIn) { _ = try await late.value }
        #expect(try await phone.lists().isEmpty)
        await phone.close()
    }
}

/// A connection that holds the answers to calls of one path back until a test lets them go.
private final class HeldConnection: ServiceConnection {
    private let inner: InMemoryConnection
    private let path: String
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    private let (releases, permission) = AsyncStream.makeStream(of: Void.self)

    init(_ inner: InMemoryConnection, path: String) {
        self.inner = inner
        self.path = path
    }

    /// Returns when the service has answered a call and the device has not heard it.
    func untilHeld() async { for await _ in arrivals { return } }

    func release() { permission.yield() }

    func answer(_ call: ServiceCall) async throws(TransportError) -> ServiceAnswer {
        let answer = try await inner.answer(call)
        guard call.path == path else { return answer }
        arrival.yield()
        for await _ in releases { break }
        return answer
    }

    func hear(_ call: ServiceCall, opened: () -> Void, _ take: ([UInt8]) -> Bool) async throws {
        try await inner.hear(call, opened: opened, take)
    }

    func close() async {}
}
