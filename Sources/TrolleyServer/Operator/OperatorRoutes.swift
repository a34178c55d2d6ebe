import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// What an account that `trolleyd accounts --operator` has marked may see. Nothing here changes anything.
struct OperatorRoutes: Sendable {
    let store: Store
    let metrics: ServiceMetrics
    let connections: ConnectionCount
    let version: String
    /// Milliseconds after which entries are compressed.
    let compressionAge: Int64
    private let examination = Examination()

    /// The number of lists that are shown.
    private static let lists = 20

    init(
        store: Store, metrics: ServiceMetrics, connections: ConnectionCount, configuration: ServiceConfiguration
    ) {
        self.store = store
        self.metrics = metrics
        self.connections = connections
        version = configuration.version
        compressionAge = configuration.retention.compressionAge
    }

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/operator") { _, context -> Response in
            try await check(context)
            var overview = try await examination.overview { try await examine() }
            overview.requests = requests
            return try .json(overview)
        }
        router.get("v1/operator/diagnostics") { _, context -> Response in
            let account = try await check(context)
            return try .json(reservation: try await diagnostics().json, for: account, in: store)
        }
    }

    /// - Throws: `Problem`: `permissionFailure` for everybody else.
    @discardableResult
    private func check(_ context: TrolleyContext) async throws -> AccountID {
        let account = try context.session.account
        guard try await store.isOperator(account) else {
            throw Problem(
                .permissionFailure,
                "this is for the service's operator; who runs it can say so with trolleyd accounts --operator")
        }
        return account
    }

    private func examine() async throws -> OperatorOverview {
        let diagnostics = try await diagnostics()
        guard let operation = diagnostics.operation else { throw Problem(.internalError) }
        return OperatorOverview(
            at: diagnostics.at, versions: diagnostics.versions,
            migrationsWaiting: diagnostics.migrations.filter { $0.appliedAt == nil }.map { "\($0.version) \($0.name)" },
            findings: await store.examine(compressionAge: compressionAge),
            totals: operation.totals,
            processes: operation.processes.map {
                OperatorOverview.Process(host: $0.host, pid: $0.pid, version: $0.version, startedAt: $0.startedAt)
            },
            lists: try await store.largestLists(limit: Self.lists), deadLetters: diagnostics.deadLetters,
            runs: try await store.maintenanceRuns(), requests: requests)
    }

    private var requests: OperatorOverview.Requests {
        OperatorOverview.Requests(minutes: metrics.requestHistory.recent(), connections: connections.total)
    }

    /// What `trolleyd diagnostics` writes, without texts.
    private func diagnostics() async throws(StoreError) -> ServiceDiagnostics {
        try await store.diagnostics(
            of: .init(), version: version, configuration: ["database": store.location], withContent: false)
    }
}

/// Shares what reads a lot among all requests within ten seconds.
private actor Examination {
    private var latest: (began: ContinuousClock.Instant, overview: Task<OperatorOverview, any Error>)?

    func overview(
        _ examine: @escaping @Sendable () async throws -> OperatorOverview
    ) async throws -> OperatorOverview {
        if let latest, ContinuousClock.now - latest.began < .seconds(10) { return try await latest.overview.value }
        let overview = Task { try await examine() }
        latest = (ContinuousClock.now, overview)
        do { return try await overview.value } catch {
            latest = nil
            throw error
        }
    }
}
