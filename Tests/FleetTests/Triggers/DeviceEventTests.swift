import Synchronization
import Testing
import TrolleyJournal
import TrolleySync
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyClient

/// Devices that stay open, and a real service.
@Suite("Device events", .timeLimit(.minutes(20)))
struct DeviceEventTests {
    /// Collects a device's events.
    final class Listener: Sendable {
        private let events = Mutex<[DeviceEvent]>([])
        private let task = Mutex<Task<Void, Never>?>(nil)

        init(_ device: Device, every interval: Duration = .seconds(3600), open list: ListID? = nil) {
            let stream = device.events(every: interval, open: list)
            task.withLock { task in
                task = Task { [self] in for await event in stream { events.withLock { $0.append(event) } } }
            }
        }

        var heard: [DeviceEvent] { events.withLock { $0 } }

        func until(
            _ event: DeviceEvent, times: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            try await eventually("events with \(event)", sourceLocation: sourceLocation) {
                heard
            } until: {
                $0.count { $0 == event } >= times
            }
        }

        func stop() { task.withLock { $0?.cancel() } }
    }

    @Test("a hint brings what another device did; what this device did brings none, nor does a heartbeat")
    func hints() async throws {
        try await RoomPair.with(processes: 1) { pair in
            #expect(try await pair.alice.sync(.manual).failure == nil)
            let alice = Listener(pair.alice)
            try await alice.until(.sync(.network))
            try await pair.bob.list(pair.list).add("bread")
            _ = try await pair.bob.sync(.ownChange)
            try await alice.until(.sync(.push))
            #expect(try await pair.alice.sync(.push).outcome == .newData)
            let before = alice.heard.count
            try await pair.alice.list(pair.list).add("eggs")
            _ = try await pair.alice.sync(.ownChange)
            // A later event, so that an earlier one would have come.
            _ = try await pair.bob.list(pair.list).announcePresence()
            try await alice.until(.presence(pair.list))
            #expect(alice.heard.dropFirst(before).allSatisfy { $0 == .presence(pair.list) })
            alice.stop()
        }
    }

    @Test("devices that are started come into step by themselves, and stop")
    func driven() async throws {
        try await RoomPair.with(processes: 1) { pair in
            for device in [pair.alice, pair.bob] { device.start(every: .seconds(3600)) }
            try await pair.alice.list(pair.list).add("bread")
            try await pair.bob.list(pair.list).add("eggs")
            for device in [pair.alice, pair.bob] {
                try await eventually {
                    try await Set(device.list(pair.list).state().items.map(\.text))
                } until: {
                    $0 == ["milk", "bread", "eggs"]
                }
            }
            await pair.alice.stop()
            try await pair.alice.list(pair.list).add("tea")
            #expect(try await pair.alice.queues().waiting == 1, "nothing sends it any more")
        }
    }

    @Test("a stream that falls silent ends, so that the device connects again")
    func silence() async throws {
        let server = try await SilentServer.start()
        let directory = FleetDirectory()
        let device = try Device(
            directory: directory.path, connectTimeout: .seconds(60), requestTimeout: .milliseconds(100),
            fallbackTimeout: .milliseconds(100), silenceLimit: .milliseconds(100), authorities: nil,
            allowsPlainHTTP: false,
            clock: DeviceTime.now)
        try await device.store.signIn(
            AccountSession(
                server: "http://127.0.0.1:\(server.port)", token: "t", account: device.identifier(),
                email: "a@example.com", name: "A", device: device.identifier()))
        let listener = Listener(device, every: .seconds(1))
        try await listener.until(.sync(.network), times: 2)
        listener.stop()
        await device.close()
        try await server.stop()
    }

    @Test("a sync that is cut short by its caller is no outage, and says so")
    func cutShort() async throws {
        let server = try await SilentServer.start()
        let directory = FleetDirectory()
        let device = try Device(directory: directory.path, connectTimeout: .seconds(60), requestTimeout: .seconds(120))
        try await device.store.signIn(
            AccountSession(
                server: "http://127.0.0.1:\(server.port)", token: "t", account: device.identifier(),
                email: "a@example.com", name: "A", device: device.identifier()))
        let report = try await device.sync(.manual, within: .milliseconds(100))
        #expect(report.failure == .stopped && report.nextTry == nil)
        #expect(try await device.ongoingFailure() == nil)
        #expect(try await device.syncErrors().isEmpty)
        await device.close()
        try await server.stop()
    }
}
