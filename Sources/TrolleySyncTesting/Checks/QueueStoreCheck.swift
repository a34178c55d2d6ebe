public import TrolleySync

/// One thing that every `QueueStore` must do, as a check with a name.
///
/// Run each of ``all`` on a store of its own, as an argument of a test:
///
/// ```swift
/// @Test(arguments: QueueStoreCheck.all)
/// func conforms(_ check: QueueStoreCheck) async throws {
///     let path = temporaryDirectory()
///     try await check.run { try MyStore(path) }
/// }
/// ```
///
/// Nothing here needs a testing library: a check that fails throws a ``QueueStoreFailure``.
public struct QueueStoreCheck: Sendable {
    /// What the store must do.
    public let name: String
    private let body: @Sendable (TriedStore) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (TriedStore) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// All that a store must do.
    public static let all = queues + fetches + snapshots + endings + shown

    /// - Parameter open: opens the store. The first call must give an empty one; each later call the same store again, as after
    ///   a restart.
    /// - Throws: a ``QueueStoreFailure``, or what the store throws.
    public func run(_ open: @escaping @Sendable () async throws -> any QueueStore) async throws {
        try await body(TriedStore(check: name, store: try await open(), open: open))
    }
}

extension QueueStoreCheck: CustomStringConvertible {
    public var description: String { name }
}

/// What a store did otherwise than a ``QueueStoreCheck`` asks.
public struct QueueStoreFailure: Error, Sendable, CustomStringConvertible {
    /// The check's name.
    public let check: String
    /// What should have been.
    public let expectation: String
    /// What was found, where it says more than that it was otherwise.
    public let found: String?
    /// Where in the check.
    public let line: Int

    public var description: String {
        "\(check): \(expectation)" + (found.map { ", but found \($0)" } ?? "") + " (line \(line))"
    }
}
