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
    name: "configuration-bridge",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SettleConfiguration", targets: ["SettleConfiguration"]),
        .executable(name: "configuration-bridge", targets: ["configuration-bridge"]),
    ],
    dependencies: [
        .package(name: "settle", path: "../.."),
        // The library needs no trait. The program and the tests read YAML, and follow a file.
        .package(
            url: "https://github.com/apple/swift-configuration", exact: "1.4.0",
            traits: [.defaults, "Reloading", "YAML"]),
        // For the type of a file's path in swift-configuration's interface.
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "SettleConfiguration",
            dependencies: [
                .product(name: "Settle", package: "settle"),
                .product(name: "Configuration", package: "swift-configuration"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "configuration-bridge",
            dependencies: [
                "SettleConfiguration",
                .product(name: "Settle", package: "settle"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SettleConfigurationTests",
            dependencies: [
                "SettleConfiguration",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleTesting", package: "settle"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "ConfigurationTesting", package: "swift-configuration"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
    ]
)
