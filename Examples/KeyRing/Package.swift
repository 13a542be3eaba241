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
    name: "key-ring",
    platforms: [.macOS(.v15)],
    products: [.library(name: "SettleKeyRing", targets: ["SettleKeyRing"])],
    dependencies: [.package(name: "settle", path: "../..")],
    targets: [
        // The system calls have a variable number of arguments, which Swift can't pass.
        .target(name: "CKeyRing"),
        .target(
            name: "SettleKeyRing",
            dependencies: ["CKeyRing", .product(name: "Settle", package: "settle")],
            swiftSettings: strict),
        .testTarget(
            name: "SettleKeyRingTests",
            dependencies: ["SettleKeyRing", .product(name: "Settle", package: "settle")],
            swiftSettings: strict),
    ]
)
