import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

/// A list that is shared by many people, made without inviting each.
struct LargeShare {
    let test: TestStore
    let owner: Session
    let list: ListID
    /// The participants, without the owner.
    let people: [AccountID]

    init(of count: Int, in test: TestStore, ownedBy name: String = "olivia") async throws {
        self.test = test
        owner = try await test.person(name)
        list = try await test.list(of: owner)
        let rows = try await test.pool.withConnection { connection in
            try await connection.execute(
                Query(
                    unescaped: """
                        INSERT INTO account (id, email, email_key, name, password_hash)
                        SELECT gen_random_uuid(), n || '.\(name)@example.org', n || '.\(name)@example.org',
                            'Person number ' || n, '-'
                        FROM generate_series(1, \(count)) AS n
                        RETURNING id
                        """))
        }
        people = try rows.map { try $0.decode(AccountID.self, at: 0) }
        for person in people {
            try await test.run(
                """
                INSERT INTO member (list_id, account_id, role, permission)
                VALUES ('\(list)', '\(person)', 'participant', 'readWrite')
                """)
        }
    }

    /// Changes permissions one by one, each of the next person.
    /// - Returns: the states of the share that result.
    @discardableResult
    func permit(_ count: Int) async throws -> [ShareState] {
        var states: [ShareState] = []
        for number in 0..<count {
            let permission: Permission = number / people.count % 2 == 0 ? .readOnly : .readWrite
            states.append(
                try await test.store.permit(
                    permission, to: people[number % people.count], on: list, by: owner.account))
        }
        return states
    }

    /// Stores the states as they were stored before states had differences.
    func makeOld() async throws {
        let stream = try await all()
        for case (let sequence, .share(let share)) in stream.map({ ($0.sequence, $0.body) }) {
            let column = Change(sequence: sequence, body: .share(share)).column
            try await test.pool.withConnection { connection in
                _ = try await connection.execute(
                    """
                    UPDATE event SET change = \(column), difference = NULL, base = NULL, bytes = NULL
                    WHERE list_id = \(list) AND sequence = \(sequence)
                    """)
            }
        }
        try await test.run("UPDATE list SET share_at = NULL, share_bytes = 0 WHERE id = '\(list)'")
    }

    /// The whole stream, page by page.
    func all() async throws -> [Change] {
        var changes: [Change] = []
        var after = SequenceNumber.start
        while true {
            let page = try await test.store.changes(of: list, for: owner.account, after: after, limit: 5000)
            changes += try page.changes
            guard let last = try page.last, !page.isComplete else { return changes }
            after = last.sequence
        }
    }

    func number(_ sql: String) async throws -> Int64 {
        try await test.pool.withConnection { try await $0.execute(Query(unescaped: sql))[0].decode(Int64.self, at: 0) }
    }
}

extension [Change] {
    var states: [ShareState] {
        compactMap { change in if case .share(let share) = change.body { share } else { nil } }
    }
}
