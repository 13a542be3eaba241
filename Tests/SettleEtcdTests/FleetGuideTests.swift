import Foundation
import Testing

/// The guide “A fleet”.
@Suite struct FleetGuideTests {
    @Test("Its program is the one that the example package compiles") func programOneExample() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let guide = try String(
            contentsOf: root.appending(path: "Sources/SettleEtcd/SettleEtcd.docc/AFleet.md"), encoding: .utf8)
        let program = try String(
            contentsOf: root.appending(path: "Examples/FleetSettings/Sources/follow-limits/FollowLimits.swift"),
            encoding: .utf8)
        #expect(guide.contains("```swift\n\(program)```"))
    }
}
