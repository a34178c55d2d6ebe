// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that nobody who uses Trolley resolves a benchmark library. From this directory:
//   swift package benchmark
//   swift run -c release scaling
//   swift run -c release device /tmp/benchmark
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
                .product(name: "TrolleyClient", package: "trolley"), .product(name: "TrolleyJournal", package: "trolley"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
