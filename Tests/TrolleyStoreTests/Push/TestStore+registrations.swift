import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

extension TestStore {
    /// A program with a personal token of a person.
    func program(of person: Session) async throws -> Session {
        func random() -> [UInt8] { (0..<32).map { _ in .random(in: .min ... .max) } }
        let token = try await store.createPersonalToken(
            account: person.account, name: "phone", tokenHash: random(), unusable: random(), scope: TokenScope(),
            expiresAt: nil)
        return Session(account: person.account, device: token.id, scope: TokenScope())
    }

    @discardableResult
    func register(
        _ program: Session, for list: ListID, endpoint: String = "phone", content: Bool = true,
        properties: Bool = true, seconds: Int64 = 3600
    ) async throws -> PushRegistration {
        try await store.register(
            program, for: list,
            RegistrationRequest(
                endpoint: "https://push.example.net/\(endpoint)",
                keys: PushKeys(publicKey: Array(repeating: 4, count: 65), secret: Array(repeating: 5, count: 16)),
                origin: "https://lists.example.com", wantsContent: content, wantsProperties: properties,
                seconds: seconds))
    }

    /// Looks at all registrations.
    func tellRegistered(
        _ pacing: RegistrationPacing = RegistrationPacing(combining: 0, spacing: 0)
    ) async throws -> RegistrationRound {
        try await store.tellRegistered(on: nil, pacing)
    }

    func claimDeliveries() async throws -> [ClaimedDelivery] {
        try await store.claimDeliveries(DeliveryLane(failing: false, free: 10))
    }

    /// The number of rows of a table, perhaps with a condition.
    func rows(_ table: String) async throws -> Int64 {
        let rows = try await pool.withConnection {
            try await $0.execute(Query(unescaped: "SELECT count(*) FROM \(table)"))
        }
        return try rows[0].decode(at: 0)
    }

    func head(of list: ListID, for person: Session) async throws -> SequenceNumber {
        try await store.calendarHead(of: list, for: person.account).head
    }
}
