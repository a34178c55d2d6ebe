import Testing
import TrolleyPostgres
import TrolleyServer
import TrolleyStore
import TrolleyWire

@Suite("Signing up", .timeLimit(.minutes(20)))
struct RegistrationTests {
    @Test("a closed service refuses every sign-up with the reason")
    func closed() async throws {
        try await TestService.with(registration: .closed) { service in
            #expect(try await service.call("GET", Path.config).decode(ConfigResponse.self).registration == .closed)
            #expect(try await service.signUp("anna", nil).outcome == "403 permissionFailure")
            let code = try await service.code()
            #expect(try await service.signUp("anna", code).outcome == "403 permissionFailure")
        }
    }

    @Test("by invitation, a code lets one person sign up, in time, and only whom it is for")
    func codes() async throws {
        try await TestService.with(registration: .invitation) { service in
            #expect(try await service.signUp("anna", nil).outcome == "403 permissionFailure")
            #expect(try await service.signUp("anna", "nonsense").outcome == "403 permissionFailure")
            let code = try await service.code()
            #expect(try await service.signUp("anna", code).status == 201)
            #expect(try await service.signUp("ben", code).outcome == "403 permissionFailure", "used")
            let forBen = try await service.code(for: "Ben@Example.com")
            #expect(try await service.signUp("carol", forBen).outcome == "403 permissionFailure")
            #expect(try await service.signUp("ben", forBen).status == 201)
            let late = try await service.code()
            _ = try await service.pool.withConnection {
                try await $0.execute("UPDATE sign_up_code SET expires_at = now() - interval '1 second'")
            }
            #expect(try await service.signUp("carol", late).outcome == "403 permissionFailure")
        }
    }

    @Test("a code is not used up by an address that is taken")
    func taken() async throws {
        try await TestService.with(registration: .invitation) { service in
            #expect(try await service.signUp("anna", service.code()).status == 201)
            let code = try await service.code()
            #expect(try await service.signUp("anna", code).outcome == "409 serverRecordChanged")
            #expect(try await service.signUp("ben", code).status == 201)
        }
    }

    @Test("an invitation lets its person sign up, and a link lets the first person who uses it sign up")
    func invitations() async throws {
        try await TestService.with(registration: .invitation) { service in
            #expect(try await service.signUp("anna", service.code()).status == 201)
            let anna = try await service.signIn("anna@example.com")
            let list = try await service.list(of: anna)
            let forBen = try await service.invite("ben@example.com", to: list, of: anna)
            #expect(try await service.signUp("carol", forBen).outcome == "403 permissionFailure")
            #expect(try await service.signUp("ben", forBen).status == 201)
            let link = try await service.invite(nil, to: list, of: anna)
            #expect(try await service.open(Path.previewInvitation, link, by: nil).status == 200)
            #expect(try await service.signUp("carol", link).status == 201)
            #expect(try await service.open(Path.previewInvitation, link, by: nil).outcome == "404 unknownItem")
            #expect(try await service.signUp("dora", link).outcome == "403 permissionFailure")
            let (ben, carol) = (
                try await service.signIn("ben@example.com"), try await service.signIn("carol@example.com")
            )
            #expect(
                try await service.open(Path.accept, link, by: ben).outcome == "404 unknownItem")
            #expect(try await service.open(Path.accept, link, by: carol).status == 200)
            #expect(try await service.open(Path.accept, forBen, by: ben).status == 200)
        }
    }
}

extension TestService {
    fileprivate func signUp(_ name: String, _ invitation: String?) async throws -> Answer {
        let invitation = invitation.map { #","invitation":"\#($0)""# } ?? ""
        return try await call(
            "POST", Path.accounts,
            json: #"{"email":"\#(name)@example.com","name":"\#(name)","password":"\#(Self.password)"\#(invitation)}"#)
    }

    /// A code of an operator.
    fileprivate func code(for email: String? = nil) async throws -> String {
        try await SignUpCode.make(for: email, lifetime: Age(days: 1), in: Store(pool: pool)).code
    }
}
