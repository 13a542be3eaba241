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
    name: "settings-panel",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SettlePanelHummingbird", targets: ["SettlePanelHummingbird"]),
        .executable(name: "settings-panel", targets: ["settings-panel"]),
    ],
    dependencies: [
        .package(name: "settle", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        // Without its traits: neither swift-configuration nor the whole of Foundation is needed here.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "SettlePanelHummingbird",
            dependencies: [
                .product(name: "SettleHTTP", package: "settle"),
                .product(name: "SettlePanel", package: "settle"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        // The samples of guides that need Hummingbird. Only compiled.
        .target(
            name: "GuideSamples",
            dependencies: [
                "SettlePanelHummingbird",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleHTTP", package: "settle"),
                .product(name: "SettleInterchange", package: "settle"),
                .product(name: "SettlePanel", package: "settle"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "settings-panel",
            dependencies: [
                "SettlePanelHummingbird",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleInterchange", package: "settle"),
                .product(name: "SettlePanel", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "settings-api",
            dependencies: [
                "SettlePanelHummingbird",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleHTTP", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "panel-latency",
            dependencies: [
                "SettlePanelHummingbird",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleHTTP", package: "settle"),
                .product(name: "SettlePanel", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "panel-people",
            dependencies: [
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleInterchange", package: "settle"),
            ],
            swiftSettings: strict),
    ]
)
