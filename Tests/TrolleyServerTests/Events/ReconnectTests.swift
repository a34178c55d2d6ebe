import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

/// Streams of one process that begin again while the same process appends. The service polls once an hour, so a hint that
/// isn't there at once would never come.
@Suite("Reconnecting while others write", .timeLimit(.minutes(20)))
struct ReconnectTests {
    /// A device that always has a stream, and fetches whenever it is told to.
    private struct Reader {
        let session: Session
        var stream: Subscription
        var lastEventID: String?
        var knows: Int64 = 0
        var backwards = 0

        /// Reads what the stream tells. The device fetches when it is told to sync, and so knows all that is committed.
        mutating func read(committed: Int64) {
            let (id, hints) = stream.takeHints()
            if !hints.isEmpty { lastEventID = id }
            for hint in hints {
                if hint.name == "sync" { knows = committed }
                guard let sequence = hint.sequence?.rawValue else { continue }
                if sequence < knows { backwards += 1 }
                knows = max(knows, sequence)
            }
        }
    }

    @Test(
        "2,000 reconnects: each change is told at once, and none after a later one",
        arguments: [false, true])
    func reconnects(whileComparing: Bool) async throws {
        let configure = { (configuration: inout ServiceConfiguration) in
            (configuration.rates.streamsPerDevice, configuration.rates.streamsPerAccount) = (nil, nil)
        }
        try await TestService.with(connections: 4, configure: configure) { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            let hub = service.service.hub
            var readers: [Reader] = []
            for _ in 0..<20 {
                let device = try await service.signIn(ben.email).device
                let session = Session(account: ben.account, device: device)
                readers.append(Reader(session: session, stream: try await hub.subscribe(session, lastEventID: nil)))
            }
            defer { for reader in readers { hub.unsubscribe(reader.stream) } }
            for index in readers.indices { readers[index].read(committed: 0) }
            var late = 0
            for round in 1...50 {
                let committed = try await withThrowingTaskGroup(of: (Int, Subscription)?.self) { group in
                    for (index, reader) in readers.enumerated() {
                        group.addTask {
                            hub.unsubscribe(reader.stream)
                            return (index, try await hub.subscribe(reader.session, lastEventID: reader.lastEventID))
                        }
                    }
                    if whileComparing { hub.changed(.everything) }
                    let uploaded = try await service.upload([.add("item", Int64(round))], to: list, by: anna)
                    for try await begun in group {
                        if let (index, stream) = begun { readers[index].stream = stream }
                    }
                    return uploaded.results.first?.sequence?.rawValue ?? 0
                }
                for index in readers.indices {
                    readers[index].read(committed: committed)
                    if readers[index].knows < committed { late += 1 }
                }
            }
            #expect(late == 0, "of 1,000")
            #expect(readers.reduce(0) { $0 + $1.backwards } == 0)
        }
    }
}
