// swift-tools-version: 6.2

import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// For script/test, which has an hour. What the tests compute most with is optimized, though the rest is built for debugging;
// and the samples in Examples/ are compiled with the modules that are there already, instead of as a package of their own.
let isForTests = Context.environment["TROLLEY_TEST_BUILD"] != nil
let pure: [SwiftSetting] = isForTests ? swiftSettings + [.unsafeFlags(["-O"])] : swiftSettings

// SwiftPM resolves a package only if a target uses it under the traits that are on. So an app with
// `.package(url: …, traits: [])` resolves none of the packages that are used under this condition.
let programs = TargetDependencyCondition.when(traits: ["Programs"])

let package = Package(
    name: "trolley",
    // What `Synchronization` needs. docs/architecture.md says which target is for which platform.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        // The SDK, with the modules whose types it has in its API.
        .library(name: "TrolleyClient", targets: ["TrolleyClient", "TrolleyJournal", "TrolleySync", "TrolleyWire"]),
        // A service in memory for an app's own tests, and what any store of a device's must do.
        .library(name: "TrolleySyncTesting", targets: ["TrolleySyncTesting", "TrolleySync"]),
        // For Benchmarks/.
        .library(name: "TrolleyJournal", targets: ["TrolleyJournal"]),
        .library(name: "TrolleyWire", targets: ["TrolleyWire"]),
        .executable(name: "trolleyd", targets: ["trolleyd"]),
        .executable(name: "trolley", targets: ["trolley"]),
    ],
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(
            name: "Programs", description: "trolleyd, trolley and the tests. An app that takes the SDK leaves it out."),
        .trait(
            name: "SeededFaults", description: "Faults in the fold, which the tests switch on, one at a time.",
            enabledTraits: ["Programs"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.15.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        // Reads openapi.yaml in a test.
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.2"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
    ],
    targets: [
        // What lists are: pure, synchronous, no I/O, no clock.
        .target(
            name: "TrolleyJournal",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: pure
        ),
        // The goods of a supermarket, by language: the tables beside the code, as bytes in the binary.
        .target(
            name: "TrolleyCatalogue", dependencies: ["TrolleyJournal"], path: "Catalogue", exclude: ["README.md"],
            resources: [
                .embedInCode("de.txt"), .embedInCode("en.txt"), .embedInCode("es.txt"), .embedInCode("fr.txt"),
                .embedInCode("it.txt"), .embedInCode("nl.txt"),
            ],
            swiftSettings: swiftSettings),
        // What server and devices say to each other.
        .target(name: "TrolleyWire", dependencies: ["TrolleyJournal"], swiftSettings: pure),
        // A device's queues, over a store and a transport.
        .target(name: "TrolleySync", dependencies: ["TrolleyJournal", "TrolleyWire"], swiftSettings: pure),
        // The three above for JavaScript: bytes in, bytes out. `script/wasm` builds it.
        .target(
            name: "TrolleyModule", dependencies: ["TrolleyJournal", "TrolleyWire", "TrolleySync"],
            swiftSettings: swiftSettings
                + [
                    .define("DEVICE_CALLS"), .define("LATER_CALLS"), .define("DOCUMENT_CALLS"),
                    .define("SERVICE_CALLS"),
                ]),
        // What an assistant's program says and hears, and the tools that it has: for `trolley mcp`, and for the service.
        .target(
            name: "TrolleyAssistant", dependencies: ["TrolleyJournal", "TrolleyWire"], swiftSettings: swiftSettings),
        // What any store and transport of a device's are tried with.
        .target(
            name: "TrolleySyncTesting",
            dependencies: ["TrolleyClient", "TrolleyJournal", "TrolleySync", "TrolleyWire"],
            swiftSettings: pure
        ),
        // The device SDK: SQLite store, HTTP transport.
        .target(
            name: "TrolleyClient",
            dependencies: [
                "TrolleyCatalogue", "TrolleyJournal", "TrolleyWire", "TrolleySync",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                // Comes with AsyncHTTPClient in any case.
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // Linux's epoll, which Glibc leaves out.
        .systemLibrary(name: "CEpoll"),
        // glibc's allocator, which Glibc leaves out.
        .systemLibrary(name: "CMalloc"),
        // A thread's own user, which glibc has only for all threads.
        .target(name: "CThreadRights"),
        // The web app, as bytes in the binary, if script/web has built it.
        .target(name: "CWebApp"),
        // Async libpq; knows nothing of lists.
        .target(name: "TrolleyPostgres", dependencies: ["CEpoll", "CLibPQ"], swiftSettings: swiftSettings),
        // A PostgreSQL server of one's own: initdb, start, stop.
        .target(
            name: "TrolleyCluster",
            dependencies: [
                "CThreadRights",
                .product(name: "Logging", package: "swift-log", condition: programs),
                .product(name: "Subprocess", package: "swift-subprocess", condition: programs),
                .product(name: "SystemPackage", package: "swift-system", condition: programs),
            ],
            swiftSettings: swiftSettings
        ),
        // The numbered SQL files, as bytes in the binary.
        .target(
            name: "TrolleyMigrations", path: "migrations",
            resources: [
                .embedInCode("0001-initial.sql"), .embedInCode("0002-compression.sql"),
                .embedInCode("0003-people.sql"), .embedInCode("0004-trail.sql"), .embedInCode("0005-identity.sql"),
                .embedInCode("0006-reports.sql"), .embedInCode("0007-hosted.sql"), .embedInCode("0008-sessions.sql"),
                .embedInCode("0009-hosted-arrivals.sql"), .embedInCode("0010-ownership.sql"),
                .embedInCode("0011-notices.sql"), .embedInCode("0012-list-bytes.sql"),
                .embedInCode("0013-passwords.sql"), .embedInCode("0014-verified-addresses.sql"),
                .embedInCode("0015-returned-places.sql"), .embedInCode("0016-list-birth.sql"),
                .embedInCode("0017-hosted-names.sql"), .embedInCode("0018-rooms.sql"),
                .embedInCode("0019-summaries.sql"),
                .embedInCode("0020-messages.sql"), .embedInCode("0021-push.sql"),
                .embedInCode("0022-alerts.sql"), .embedInCode("0023-share-differences.sql"),
                .embedInCode("0024-live-entries.sql"),
                .embedInCode("0025-ended-rooms.sql"),
                .embedInCode("0026-signed-out-devices.sql"), .embedInCode("0027-processes.sql"),
                .embedInCode("0028-background.sql"), .embedInCode("0029-background-indexes.sql"),
                .embedInCode("0030-personal-tokens.sql"),
                .embedInCode("0031-list-mark.sql"),
                .embedInCode("0032-operator.sql"),
                .embedInCode("0033-own-names.sql"), .embedInCode("0034-list-places.sql"),
                .embedInCode("0035-links-for-several.sql"),
                .embedInCode("0036-push-registrations.sql"),
                .embedInCode("0037-backfills.sql"),
            ],
            swiftSettings: swiftSettings),
        // Every line of the service's SQL.
        .target(
            name: "TrolleyStore",
            dependencies: [
                "TrolleyJournal", "TrolleyMigrations", "TrolleyPostgres", "TrolleySync", "TrolleyWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections", condition: programs),
            ],
            swiftSettings: swiftSettings
        ),
        // HTTP; no SQL.
        .target(
            name: "TrolleyServer",
            dependencies: [
                "TrolleyAssistant", "TrolleyJournal", "TrolleyStore", "TrolleySync", "TrolleyWire",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: programs),
                .product(name: "HummingbirdHTTP2", package: "hummingbird", condition: programs),
                .product(name: "JWTKit", package: "jwt-kit", condition: programs),
                .product(name: "Logging", package: "swift-log", condition: programs),
                .product(name: "Metrics", package: "swift-metrics", condition: programs),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: programs),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: programs),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: programs),
                .product(name: "Subprocess", package: "swift-subprocess", condition: programs),
                .product(name: "SystemPackage", package: "swift-system", condition: programs),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: programs),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: programs),
            ],
            resources: [
                .embedInCode("Resources/openapi.yaml"), .embedInCode("Resources/join.html"),
                .embedInCode("Resources/join.css"), .embedInCode("Resources/join.js"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "trolleyd",
            dependencies: [
                "CMalloc", "CWebApp", "TrolleyCluster", "TrolleyJournal", "TrolleyMigrations", "TrolleyPostgres",
                "TrolleyServer", "TrolleyStore", "TrolleyWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "Configuration", package: "swift-configuration", condition: programs),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
                .product(name: "Logging", package: "swift-log", condition: programs),
                .product(name: "Metrics", package: "swift-metrics", condition: programs),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: programs),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: programs),
                .product(name: "X509", package: "swift-certificates", condition: programs),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "trolley",
            dependencies: [
                "TrolleyAssistant", "TrolleyClient", "TrolleyJournal", "TrolleySync", "TrolleyWire",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "Configuration", package: "swift-configuration", condition: programs),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "TrolleyTestSupport",
            dependencies: [
                "TrolleyCluster", "TrolleyPostgres",
                .product(name: "Logging", package: "swift-log", condition: programs),
            ],
            path: "Tests/TrolleyTestSupport",
            swiftSettings: swiftSettings
        ),
        // Devices and the service from one seed: pure, so that a release build is quick and a run repeats itself.
        .target(
            name: "TrolleySimulation", dependencies: ["TrolleyJournal", "TrolleySync", "TrolleyWire"],
            path: "Tests/TrolleySimulation", swiftSettings: pure),
        .executableTarget(
            name: "simulate", dependencies: ["TrolleySimulation"], path: "Tests/Simulate", swiftSettings: swiftSettings),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "TrolleySimulation", "simulate",
                .product(name: "Subprocess", package: "swift-subprocess", condition: programs),
            ], swiftSettings: swiftSettings),
        .testTarget(
            name: "TrolleyJournalTests",
            dependencies: ["TrolleyJournal", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: swiftSettings
        ),
        // The tables, measured with names that were written before them.
        .testTarget(
            name: "TrolleyCatalogueTests",
            dependencies: [
                "TrolleyCatalogue", "TrolleyJournal",
                .product(name: "Subprocess", package: "swift-subprocess", condition: programs),
                .product(name: "SystemPackage", package: "swift-system", condition: programs),
            ],
            swiftSettings: swiftSettings),
        // The module in node, against the same Swift natively.
        .testTarget(
            name: "TrolleyModuleTests",
            dependencies: ["TrolleyJournal", "TrolleyModule", "TrolleySync", "TrolleyWire"],
            exclude: ["answers.mjs", "run.mjs"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TrolleyWireTests", dependencies: ["TrolleyJournal", "TrolleyWire"], exclude: ["Frozen"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "TrolleyAssistantTests", dependencies: ["TrolleyAssistant", "TrolleyJournal", "TrolleyWire"],
            swiftSettings: swiftSettings),
        // The hand-checked cases that any implementation of the journal can run.
        .testTarget(
            name: "VectorTests",
            dependencies: ["TrolleyJournal", "TrolleyWire"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TrolleyPostgresTests",
            dependencies: [
                "TrolleyCluster", "TrolleyPostgres", "TrolleyTestSupport",
                .product(name: "Logging", package: "swift-log", condition: programs),
            ],
            swiftSettings: swiftSettings
        ),
        // A process with a cluster, for tests to kill.
        .executableTarget(
            name: "cluster-host",
            dependencies: ["TrolleyCluster", .product(name: "Logging", package: "swift-log", condition: programs)],
            path: "Tests/ClusterHost",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "lock-holder",
            dependencies: ["TrolleyPostgres", "TrolleyStore"],
            path: "Tests/LockHolder",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TrolleyClusterTests",
            dependencies: [
                "TrolleyCluster", "TrolleyPostgres", "TrolleyTestSupport", "cluster-host",
                .product(name: "Logging", package: "swift-log", condition: programs),
                .product(name: "Subprocess", package: "swift-subprocess", condition: programs),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TrolleySyncTests",
            dependencies: ["TrolleyJournal", "TrolleySync", "TrolleySyncTesting", "TrolleyWire"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TrolleyClientTests",
            dependencies: [
                "TrolleyClient", "TrolleyJournal", "TrolleySync", "TrolleySyncTesting", "TrolleyWire",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TrolleyCommandTests",
            dependencies: [
                "TrolleyAssistant", "TrolleyClient", "TrolleyJournal", "TrolleySync", "TrolleyWire", "trolley",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TrolleydTests",
            dependencies: [
                "TrolleyPostgres", "TrolleyServer", "TrolleyWire", "trolleyd",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1", condition: programs),
                .product(name: "X509", package: "swift-certificates", condition: programs),
            ],
            swiftSettings: swiftSettings
        ),
        // The programs themselves, run as a person runs them.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TrolleyJournal", "TrolleyMigrations", "TrolleyPostgres", "TrolleyStore", "TrolleyTestSupport",
                "TrolleyWire", "trolley", "trolleyd",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess", condition: programs),
                .product(name: "SystemPackage", package: "swift-system", condition: programs),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "TrolleyStoreTests",
            dependencies: [
                "TrolleyJournal", "TrolleyMigrations", "TrolleyPostgres", "TrolleyStore", "TrolleySync",
                "TrolleySyncTesting", "TrolleyTestSupport", "TrolleyWire", "lock-holder",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Subprocess", package: "swift-subprocess", condition: programs),
            ], swiftSettings: swiftSettings),
        // Devices and the service, with nothing between them but what goes wrong.
        .testTarget(
            name: "FleetTests",
            dependencies: [
                "TrolleyClient", "TrolleyJournal", "TrolleyPostgres", "TrolleyServer", "TrolleyStore", "TrolleySync",
                "TrolleySyncTesting", "TrolleyTestSupport", "TrolleyWire", "trolleyd",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
                .product(name: "Logging", package: "swift-log", condition: programs),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ], swiftSettings: swiftSettings),
        .testTarget(
            name: "TrolleyServerTests",
            dependencies: [
                "TrolleyCluster", "TrolleyJournal", "TrolleyPostgres", "TrolleyServer", "TrolleyStore", "TrolleySync",
                "TrolleyTestSupport", "TrolleyWire",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
                .product(name: "Hummingbird", package: "hummingbird", condition: programs),
                .product(name: "HummingbirdHTTP2", package: "hummingbird", condition: programs),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: programs),
                .product(name: "JWTKit", package: "jwt-kit", condition: programs),
                .product(name: "Logging", package: "swift-log", condition: programs),
                .product(name: "Metrics", package: "swift-metrics", condition: programs),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: programs),
                .product(name: "Subprocess", package: "swift-subprocess", condition: programs),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: programs),
                .product(name: "Yams", package: "Yams", condition: programs),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)

if isForTests {
    let samples = ["DocumentedExamples", "FamilyApp", "ShoppingModel", "Tutorial"]
    package.targets += samples.map { name in
        .target(
            name: name, dependencies: ["TrolleyClient"], path: "Examples/Sources/\(name)", swiftSettings: swiftSettings)
    }
    package.targets += [
        .target(
            name: "RecipeBot",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ], path: "Examples/Sources/RecipeBot", swiftSettings: swiftSettings),
        .testTarget(
            name: "ExampleTests",
            dependencies: samples.map { .init(stringLiteral: $0) } + [
                "RecipeBot", "TrolleyClient", "TrolleySyncTesting",
            ],
            path: "Examples/Tests/ExampleTests", swiftSettings: swiftSettings),
    ]
}

// For Reliability/run fuzz: the targets are instrumented, and one more feeds their readers with what libFuzzer makes up.
if Context.environment["TROLLEY_FUZZ_BUILD"] != nil {
    let sanitizers = ["-sanitize=fuzzer,address"]
    let fuzz = Target.executableTarget(
        name: "fuzz",
        dependencies: [
            "TrolleyAssistant", "TrolleyClient", "TrolleyJournal", "TrolleyServer", "TrolleyStore",
            "TrolleyWire",
            .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "HTTPTypes", package: "swift-http-types", condition: programs),
            .product(name: "NIOCore", package: "swift-nio"),
        ],
        path: "Reliability/fuzz/Sources", swiftSettings: swiftSettings,
        linkerSettings: [.unsafeFlags(sanitizers)])
    package.targets.append(fuzz)
    for target in package.targets where target.type == .regular || target.type == .executable {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(sanitizers)]
    }
}
