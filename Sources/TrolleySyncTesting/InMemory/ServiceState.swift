import TrolleyClient
import TrolleyJournal
import TrolleyWire

/// What a service in memory stores, and how its calls change it.
struct ServiceState: Sendable {
    struct Account: Sendable {
        var response: AccountResponse
        var password: String
    }

    struct Session: Sendable {
        var account: AccountID
        var device: DeviceID
    }

    var limits: Limits
    let now: @Sendable () -> Timestamp
    var lists: [ListID: SharedList] = [:]
    var epoch = 1
    var accounts: [AccountID: Account] = [:]
    var sessions: [String: Session] = [:]
    var devices: [DeviceID: (account: AccountID, response: DeviceResponse)] = [:]
    var gone: [AccountID: [ListID: ListGoneReason]] = [:]
    var streams: [Int: (account: AccountID, events: AsyncStream<String>.Continuation)] = [:]
    var streamCount = 0

    init(limits: Limits, now: @escaping @Sendable () -> Timestamp) {
        self.limits = limits
        self.now = now
    }

    func identifier<ID: Identifier>(_ type: ID.Type = ID.self) -> ID {
        .version7(at: now(), random: (.random(in: 0...UInt64.max), .random(in: 0...UInt64.max)))
    }

    // MARK: Accounts

    func account(withEmail email: String) -> Account? {
        accounts.values.first { $0.response.email.lowercased() == email.lowercased() }
    }

    func account(_ session: Session) throws(Problem) -> AccountResponse {
        guard let account = accounts[session.account] else { throw Problem(.notAuthenticated) }
        return account.response
    }

    func session(_ token: String?) throws(Problem) -> Session {
        guard let session = token.flatMap({ sessions[$0] }) else {
            throw Problem(.notAuthenticated, "sign in: the request has no valid token")
        }
        return session
    }

    mutating func signUp(_ request: SignUpRequest) throws(Problem) -> AccountResponse {
        guard account(withEmail: request.email) == nil else {
            throw Problem(.serverRecordChanged, "an account with this email exists already; sign in")
        }
        guard (8...200).contains(request.password.count) else {
            throw Problem(.invalidArguments, "a password has 8 to 200 characters")
        }
        let response = AccountResponse(id: identifier(), email: request.email, name: request.name, createdAt: now())
        accounts[response.id] = Account(response: response, password: request.password)
        return response
    }

    mutating func signIn(_ request: SignInRequest) throws(Problem) -> SessionResponse {
        guard let account = account(withEmail: request.email), account.password == request.password else {
            throw Problem(.notAuthenticated, "the email or the password is wrong")
        }
        let device = DeviceResponse(
            id: identifier(), name: request.deviceName ?? "a device", createdAt: now(), lastSeenAt: now(), current: true
        )
        let token = identifier(DeviceID.self).description
        devices[device.id] = (account.response.id, device)
        sessions[token] = Session(account: account.response.id, device: device.id)
        return SessionResponse(token: token, account: account.response, device: device)
    }

    mutating func signOut(_ device: DeviceID, of account: AccountID) throws(Problem) {
        guard devices[device]?.account == account else { throw Problem(.unknownItem, "you have no such device") }
        sessions = sessions.filter { $0.value.device != device }
        devices[device] = nil
    }

    mutating func changePassword(
        _ request: ChangePasswordRequest, _ session: Session
    ) throws(Problem) -> PasswordResponse {
        guard accounts[session.account]?.password == request.password else {
            throw Problem(.permissionFailure, "the password is wrong")
        }
        accounts[session.account]?.password = request.newPassword
        let others = sessions.values.filter { $0.account == session.account && $0.device != session.device }
        for other in others { try signOut(other.device, of: other.account) }
        return PasswordResponse(sessionsEnded: others.count)
    }

    mutating func changeAccount(
        _ request: ChangeAccountRequest, _ session: Session
    ) throws(Problem) -> AccountResponse {
        var response = try account(session)
        if let name = request.name { response.name = name }
        if let colour = request.colour { response.colour = colour.isEmpty ? nil : colour }
        accounts[session.account]?.response = response
        for id in lists.keys.sorted() where lists[id]?.member(session.account) != nil {
            lists[id]?.show(response)
            tell(of: id)
        }
        return response
    }

    /// The account goes: its lists go to others on them, or end.
    mutating func deleteAccount(_ request: DeleteAccountRequest, _ session: Session) throws(Problem) {
        guard accounts[session.account]?.password == request.password else {
            throw Problem(.permissionFailure, "the password is wrong")
        }
        for id in lists.keys.sorted() where lists[id]?.member(session.account) != nil {
            let isOwner = lists[id]?.owner == session.account
            if isOwner, let heir = lists[id]?.members.first(where: { $0.role != .owner })?.account {
                lists[id]?.handOver(to: heir)
            } else if isOwner {
                lists[id] = nil
                continue
            }
            lists[id]?.leave(session.account)
            tell(of: id)
        }
        sessions = sessions.filter { $0.value.account != session.account }
        devices = devices.filter { $0.value.account != session.account }
        accounts[session.account] = nil
    }

    func devices(of session: Session) -> DevicesResponse {
        DevicesResponse(
            devices: devices.values.filter { $0.account == session.account }.map { known in
                var response = known.response
                response.current = response.id == session.device
                return response
            }
            .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) })
    }

    func name(of account: AccountID) -> String? { accounts[account]?.response.name }

    // MARK: Hints

    /// The account's event stream.
    mutating func events(of account: AccountID, ending: @escaping @Sendable (Int) -> Void) -> AsyncStream<String> {
        streamCount += 1
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        let number = streamCount
        streams[number] = (account, continuation)
        continuation.onTermination = { _ in ending(number) }
        return events
    }

    mutating func endStream(_ number: Int) { streams[number] = nil }

    mutating func endStreams() {
        let open = streams.values
        streams = [:]
        for stream in open { stream.events.finish() }
    }

    mutating func note(_ reason: ListGoneReason, of id: ListID, to account: AccountID) {
        gone[account, default: [:]][id] = reason
        hint("gone", id, to: account)
    }

    /// Tells the devices of everybody on a list that something is new.
    func tell(of id: ListID) {
        for account in lists[id]?.members.compactMap(\.account) ?? [] { hint("changed", id, to: account) }
    }

    func hint(_ name: String, _ id: ListID, to account: AccountID) {
        for stream in streams.values where stream.account == account {
            stream.events.yield("event: \(name)\ndata: {\"list\":\"\(id)\"}\n\n")
        }
    }
}
