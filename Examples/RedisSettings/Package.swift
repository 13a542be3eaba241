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
    name: "redis-settings",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SettleRedis", targets: ["SettleRedis"]),
        .executable(name: "redis-settings", targets: ["redis-settings"]),
    ],
    dependencies: [.package(name: "settle", path: "../..")],
    targets: [
        // Debian's libhiredis-dev.
        .systemLibrary(name: "CHiredis"),
        .target(
            name: "SettleRedis", dependencies: ["CHiredis", .product(name: "Settle", package: "settle")],
            swiftSettings: strict),
        // A server of this machine and a proxy before it: what trials and tests need.
        .target(name: "RedisMachines", swiftSettings: strict),
        .executableTarget(
            name: "redis-settings",
            dependencies: ["RedisMachines", "SettleRedis", .product(name: "Settle", package: "settle")],
            swiftSettings: strict),
        .testTarget(
            name: "SettleRedisTests",
            dependencies: [
                "RedisMachines", "SettleRedis",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleTesting", package: "settle"),
            ],
            swiftSettings: strict),
    ]
)
