import FoundationEssentials
import NIOCore
import Synchronization
import TrolleyJournal
import TrolleyWire

/// Compares the wanted items of households with the lists on the service and on their devices.
final class Comparison: Sendable {
    private struct Findings: Encodable {
        var lists = 0
        var differentLists = 0
        var devices = 0
        var differentDevices = 0
        /// The first difference.
        var example: String?
    }

    let port: Address
    let group: any EventLoopGroup
    let town: Town
    private let findings = Mutex(Findings())

    init(port: Address, group: any EventLoopGroup, town: Town) {
        self.port = port
        self.group = group
        self.town = town
    }

    var hasFound: Bool { findings.withLock { $0.differentLists + $0.differentDevices > 0 } }

    /// JSON: the numbers of compared and of different lists.
    var json: String {
        get throws { String(decoding: try JSONEncoder().encode(findings.withLock { $0 }), as: UTF8.self) }
    }

    func compare(_ numbers: StrideThrough<Int>) async throws {
        for number in numbers { try await compare(number) }
    }

    private func compare(_ number: Int) async throws {
        var household = town.leave(number)
        let connection = try await HTTPConnection(to: port, from: Address.source(number), on: group)
        let shown = try await state(of: household, over: connection)
        let isWanted = shown.wanted == household.year.wanted
        findings.withLock { findings in
            findings.lists += 1
            guard !isWanted else { return }
            findings.differentLists += 1
            findings.example =
                findings.example ?? "list \(number) shows \(shown.wanted), its household wants \(household.year.wanted)"
        }
        if household.phones[0].isWatched {
            for device in household.phones.indices {
                try await catchUp(device, of: &household, over: connection)
                record(household.phones[device], device, of: number, against: shown)
            }
            var fresh = Household(number: number, isWatched: true)
            try await catchUp(0, of: &fresh, over: connection)
            record(fresh.phones[0], 3, of: number, against: shown)
        }
        await connection.close()
        town.comeHome(household, Town.Record())
    }

    private func record(_ phone: Phone, _ device: Int, of number: Int, against shown: ShownList) {
        let digest = phone.digest?.description
        findings.withLock { findings in
            findings.devices += 1
            guard digest != shown.digest else { return }
            findings.differentDevices += 1
            findings.example =
                findings.example
                ?? "device \(device) of list \(number) has \(digest ?? "nothing"), the service \(shown.digest)"
        }
    }

    private func state(of household: Household, over connection: HTTPConnection) async throws -> ShownList {
        let answer = try await connection.patiently {
            HTTPCall(path: Path.state(household.list), authorization: household.authorization(2))
        }
        return try JSONDecoder().decode(ShownList.self, from: Data(answer.body.readableBytesView))
    }

    private func catchUp(_ device: Int, of household: inout Household, over connection: HTTPConnection) async throws {
        var answer: AllChangesResponse
        repeat {
            let known = household
            let bytes = try await connection.patiently { known.sync(of: device) }.body
            answer = try AllChangesResponse(json: bytes.readableBytesView)
            household.take(answer, on: device)
        } while answer.moreComing
    }
}

/// The compared members of `GET /v1/lists/{id}/state`.
private struct ShownList: Decodable {
    struct Item: Decodable {
        struct Fields: Decodable {
            let quantity: String?
        }

        let id: ItemID
        let text: String
        let markedOff: Bool
        let fields: Fields
    }

    let digest: String
    let items: [Item]

    var wanted: [ShoppingYear.WantedItem] {
        items.filter { !$0.markedOff }.map { .init(id: $0.id, text: $0.text, quantity: $0.fields.quantity) }
    }
}
