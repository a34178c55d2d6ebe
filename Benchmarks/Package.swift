// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that nobody who uses Trolley resolves a benchmark library. From this directory:
//   swift package benchmark
//   swift run -c release scaling
//   swift run -c release device /tmp/benchmark
//   ./run
//   ./check main HEAD
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "trolley", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/ordo-one/benchmark.git", from: "1.38.1", traits: []),
    ],
    targets: [
        // Journals of a household that shops for years.
        .target(
            name: "Workload",
            dependencies: [.product(name: "TrolleyJournal", package: "trolley")],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "Journal",
            dependencies: [
                "Workload",
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "TrolleyJournal", package: "trolley"),
            ],
            path: "Benchmarks/Journal",
            swiftSettings: swiftSettings,
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        // How time and memory grow from 1,000 entries to 1,000,000.
        .executableTarget(
            name: "scaling",
            dependencies: ["Workload", .product(name: "TrolleyJournal", package: "trolley")],
            swiftSettings: swiftSettings
        ),
        // A device: opening, adding, and a long time offline.
        .executableTarget(
            name: "device",
            dependencies: [
                .product(name: "TrolleyClient", package: "trolley"),
                .product(name: "TrolleyJournal", package: "trolley"),
            ],
            swiftSettings: swiftSettings
        ),
        // Devices by the thousand: what wrk can't be, for ./run.
        .executableTarget(
            name: "population",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "TrolleyJournal", package: "trolley"),
                .product(name: "TrolleyWire", package: "trolley"),
            ],
            swiftSettings: swiftSettings
        ),
        // What a request costs in the pure parts, one path at a time, for ./check. The sources of the change token and
        // of receipts are the service's own, by links, because a library of their own would be more than they are.
        .executableTarget(
            name: "hotpaths",
            dependencies: [
                "Workload", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "TrolleyJournal", package: "trolley"),
                .product(name: "TrolleyWire", package: "trolley"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
