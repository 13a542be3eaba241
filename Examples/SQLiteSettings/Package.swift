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
    name: "sqlite-settings",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SettleSQLite", targets: ["SettleSQLite"]),
        .executable(name: "notes", targets: ["notes"]),
    ],
    dependencies: [
        .package(name: "settle", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        // On Linux it needs Debian's libsqlite3-dev.
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .target(
            name: "SettleSQLite",
            dependencies: [
                .product(name: "Settle", package: "settle"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "notes",
            dependencies: [
                "SettleSQLite",
                .product(name: "Settle", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SettleSQLiteTests",
            dependencies: [
                "SettleSQLite", "notes",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleTesting", package: "settle"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict),
    ]
)
