import ArgumentParser
import FoundationEssentials
import Synchronization
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import trolley

/// A service that a test scripts. It takes every change unless the test says otherwise, and has nothing new.
final class StubService: ServiceConnection {
    private struct State {
        var calls: [String] = []
        var isReachable = true
        var answers: [String: [UInt8]] = [:]
        var page: [AllChangesResponse.List] = []
        var refuses: @Sendable (JournalEntry) -> Bool = { _ in false }
        var held: (call: String, arrivals: AsyncStream<Void>.Continuation)?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The account of ``device()``.
    static let account: AccountID = id(1)

    private let state = Mutex(State())

    /// A device on which Ann is signed in here.
    func device() async throws -> Device {
        let device = try Device.inMemory(over: self)
        _ = try await device.signIn(
            server: "https://stub.example", email: "ann@example.com", password: "correct horse")
        return device
    }

    static func id<ID: Identifier>(_ number: UInt64) -> ID {
        .version7(at: Timestamp(milliseconds: 0), random: (0, number))
    }

    /// The calls so far: `GET /v1/lists`.
    var calls: [String] { state.withLock { $0.calls } }

    func setReachable(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

    /// Sets which changes are refused.
    func refuse(_ refuses: @escaping @Sendable (JournalEntry) -> Bool) { state.withLock { $0.refuses = refuses } }

    /// Sets the answer to a call, named as in ``calls``.
    func answer(_ call: String, with value: some Encodable) throws {
        let body = try json(value)
        state.withLock { $0.answers[call] = body }
    }

    /// Lets a call, named as in ``calls``, wait until ``release()``.
    /// - Returns: one element for each of its arrivals.
    func hold(_ call: String) -> AsyncStream<Void> {
        let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.held = (call, continuation) }
        return arrivals
    }

    /// Lets the calls go on that wait.
    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.held = nil
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    private func waitIfHeld(_ call: String) async {
        await withCheckedContinuation { waiter in
            let isHeld = state.withLock { state in
                guard let held = state.held, held.call == call else { return false }
                held.arrivals.yield()
                state.waiting.append(waiter)
                return true
            }
            if !isHeld { waiter.resume() }
        }
    }

    /// Sets what the next fetches bring.
    func bring(_ lists: [AllChangesResponse.List]) { state.withLock { $0.page = lists } }

    // MARK: The connection

    func answer(_ call: ServiceCall) async throws(TransportError) -> ServiceAnswer {
        let name = "\(call.method) \(call.path)"
        let (isReachable, answer) = state.withLock { state in
            state.calls.append(name)
            return (state.isReachable, state.answers[name])
        }
        guard isReachable else { throw .unreachable("the connection was refused") }
        await waitIfHeld(name)
        do {
            return ServiceAnswer(status: 200, body: try answer ?? body(of: call))
        } catch {
            throw .notUnderstood("\(error)")
        }
    }

    private func body(of call: ServiceCall) throws -> [UInt8] {
        let now = Timestamp.now()
        switch (call.method, call.path) {
        case ("POST", Path.sessions):
            return try json(
                SessionResponse(
                    token: "secret",
                    account: AccountResponse(
                        id: Self.account, email: "ann@example.com", name: "Ann", createdAt: now),
                    device: DeviceResponse(
                        id: Self.id(2), name: "a device", createdAt: now, lastSeenAt: now, current: true)))
        case ("GET", Path.config):
            return try json(ConfigResponse(version: "1", protocolVersion: ProtocolVersion.current, limits: Limits()))
        case ("GET", Path.lists): return try json(ListsResponse(lists: []))
        case ("POST", Path.lists):
            let request = try JSONDecoder().decode(CreateListRequest.self, from: Data(call.body ?? []))
            return try json(
                CreateListResponse(
                    list: ListResponse(
                        id: request.id, role: .owner, permission: .readWrite, head: .start, createdAt: now)))
        case ("POST", Path.changes): return AllChangesResponse(lists: state.withLock { $0.page }).json
        case ("POST", let path) where path.hasSuffix("/entries"):
            let refuses = state.withLock { $0.refuses }
            let items = try UploadBody(json: call.body ?? [], limits: Limits()).items
            let results = items.enumerated().map { index, item in
                switch item {
                case .rejected(let result): result
                case .valid(let upload) where refuses(upload.entry):
                    UploadResult.rejected(upload.entry.id, .limitExceeded, "as the test says")
                case .valid(let upload):
                    UploadResult.accepted(
                        upload.entry.id, at: SequenceNumber(rawValue: Int64(index) + 1), madeAt: now, receivedAt: now,
                        .applied)
                }
            }
            return try json(UploadResponse(results: results, token: "1"))
        default: return Array("{}".utf8)
        }
    }

    private func json(_ value: some Encodable) throws -> [UInt8] { Array(try JSONEncoder().encode(value)) }

    func hear(_ call: ServiceCall, opened: () -> Void, _ take: ([UInt8]) -> Bool) async throws {}

    func close() async {}
}

/// Runs a command of the program on a device.
/// - Returns: its JSON document, and whether it failed.
func run(_ line: String..., on device: Device) async throws -> (document: String, isFailed: Bool) {
    try await run(line, on: device)
}

func run(_ line: [String], on device: Device) async throws -> (document: String, isFailed: Bool) {
    let capture = Console.Capture()
    guard let command = try await Trolley.asyncParseAsRoot(line) as? any DeviceCommand else { return ("", true) }
    do {
        try await command.run(on: device, Console(json: true, capture: capture))
    } catch is ExitCode {
        return (capture.document, true)
    }
    return (capture.document, false)
}
