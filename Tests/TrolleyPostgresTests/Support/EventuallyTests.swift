import Synchronization
import Testing
import TrolleyTestSupport

@Suite(.timeLimit(.minutes(20))) struct EventuallyTests {
    private final class Looks: Sendable {
        let count = Mutex(0)

        func next() -> String {
            count.withLock { count in
                count += 1
                return "look \(count)"
            }
        }
    }

    @Test func `a value that comes is returned, at the first look that finds it`() async throws {
        var looks = 0
        let value = try await eventually(every: .milliseconds(1)) {
            looks += 1
            return looks
        } until: {
            $0 == 3
        }
        #expect(value == 3 && looks == 3)
    }

    @Test func `a value that doesn't come fails the test with the last value, at the caller's place`() async throws {
        let looks = Looks()
        let line = #line + 2
        func wait() async throws -> String {
            try await eventually("a third", within: .milliseconds(20), every: .milliseconds(1)) {
                looks.next()
            } until: {
                $0 == "look -1"
            }
        }
        try await withKnownIssue {
            _ = try await wait()
        } matching: { issue in
            let last = looks.count.withLock(\.self)
            return issue.comments.contains {
                $0.rawValue.hasPrefix("a third; after 0.02 s") && $0.rawValue.hasSuffix(" still: \"look \(last)\"")
            } && issue.sourceLocation?.line == line && issue.sourceLocation?.fileName == "EventuallyTests.swift"
        }
        #expect(looks.count.withLock(\.self) > 1)
    }

    @Test func `what fails while it is looked at ends the wait`() async throws {
        struct Oops: Error {}
        await #expect(throws: Oops.self) { try await eventually("never") { throw Oops() } }
    }
}
