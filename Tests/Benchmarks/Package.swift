// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "settle-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "settle", path: "../.."),
        .package(name: "configuration-bridge", path: "../../Examples/ConfigurationBridge"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // The bridge's traits, too: without them, `swift run settle-bench` can't resolve the packages that they need.
        .package(
            url: "https://github.com/apple/swift-configuration", exact: "1.4.0",
            traits: [.defaults, "Reloading", "YAML"]),
        // For the type of a file's path in swift-configuration's interface.
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        // SQLite, as a Swift program would use it.
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "settle-bench",
            dependencies: [
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleConfiguration", package: "configuration-bridge"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Sources/SettleBench",
            swiftSettings: strict
        )
    ]
)
