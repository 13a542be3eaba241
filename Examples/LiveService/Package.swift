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
    name: "live-service",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "live-service", targets: ["live-service"]),
        .library(name: "LiveServing", targets: ["LiveServing"]),
    ],
    dependencies: [
        .package(name: "settle", path: "../.."),
        .package(name: "settings-panel", path: "../SettingsPanel"),
        .package(name: "fleet-settings", path: "../FleetSettings"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        // Without its traits: neither swift-configuration nor the whole of Foundation is needed here.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "LiveServing",
            dependencies: [
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleHTTP", package: "settle"),
                .product(name: "SettlePanel", package: "settle"),
                .product(name: "SettlePanelHummingbird", package: "settings-panel"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "live-service",
            dependencies: [
                "LiveServing",
                .product(name: "EtcdHTTP", package: "fleet-settings"),
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleCommand", package: "settle"),
                .product(name: "SettleEtcd", package: "settle"),
                .product(name: "SettleHTTP", package: "settle"),
                .product(name: "SettleInterchange", package: "settle"),
                .product(name: "SettlePanel", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "LiveServingTests",
            dependencies: [
                "LiveServing",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleHTTP", package: "settle"),
                .product(name: "SettleTesting", package: "settle"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
    ]
)
