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
    name: "fleet-settings",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "EtcdHTTP", targets: ["EtcdHTTP"]),
        .executable(name: "fleet", targets: ["fleet"]),
    ],
    dependencies: [
        .package(name: "settle", path: "../.."),
        .package(name: "settle-trials", path: "../../Tests/Trials"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.34.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
    ],
    targets: [
        .target(
            name: "EtcdHTTP",
            dependencies: [
                .product(name: "SettleEtcd", package: "settle"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        // Members of etcd, children and a network on this machine: what demonstrations, trials, figures and tests need.
        .target(
            name: "FleetMachines",
            dependencies: [
                "EtcdHTTP",
                .product(name: "SettleEtcd", package: "settle"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "fleet",
            dependencies: [
                "EtcdHTTP",
                "FleetMachines",
                .product(name: "TrialChecks", package: "settle-trials"),
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleEtcd", package: "settle"),
                .product(name: "SettleInterchange", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // The program of the guide “A fleet”.
        .executableTarget(
            name: "follow-limits",
            dependencies: [
                "EtcdHTTP",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleEtcd", package: "settle"),
            ]),
        .executableTarget(
            name: "fleet-bench",
            dependencies: [
                "EtcdHTTP",
                "FleetMachines",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleEtcd", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EtcdHTTPTests",
            dependencies: [
                "fleet",
                "EtcdHTTP",
                "FleetMachines",
                .product(name: "TrialChecks", package: "settle-trials"),
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleEtcd", package: "settle"),
                .product(name: "SettleInterchange", package: "settle"),
                .product(name: "SettleTesting", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
    ]
)
