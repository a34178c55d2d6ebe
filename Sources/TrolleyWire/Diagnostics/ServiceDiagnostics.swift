public import TrolleyJournal

/// The state of the service and its database, for finding faults: of everything, of an account, or of a list. It
/// contains ids, counts, times and codes; text that people wrote, names and addresses only if asked for.
public struct ServiceDiagnostics: Hashable, Sendable {
    public struct Scope: Hashable, Sendable, Codable {
        /// Only this account's devices and lists.
        public var account: AccountID?
        /// Only this list, and the devices of its people.
        public var list: ListID?

        public init(account: AccountID? = nil, list: ListID? = nil) {
            self.account = account
            self.list = list
        }
    }

    public struct Versions: Hashable, Sendable, Codable {
        public var service: String
        /// The newest applied migration.
        public var schema: Int
        public var postgresql: String

        public init(service: String, schema: Int, postgresql: String) {
            self.service = service
            self.schema = schema
            self.postgresql = postgresql
        }
    }

    public struct Migration: Hashable, Sendable, Codable {
        public var version: Int
        public var name: String
        public var appliedAt: Timestamp?

        public init(version: Int, name: String, appliedAt: Timestamp?) {
            self.version = version
            self.name = name
            self.appliedAt = appliedAt
        }
    }

    public struct Account: Hashable, Sendable, Codable {
        public var id: AccountID
        public var createdAt: Timestamp
        public var email: String?
        public var name: String?

        public init(id: AccountID, createdAt: Timestamp, email: String?, name: String?) {
            self.id = id
            self.createdAt = createdAt
            self.email = email
            self.name = name
        }
    }

    public struct Device: Hashable, Sendable, Codable {
        public var id: DeviceID
        public var account: AccountID
        public var name: String?
        public var createdAt: Timestamp
        /// When the device was last here.
        public var lastSeenAt: Timestamp
        public var signedIn: Bool
        /// When the device last reported; nil: never.
        public var reportedAt: Timestamp?
        /// The sequence of each list's token at that time.
        public var positions: [ListID: Int64]
        public var report: QueueReport?

        public init(
            id: DeviceID, account: AccountID, name: String?, createdAt: Timestamp, lastSeenAt: Timestamp,
            signedIn: Bool, reportedAt: Timestamp?, positions: [ListID: Int64], report: QueueReport?
        ) {
            self.id = id
            self.account = account
            self.name = name
            self.createdAt = createdAt
            self.lastSeenAt = lastSeenAt
            self.signedIn = signedIn
            self.reportedAt = reportedAt
            self.positions = positions
            self.report = report
        }
    }

    /// The part that only the operator sees.
    public struct Operation: Hashable, Sendable, Codable {
        public struct Totals: Hashable, Sendable, Codable {
            public var accounts: Int64
            public var devicesSignedIn: Int64
            public var lists: Int64
            /// An estimate of PostgreSQL's statistics; nil: not known yet.
            public var entries: Int64?
            public var bytes: Int64

            public init(accounts: Int64, devicesSignedIn: Int64, lists: Int64, entries: Int64?, bytes: Int64) {
                self.accounts = accounts
                self.devicesSignedIn = devicesSignedIn
                self.lists = lists
                self.entries = entries
                self.bytes = bytes
            }
        }

        public struct Pool: Hashable, Sendable, Codable {
            public var maximum: Int
            public var busy: Int
            public var idle: Int
            public var waiting: Int
            public var opened: Int
            public var failed: Int

            public init(maximum: Int, busy: Int, idle: Int, waiting: Int, opened: Int, failed: Int) {
                self.maximum = maximum
                self.busy = busy
                self.idle = idle
                self.waiting = waiting
                self.opened = opened
                self.failed = failed
            }
        }

        /// A process of the service that runs.
        public struct Process: Hashable, Sendable, Codable {
            public var host: String
            public var pid: Int64
            /// When it was last here; it says so each minute.
            public var seenAt: Timestamp
            /// The settings that were given, by the names of the environment's variables: with values if they can't
            /// contain secrets, otherwise as `(set)`.
            public var settings: [String: String]
            public var startedAt: Timestamp
            public var version: String

            public init(
                host: String, pid: Int64, seenAt: Timestamp, settings: [String: String], startedAt: Timestamp,
                version: String
            ) {
                self.host = host
                self.pid = pid
                self.seenAt = seenAt
                self.settings = settings
                self.startedAt = startedAt
                self.version = version
            }
        }

        public struct Statement: Hashable, Sendable, Codable {
            /// The statement's name, or the beginning of its text without values.
            public var statement: String
            public var calls: Int64
            public var meanMilliseconds: Double
            public var longestMilliseconds: Double

            public init(statement: String, calls: Int64, meanMilliseconds: Double, longestMilliseconds: Double) {
                self.statement = statement
                self.calls = calls
                self.meanMilliseconds = meanMilliseconds
                self.longestMilliseconds = longestMilliseconds
            }
        }

        /// The settings of the process that was started last, without secrets, and the database.
        public var configuration: [String: String]
        public var totals: Totals
        public var pool: Pool
        /// The processes that run, the newest first.
        public var processes: [Process]
        /// The source of `slowest`: `pg_stat_statements`, or the services' own measurements of the last week.
        public var measuredBy: String
        public var slowest: [Statement]

        public init(
            configuration: [String: String], totals: Totals, pool: Pool, processes: [Process], measuredBy: String,
            slowest: [Statement]
        ) {
            self.configuration = configuration
            self.totals = totals
            self.pool = pool
            self.processes = processes
            self.measuredBy = measuredBy
            self.slowest = slowest
        }
    }

    /// By the database's clock.
    public var at: Timestamp
    public var scope: Scope
    public var versions: Versions
    public var epoch: String
    public var migrations: [Migration]
    public var operation: Operation?
    public var accounts: [Account]
    public var devices: [Device]
    public var lists: [DiagnosedList]
    /// Notices that were given up, newest first.
    public var deadLetters: [DeadLetter]

    public init(
        at: Timestamp, scope: Scope, versions: Versions, epoch: String, migrations: [Migration],
        operation: Operation? = nil, accounts: [Account] = [], devices: [Device] = [], lists: [DiagnosedList] = [],
        deadLetters: [DeadLetter] = []
    ) {
        self.at = at
        self.scope = scope
        self.versions = versions
        self.epoch = epoch
        self.migrations = migrations
        self.operation = operation
        self.accounts = accounts
        self.devices = devices
        self.lists = lists
        self.deadLetters = deadLetters
    }
}
