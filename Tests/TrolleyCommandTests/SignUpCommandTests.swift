import ArgumentParser
import Testing

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct SignUpCommandTests {
    @Test func `a code that begins with a hyphen is a code`() throws {
        let command = try SignUpCommand.parse([
            "http://127.0.0.1:8080", "--email", "alice@example.com", "--name", "Alice", "--invitation", "-DdWLiLb",
        ])
        #expect(command.invitation == "-DdWLiLb")
    }
}
