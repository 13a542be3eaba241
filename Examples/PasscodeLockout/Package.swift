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
    name: "passcode-lockout",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "passcode", targets: ["passcode"]),
        .library(name: "PasscodeLock", targets: ["PasscodeLock"]),
    ],
    dependencies: [
        .package(name: "settle", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    ],
    targets: [
        .target(
            name: "PasscodeLock",
            dependencies: [
                .product(name: "Settle", package: "settle"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "passcode",
            dependencies: [
                "PasscodeLock",
                .product(name: "Settle", package: "settle"),
                .product(name: "SettleCommand", package: "settle"),
                .product(name: "SettleInterchange", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PasscodeLockTests",
            dependencies: [
                "passcode", "PasscodeLock", .product(name: "Settle", package: "settle"),
                .product(name: "SettleTesting", package: "settle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
    ]
)
