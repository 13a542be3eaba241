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
    name: "settle-trials",
    platforms: [.macOS(.v15)],
    products: [.library(name: "TrialChecks", targets: ["TrialChecks"])],
    dependencies: [
        .package(name: "settle", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(name: "TrialChecks", swiftSettings: strict),
        .executableTarget(
            name: "settle-trials",
            dependencies: [
                "TrialChecks",
                .product(name: "Settle", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/SettleTrials",
            swiftSettings: strict
        ),
        .testTarget(name: "TrialChecksTests", dependencies: ["TrialChecks"], swiftSettings: strict),
    ]
)
