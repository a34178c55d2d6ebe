import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension Service {
    func addAccountRoutes(to router: Router<TrolleyContext>) {
        router.post("v1/accounts") { request, _ -> Response in
            let wanted = try await request.decode(SignUpRequest.self, limits: limits)
            let email = try EmailAddress(wanted.email)
            let name = try displayName(wanted.name, called: "name")
            guard (8...200).contains(wanted.password.unicodeScalars.count) else {
                throw Problem(.invalidArguments, "password must have 8 to 200 characters")
            }
            let hash = try await hasher.hash(wanted.password)
            let account = try await store.createAccount(email: email, name: name, passwordHash: hash.text)
            return try .json(account, status: .created)
        }

        router.post("v1/sessions") { request, _ -> Response in
            let credentials = try await request.decode(SignInRequest.self, limits: limits)
            let deviceName = try displayName(credentials.deviceName ?? "A device", called: "deviceName")
            // An address that can't be one, and one that nobody has, take as long and say the same as a wrong password.
            let stored = try await store.passwordHash(of: EmailAddress(unchecked: credentials.email.trimmed))
            guard
                try await hasher.verify(
                    credentials.password, against: stored.map { PasswordHash(stored: $0.passwordHash) }),
                let account = stored?.account
            else { throw Problem(.notAuthenticated, "no account has this email and password") }
            let secret = Secret()
            let device = try await store.createDevice(account: account.id, name: deviceName, tokenHash: secret.hash)
            return try .json(SessionResponse(token: secret.text, account: account, device: device), status: .created)
        }
    }

    func addDeviceRoutes(to router: RouterGroup<TrolleyContext>) {
        router.delete("v1/session") { _, context -> Response in
            try await store.signOut(device: context.session.device, account: context.session.account)
            hub.signedOut(try context.session.device)
            return .noContent
        }
        router.get("v1/account") { _, context -> Response in
            try .json(try await store.account(context.session.account))
        }
        router.get("v1/devices") { _, context -> Response in
            try .json(DevicesResponse(devices: try await store.devices(seenBy: context.session)))
        }
        router.delete("v1/devices/:device") { _, context -> Response in
            let device: DeviceID = try context.identifier("device", otherwise: .unknownItem)
            try await store.signOut(device: device, account: context.session.account)
            hub.signedOut(device)
            return .noContent
        }
    }

    /// A name that a person gave, without white space around it. What is counted is code points, as JSON Schema does: one
    /// character as Swift counts can be megabytes of combining marks.
    func displayName(_ text: String, called field: String) throws -> String {
        let name = text.trimmed
        guard (1...100).contains(name.unicodeScalars.count), !name.unicodeScalars.contains("\0") else {
            throw Problem(.invalidArguments, "\(field) must have 1 to 100 characters")
        }
        return name
    }
}
