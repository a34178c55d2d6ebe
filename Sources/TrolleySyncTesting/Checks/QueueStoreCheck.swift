public import TrolleySync

/// A named check of a requirement for every `QueueStore`.
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
/// The checks need no testing library: a check that fails throws a ``QueueStoreFailure``.
public struct QueueStoreCheck: Sendable {
    /// The requirement.
    public let name: String
    private let body: @Sendable (TriedStore) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (TriedStore) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// All checks.
    public static let all = queues + [underWay] + fetches + snapshots + endings + offers + shown

    /// - Parameter open: opens the store. The first call must give an empty one; each later call the same store again, as after
    ///   a restart.
    /// - Throws: a ``QueueStoreFailure``, or the store's error.
    public func run(_ open: @escaping @Sendable () async throws -> any QueueStore) async throws {
        try await body(TriedStore(check: name, store: try await open(), open: open))
    }
}

extension QueueStoreCheck: CustomStringConvertible {
    public var description: String { name }
}

/// A requirement of a ``QueueStoreCheck`` that the store doesn't meet.
public struct QueueStoreFailure: Error, Sendable, CustomStringConvertible {
    /// The check's name.
    public let check: String
    /// The expectation that failed.
    public let expectation: String
    /// The value that was found, if it helps.
    public let found: String?
    /// The line in the check's source.
    public let line: Int

    public var description: String {
        "\(check): \(expectation)" + (found.map { ", but found \($0)" } ?? "") + " (line \(line))"
    }
}
