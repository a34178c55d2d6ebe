// swift-tools-version: 6.2

import PackageDescription

// A package as an app has it, with samples that are tested. `traits: []` takes the SDK without the programs, so that SwiftPM
// resolves none of the service's packages (Hummingbird, JWTKit …). After `swift build` in the directory above:
//   swift test
let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "examples",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        // In an app: .package(url: "…", from: "…", traits: [])
        .package(name: "trolley", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    ],
    targets: [
        // The code of the SDK's tutorial, by links.
        .target(
            name: "Tutorial", dependencies: [.product(name: "TrolleyClient", package: "trolley")],
            swiftSettings: swiftSettings),
        // What stands behind a view: it observes a list, and changes it.
        .target(
            name: "ShoppingModel", dependencies: [.product(name: "TrolleyClient", package: "trolley")],
            swiftSettings: swiftSettings),
        // An app that starts, observes and shares, in 30 lines.
        .target(
            name: "FamilyApp", dependencies: [.product(name: "TrolleyClient", package: "trolley")],
            swiftSettings: swiftSettings),
        // The examples of the SDK's documentation, which have to compile.
        .target(
            name: "DocumentedExamples", dependencies: [.product(name: "TrolleyClient", package: "trolley")],
            swiftSettings: swiftSettings),
        // An integration that keeps no queues: the service drives its device. It needs no SDK.
        .target(
            name: "RecipeBot",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ], swiftSettings: swiftSettings),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "DocumentedExamples", "FamilyApp", "RecipeBot", "ShoppingModel", "Tutorial",
                .product(name: "TrolleyClient", package: "trolley"),
                .product(name: "TrolleySyncTesting", package: "trolley"),
            ], swiftSettings: swiftSettings),
    ]
)
