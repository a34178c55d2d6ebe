import FoundationEssentials
import Testing
import TrolleyJournal

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct ServiceAddressTests {
    @Test func `an address is kept as it was given, without a slash at its end`() {
        #expect(ServiceAddress("http://localhost:8080/")?.description == "http://localhost:8080")
        #expect(ServiceAddress("https://example.com/trolley")?.description == "https://example.com/trolley")
    }

    @Test func `without a scheme it means https, and http for this machine alone`() {
        for text in [
            "lists.example.com", "192.168.1.5:8080", "[fe80::1]:8080", "127.example.com", "127.0.0.1.evil.example",
        ] {
            #expect(ServiceAddress(text)?.description == "https://\(text)")
            #expect(ServiceAddress(text)?.isReadable == false)
            #expect(ServiceAddress(text, allowsPlainHTTP: true)?.description == "http://\(text)")
            #expect(ServiceAddress("http://\(text)")?.isReadable == true)
        }
        for text in ["localhost:8080", "LOCALHOST", "127.0.0.1:8080", "127.8.9.1", "[::1]:8080", "trolley.localhost"] {
            #expect(ServiceAddress(text)?.description == "http://\(text)")
            #expect(ServiceAddress(text)?.isReadable == false)
        }
    }

    @Test func `without a scheme it means a known address of the same host and port`() {
        let known = ServiceAddress("http://nas.example:8080")
        #expect(ServiceAddress("nas.example:8080", like: known) == known)
        #expect(ServiceAddress("nas.example:8081", like: known)?.description == "https://nas.example:8081")
        #expect(ServiceAddress("https://nas.example:8080", like: known)?.isReadable == false)
    }

    @Test func `the names of this machine are one, those of others are not`() {
        #expect(ServiceAddress("http://127.0.0.1:8080") == ServiceAddress("http://localhost:8080"))
        #expect(ServiceAddress("http://[::1]:8080") == ServiceAddress("http://localhost:8080/"))
        #expect(ServiceAddress("http://a.example") != ServiceAddress("https://a.example"))
        #expect(ServiceAddress("http://localhost:8080") != ServiceAddress("http://localhost:8081"))
    }

    @Test func `an invalid address is refused`() {
        for text in ["", "http://", "ftp://example.com", "http://a b", "http://a/?x=1", "http://a/#b", "://"] {
            #expect(ServiceAddress(text) == nil, "\(text)")
        }
    }

    @Test func `a password goes to another machine without TLS only where that is allowed`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "trolley-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // Reserved for documentation (RFC 5737): nothing is sent there.
        let server = "http://192.0.2.1:8080"
        let refused = DeviceError.insecureAddress(server)
        let device = try Device(directory: directory, connectTimeout: .milliseconds(1))
        await #expect(throws: refused) {
            _ = try await device.signIn(server: server, email: "a@example.com", password: "correct horse")
        }
        await #expect(throws: refused) {
            _ = try await device.signUp(server: server, email: "a@example.com", name: "A", password: "correct horse")
        }
        await #expect(throws: refused) {
            _ = try await device.account.resetPassword(
                server: server, email: "a@example.com", code: "x", newPassword: "y")
        }
        await #expect(throws: refused) { try await device.account.sendEmailCode(to: "a@example.com", server: server) }
        #expect(try device.address("192.0.2.1:8080", knowing: nil).description == "https://192.0.2.1:8080")
        // A session from before goes on, and so does signing in to its service again.
        let session = AccountSession(
            server: server, token: "t", account: AccountID(UUIDBits(high: 1, low: 1)), email: "a@example.com",
            name: "A", device: DeviceID(UUIDBits(high: 2, low: 2)))
        #expect(session.isReadable)
        #expect(try device.address("192.0.2.1:8080", knowing: session).description == server)
        await device.close()

        let allowing = try Device(directory: directory, connectTimeout: .milliseconds(1), allowsPlainHTTP: true)
        #expect(try allowing.address("192.0.2.1:8080", knowing: nil).description == server)
        await allowing.close()
    }
}
