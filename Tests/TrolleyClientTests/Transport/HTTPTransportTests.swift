import Testing
import TrolleySync
import TrolleyWire

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct HTTPTransportTests {
    @Test func `the wait may stand in the header alone`() {
        let body = Array(#"{"code":"zoneBusy","status":503,"title":"busy"}"#.utf8)
        let refusal = HTTPTransport.refusal(status: 503, body: body, retryAfter: 7)
        #expect(refusal == .problem(.init(busy: 7)))
    }

    @Test func `a proxy that answers by itself is understood`() {
        let page = Array("<html>".utf8)
        for (status, code) in [
            (413, ProblemCode.limitExceeded), (429, .requestRateLimited), (502, .serviceUnavailable),
            (503, .serviceUnavailable), (504, .serviceUnavailable),
        ] {
            let refusal = HTTPTransport.refusal(status: status, body: page, retryAfter: 3)
            guard case .problem(let problem) = refusal else {
                Issue.record("\(status) is a problem")
                continue
            }
            #expect(problem.code == code)
            // Waiting does not make the request smaller.
            #expect(problem.retryAfter == (status == 413 ? nil : 3))
        }
        #expect(
            HTTPTransport.refusal(status: 404, body: page, retryAfter: nil)
                == .notUnderstood("HTTP status 404 without a reason"))
    }

    @Test func `no error of the network repeats what a person wrote`() async throws {
        let directory = TemporaryDirectory()
        let device = try Device(directory: directory.path, requestTimeout: .milliseconds(300))
        await #expect {
            _ = try await device.signUp(
                server: "http://127.0.0.1:1", email: "secret@example.com", name: "Secret", password: "secret-password")
        } throws: { error in
            !"\(error)".lowercased().contains("secret")
        }
        await device.close()
    }
}

extension Problem {
    fileprivate init(busy retryAfter: Int) {
        self.init(.zoneBusy, retryAfter: retryAfter)
        title = "busy"
    }
}
