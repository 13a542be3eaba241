import Foundation
import Testing

/// What the library declares to Apple's platforms.
@Suite struct PrivacyManifestTests {
    @Test("The manifest declares why file times are read, and nothing else")
    func manifest() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Settle/PrivacyInfo.xcprivacy").standardizedFileURL
        let manifest = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        let entries = try #require(manifest as? [String: Any])
        #expect(entries["NSPrivacyTracking"] as? Bool == false)
        #expect((entries["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
        #expect((entries["NSPrivacyCollectedDataTypes"] as? [Any])?.isEmpty == true)
        let types = try #require(entries["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        #expect(
            types.map { $0["NSPrivacyAccessedAPIType"] as? String } == ["NSPrivacyAccessedAPICategoryFileTimestamp"])
        #expect(types.map { $0["NSPrivacyAccessedAPITypeReasons"] as? [String] } == [["C617.1"]])
    }
}
