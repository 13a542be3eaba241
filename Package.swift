// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// A resource makes a module import Foundation for its bundle. Linux needs no privacy manifest, and there the library
// loads only FoundationEssentials.
#if os(macOS)
    let privacyManifest: (resources: [Resource], excluded: [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
    let privacyManifest: (resources: [Resource], excluded: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
    name: "settle",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Settle", targets: ["Settle"]),
        .library(name: "SettleInterchange", targets: ["SettleInterchange"]),
        .library(name: "SettleUsers", targets: ["SettleUsers"]),
        .library(name: "SettleCommand", targets: ["SettleCommand"]),
        .executable(name: "settle", targets: ["SettleTool"]),
        .library(name: "SettleHTTP", targets: ["SettleHTTP"]),
        .library(name: "SettlePanel", targets: ["SettlePanel"]),
        .library(name: "SettleEtcd", targets: ["SettleEtcd"]),
        .library(name: "SettleFoundation", targets: ["SettleFoundation"]),
        .library(name: "SettleUI", targets: ["SettleUI"]),
        .library(name: "SettleTesting", targets: ["SettleTesting"]),
    ],
    targets: [
        .target(
            name: "Settle", exclude: privacyManifest.excluded, resources: privacyManifest.resources,
            swiftSettings: strict),
        .target(name: "SettleInterchange", dependencies: ["Settle"], swiftSettings: strict),
        .target(name: "SettleUsers", dependencies: ["Settle"], swiftSettings: strict),
        .target(name: "SettleCommand", dependencies: ["Settle", "SettleInterchange"], swiftSettings: strict),
        .executableTarget(name: "SettleTool", dependencies: ["SettleCommand"], swiftSettings: strict),
        .target(name: "SettleHTTP", dependencies: ["Settle", "SettleInterchange"], swiftSettings: strict),
        .target(
            name: "SettlePanel", dependencies: ["Settle", "SettleHTTP", "SettleInterchange"],
            // In the code, since a bundle would make the module import Foundation.
            resources: ["script.js", "style.css", "icon.svg"].map { .embedInCode("Assets/\($0)") },
            swiftSettings: strict),
        .target(name: "SettleEtcd", dependencies: ["Settle"], swiftSettings: strict),
        .target(name: "SettleFoundation", dependencies: ["Settle", "SettleInterchange"], swiftSettings: strict),
        .target(name: "SettleUI", dependencies: ["Settle"], swiftSettings: strict),
        .target(name: "SettleTesting", dependencies: ["Settle"], swiftSettings: strict),
        // For our own tests only: system calls that fail, a watch that reports what a test says, and waits that end.
        .target(
            name: "SettleTestSupport", dependencies: ["Settle", "SettleTesting"], path: "Tests/SettleTestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "SettleTests", dependencies: ["Settle", "SettleTesting", "SettleTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "SettleInterchangeTests",
            dependencies: ["Settle", "SettleInterchange", "SettleTesting", "SettleTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "SettleUsersTests", dependencies: ["Settle", "SettleUsers", "SettleTesting", "SettleTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SettleCommandTests",
            dependencies: ["Settle", "SettleCommand", "SettleTesting", "SettleTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "SettlePanelTests",
            dependencies: ["Settle", "SettleHTTP", "SettlePanel", "SettleTesting", "SettleTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SettleHTTPTests", dependencies: ["Settle", "SettleHTTP", "SettleTesting", "SettleTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SettleEtcdTests", dependencies: ["Settle", "SettleEtcd", "SettleTesting", "SettleTestSupport"],
            swiftSettings: strict),
        // The only tests of what needs the whole of Foundation.
        .testTarget(
            name: "SettleFoundationTests",
            dependencies: ["SettleFoundation", "SettleInterchange", "SettleTesting", "SettleTestSupport"],
            swiftSettings: strict),
    ]
)

// For a shorter build: SETTLE_ONLY=Settle keeps the library and its tests, SETTLE_ONLY=SettleEtcd those of another
// target, both by commas.
if let only = Context.environment["SETTLE_ONLY"] {
    let named = only.split(separator: ",").map(String.init)
    let kept = Set(["Settle", "SettleTesting", "SettleTestSupport"] + named + named.map { $0 + "Tests" })
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}

// Only these folders of the tests of Settle: SETTLE_FOLDERS=Support,Engine,Store.
if let folders = Context.environment["SETTLE_FOLDERS"] {
    for target in package.targets where target.name == "SettleTests" {
        target.sources = folders.split(separator: ",").map(String.init)
    }
}
