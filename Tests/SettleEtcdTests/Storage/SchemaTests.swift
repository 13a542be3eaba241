import Settle
import SettleTestSupport
import SettleTesting
import Testing

@testable import SettleEtcd

/// The schema beside the settings.
@Suite(.timeLimit(.minutes(10))) struct SchemaTests {
    private let fixture = EtcdFixture()
    private let first = SettingValue.dictionary(["type": .string("object")])
    private let second = SettingValue.dictionary(["properties": .dictionary([:])])

    private var stored: String? { fixture.cluster.text("/fleet/test/$settle/schema") }

    @Test("The first service of each version stores it") func firstOfEachVersion() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        #expect(try storage.schema() == nil)
        try await storage.storeSchema(first, version: "1.9")
        #expect(stored == #"{"type":"object","x-version":"1.9"}"#)
        for version in ["1.9", "1.8.9", "1", "1.9.0"] { try await storage.storeSchema(second, version: version) }
        #expect(stored == #"{"type":"object","x-version":"1.9"}"#)
        try await storage.storeSchema(second, version: "1.10")
        #expect(stored == #"{"properties":{},"x-version":"1.10"}"#)
        // Somebody who pushes it without a version replaces it until the next version.
        try await storage.storeSchema(first, version: nil)
        #expect(stored == #"{"type":"object","x-version":"1.10"}"#)
        try await storage.storeSchema(second, version: "1.10")
        #expect(stored == #"{"type":"object","x-version":"1.10"}"#)
        await storage.close()
    }

    @Test("Followers have it without a change") func followedSchema() async throws {
        let (writer, _) = fixture.client()
        _ = try await writer.load()
        try await writer.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        let (follower, _) = try await fixture.follower()
        let token = follower.storage.token
        try await writer.storeSchema(first, version: nil)
        try await eventually("the follower has the schema") { try follower.storage.schema() != nil }
        #expect(try follower.storage.schema() == first)
        // No change, no entry of the history, and no key that can't be used.
        #expect(follower.storage.token == token)
        #expect(await follower.storage.unusableKeys().isEmpty)
        try await writer.append(StorageBatch(revision: 2, values: ["a": .integer(2)]), durability: .synced)
        try await follower.wait(for: 2)
        #expect(follower.seen.withLock { $0 } == [2] && follower.tree.withLock { $0.root } == ["a": .integer(2)])
        // A client that starts later has it as well.
        let (late, _) = fixture.client()
        #expect(try await late.load().tree.root == ["a": .integer(2)])
        #expect(try late.schema() == first)
        for storage in [writer, follower.storage, late] { await storage.close() }
    }

    @Test("A schema is not taken for settings") func schemaAmongSettings() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        try await storage.storeSchema(first, version: nil)
        #expect(try await storage.load().outcome == .absent)
        #expect(throws: StorageError.self) { try storage.check(.integer(1), at: "$settle/schema") }
        #expect(KeyName("$settle/schema").kind == .schema)
        #expect(KeyName("inner/$settle/schema").kind == .nested(prefix: "inner/"))
        #expect(KeyName("$settle/schema/else").kind == .unknown("its name is not a setting's key"))
        await storage.close()
    }

    @Test("What is no schema is an error until it is replaced") func invalidSchema() async throws {
        fixture.cluster.put("/fleet/test/$settle/schema", "[1]")
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        let error = #expect(throws: StorageError.self) { try storage.schema() }
        #expect(error?.code == .unreadable && error?.description.contains("/fleet/test/$settle/schema") == true)
        await #expect(throws: StorageError.self) { try await storage.storeSchema(.array([]), version: nil) }
        try await storage.storeSchema(first, version: "1")
        _ = try await storage.load()
        #expect(try storage.schema() == .dictionary(["type": .string("object"), "x-version": .string("1")]))
        await storage.close()
    }

    @Test(
        "Versions are compared as numbers",
        arguments: [
            ("1.10", "1.9", true), ("1.9", "1.10", false), ("2", "1.99.99", true), ("1.0", "1", false),
            ("1.0.1", "1", true), ("1.b", "1.a", true), ("1.a", "1.b", false), ("", "", false), ("1..2", "1..1", true),
            ("18446744073709551616", "9", false),
        ])
    func comparedVersions(_ left: String, _ right: String, _ isNewer: Bool) {
        #expect(SchemaRecord.isNewer(left, than: right) == isNewer)
    }
}
