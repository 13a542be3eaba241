// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "footprint",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "settle", path: "../..")],
    targets: [
        .executableTarget(name: "Footprint", dependencies: [.product(name: "Settle", package: "settle")])
    ],
    swiftLanguageModes: [.v6]
)
