// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "quick-start",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "settle", path: "../..")],
    targets: [
        .executableTarget(name: "QuickStart", dependencies: [.product(name: "Settle", package: "settle")])
    ]
)
