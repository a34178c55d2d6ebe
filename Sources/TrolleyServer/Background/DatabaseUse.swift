import ServiceLifecycle
import TrolleyStore

/// A part of the service that holds only the connections to the database of its kind of work.
struct DatabaseUse: ServiceLifecycle.Service {
    enum Kind {
        /// No client waits for it.
        case background
        /// It looks for changes to tell clients.
        case hints
    }

    private let kind: Kind
    private let part: any ServiceLifecycle.Service

    init(_ kind: Kind, _ part: any ServiceLifecycle.Service) {
        self.kind = kind
        self.part = part
    }

    func run() async throws {
        switch kind {
        case .background: try await Store.inBackground { try await part.run() }
        case .hints: try await Store.readingShortly { try await part.run() }
        }
    }
}
