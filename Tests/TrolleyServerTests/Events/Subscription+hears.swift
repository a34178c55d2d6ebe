import Testing
import TrolleyTestSupport

@testable import TrolleyServer

extension Subscription {
    /// Waits until what is taken from the stream contains this text, and returns it.
    @discardableResult
    func hears(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        var heard = ""
        return try await eventually(every: .milliseconds(2), sourceLocation: sourceLocation) {
            heard += self.take()
            return heard
        } until: {
            $0.contains(text)
        }
    }
}
