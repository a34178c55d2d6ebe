import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyWire

/// A person who is signed in on one device.
struct Person: Sendable {
    let email: String
    let account: AccountID
    let device: DeviceID
    let token: String
}

extension Answer {
    func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body))
    }

    /// The problem document, checked to be one.
    var problem: Problem {
        get throws {
            #expect(headers["content-type"] == "application/problem+json")
            let problem: Problem = try decode()
            #expect(problem.status == status && problem.code.status == status)
            #expect(problem.retryAfter.map(String.init) == headers["retry-after"])
            return problem
        }
    }

    /// The status and, when it is an error, its code: `404 listNotFound`.
    var outcome: String {
        get throws { try status < 400 ? "\(status)" : "\(status) \(problem.code.rawValue)" }
    }
}

extension TestService {
    /// The result of a call: the status, and the code of an error.
    func outcome(_ method: String, _ path: String, token: String? = nil) async throws -> String {
        try await call(method, path, token: token).outcome
    }

    static let password = "correct horse"

    /// Signs a person up and in.
    func person(_ name: String) async throws -> Person {
        let email = "\(name)@example.com"
        let signedUp = try await call(
            "POST", Path.accounts, json: #"{"email":"\#(email)","name":"\#(name)","password":"\#(Self.password)"}"#)
        try #require(signedUp.status == 201)
        return try await signIn(email)
    }

    func signIn(_ email: String) async throws -> Person {
        let answer = try await call(
            "POST", Path.sessions, json: #"{"email":"\#(email)","password":"\#(Self.password)"}"#)
        try #require(answer.status == 201)
        let session: SessionResponse = try answer.decode()
        return Person(email: email, account: session.account.id, device: session.device.id, token: session.token)
    }

    func list(of owner: Person) async throws -> ListID {
        let id: ListID = .random()
        let answer = try await call("POST", Path.lists, token: owner.token, json: #"{"id":"\#(id)"}"#)
        try #require(answer.status == 201)
        return id
    }

    /// Invites a person by name, and accepts for them.
    func add(_ person: Person, to list: ListID, of owner: Person, _ permission: Permission = .readWrite) async throws {
        let secret = try await invite(person.email, to: list, of: owner, permission)
        try #require(try await open(Path.accept, secret, by: person).status == 200)
    }

    /// Looks at, accepts or declines an invitation. Anybody may look at a link.
    func open(
        _ path: String, _ secret: String, by person: Person?, headers: [String: String] = [:]
    ) async throws -> Answer {
        try await call(
            "POST", path, token: person?.token, body: Array(#"{"secret":"\#(secret)"}"#.utf8), headers: headers)
    }

    func invite(_ email: String?, to list: ListID, of owner: Person, _ permission: Permission = .readWrite)
        async throws -> String
    {
        let email = email.map { #""email":"\#($0)","# } ?? ""
        let answer = try await call(
            "POST", Path.invitations(list), token: owner.token,
            json: #"{\#(email)"permission":"\#(permission.rawValue)"}"#)
        try #require(answer.status == 201)
        return try answer.decode(InvitationResponse.self).secret
    }

    func upload(_ entries: [JournalEntry], to list: ListID, by person: Person) async throws -> UploadResponse {
        let request = UploadRequest(entries: entries.map { UploadEntry(entry: $0, age: 0) })
        let answer = try await call("POST", Path.entries(list), token: person.token, body: request.json)
        try #require(answer.status == 200)
        return try answer.decode()
    }

    /// A page of a list's changes.
    func changes(_ list: ListID, for person: Person, since token: String? = nil, limit: Int? = nil)
        async throws -> ChangesPage
    {
        let query = [token.map { "since=\($0)" }, limit.map { "limit=\($0)" }].compactMap(\.self).joined(separator: "&")
        let answer = try await call("GET", "\(Path.changes(list))?\(query)", token: person.token)
        try #require(answer.status == 200)
        return try ChangesPage(json: answer.body)
    }

    /// The new changes of all lists.
    func allChanges(_ tokens: [ListID: String], for person: Person, limit: Int? = nil) async throws
        -> AllChangesResponse
    {
        let body = try JSONEncoder().encode(AllChangesRequest(tokens: tokens, limit: limit))
        let answer = try await call("POST", Path.changes, token: person.token, body: Array(body))
        try #require(answer.status == 200)
        return try AllChangesResponse(json: answer.body)
    }
}

extension Identifier {
    static func random() -> Self {
        Self(UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max)))
    }
}

extension JournalEntry {
    /// An `add` with an id of its own.
    static func add(_ text: String, _ deviceSequence: Int64 = 1) -> JournalEntry {
        JournalEntry(
            id: .random(), operation: .add, item: .random(), fields: ["text": .string(text)],
            deviceSequence: deviceSequence)
    }
}

extension ChangesPage {
    var sequences: [Int64] { changes.map(\.sequence.rawValue) }

    var entries: [ConfirmedEntry] {
        changes.compactMap { change in if case .entry(let entry) = change.body { entry } else { nil } }
    }
}
