import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

@Suite(.timeLimit(.minutes(10))) struct EtcdStorageTests {
    private let fixture = EtcdFixture()

    @Test("Each setting is a key with JSON") func keysWithJSON() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        try await storage.append(
            StorageBatch(
                revision: 1,
                values: [
                    "a.b": .string("text"), "list": .array([.integer(1), .bool(true)]), .path("a.b", "c"): .real(0.5),
                ]), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a.b") == "\"text\"")
        #expect(fixture.cluster.text("/fleet/test/list") == "[1,true]")
        #expect(fixture.cluster.text("/fleet/test/a\\.b.c") == "0.5")
        await storage.close()
    }

    @Test("A dictionary and a key in it are one value") func dictionaryAndKeyWithin() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        try await storage.append(
            StorageBatch(revision: 1, values: ["d": .dictionary(["x": .integer(1), "y": .integer(1)])]),
            durability: .synced)
        try await storage.append(StorageBatch(revision: 2, values: ["d.x": .integer(2)]), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/d") == "{\"x\":2,\"y\":1}")
        try await storage.append(StorageBatch(revision: 3, values: ["d.x": nil]), durability: .synced)
        #expect(try await storage.load().tree.root == ["d": .dictionary(["y": .integer(1)])])
        // Others have stored a part at a key of its own.
        fixture.cluster.put("/fleet/test/d.z", "3")
        #expect(try await storage.load().tree.root == ["d": .dictionary(["y": .integer(1), "z": .integer(3)])])
        try await storage.append(StorageBatch(revision: 4, values: ["d": .integer(4)]), durability: .synced)
        #expect(fixture.cluster.keys("/fleet/test/d") == ["/fleet/test/d"])
        await storage.close()
    }

    @Test("More than 126 keys are refused before anything is written") func tooManyKeys() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        var values: [SettingKey: SettingValue?] = [:]
        for index in 0..<126 { values[.path("key\(index)")] = .integer(Int64(index)) }
        try await storage.append(StorageBatch(revision: 1, values: values), durability: .synced)
        #expect(fixture.cluster.keys("/fleet/test/key").count == 126)
        let before = fixture.cluster.revision
        values["one too many"] = .integer(1)
        let error = await #expect(throws: StorageError.self) {
            try await storage.append(StorageBatch(revision: 2, values: values), durability: .synced)
        }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.description.contains("126") == true)
        #expect(fixture.cluster.revision == before)
        // All of them may be removed or written again at once.
        values["one too many"] = nil
        values.removeValue(forKey: "one too many")
        for key in values.keys { values.updateValue(nil, forKey: key) }
        try await storage.append(StorageBatch(revision: 3, values: values), durability: .synced)
        #expect(fixture.cluster.keys("/fleet/test/key").isEmpty)
        await storage.close()
    }

    @Test("A value of 1,400 kilobytes fits and a larger one is refused") func largestValue() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        let large = String(repeating: "x", count: 1_468_006)
        try await storage.append(StorageBatch(revision: 1, values: ["a": .string(large)]), durability: .synced)
        #expect(try await storage.load().tree["a"] == .string(large))
        let error = await #expect(throws: StorageError.self) {
            try await storage.append(
                StorageBatch(revision: 2, values: ["b": .string(large + large)]), durability: .synced)
        }
        #expect(error?.code == .unsupportedValue)
        #expect(error?.description.contains("“b”") == true)
        await storage.close()
    }

    @Test("Unknown keys are kept and listed") func unknownKeys() async throws {
        fixture.cluster.put("/fleet/test/readme", "This is no JSON.")
        fixture.cluster.put("/fleet/test/a..b", "1")
        fixture.cluster.put("/fleet/testimony", "1")
        fixture.cluster.put("/fleet/test/good", "1")
        fixture.cluster.put(Array("/fleet/test/bad".utf8) + [0xff], "1")
        let (storage, _) = fixture.client()
        let contents = try await storage.load()
        #expect(contents.tree.root == ["good": .integer(1)])
        guard case .recovered(let description, false) = contents.outcome else {
            Issue.record("It is \(contents.outcome).")
            return
        }
        #expect(description.contains("“/fleet/test/readme”"))
        #expect(await Set(storage.unusableKeys().keys) == ["readme", "a..b", "bad\u{fffd}"])
        try await storage.append(StorageBatch(revision: 1, values: ["good": nil]), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/readme") == "This is no JSON.")
        await storage.close()
    }

    /// A tree of settings has room for 128 levels. Many more would exhaust the stack.
    @Test("What is nested too deeply is kept and listed") func nestedTooDeeply() async throws {
        let names = Array(repeating: "a", count: 200).joined(separator: ".")
        let nested = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        fixture.cluster.put("/fleet/test/\(names)", "1")
        fixture.cluster.put("/fleet/test/list", nested)
        fixture.cluster.put("/fleet/test/good", "1")
        let (storage, _) = fixture.client()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        #expect(store.keys["good"] == .integer(1) && store.keys["list"] == nil)
        let unusable = await storage.unusableKeys()
        #expect(Set(unusable.keys) == [names, "list"])
        #expect(unusable.values.allSatisfy { $0.contains("128 levels") })
        // They do not keep the others from being exported.
        _ = try await store.file.export()
        #expect(fixture.cluster.text("/fleet/test/list") == nested)
        try await store.close()
    }

    @Test("What others delete is found without a stream") func deletedWithoutStream() async throws {
        let (storage, _) = fixture.client()
        for key in ["a", "b", "c"] { fixture.cluster.put("/fleet/test/\(key)", "1") }
        let position = try await storage.load().position
        fixture.cluster.delete("/fleet/test/b")
        fixture.cluster.put("/fleet/test/d", "1")
        var tree = SettingTree(["a": .integer(1), "b": .integer(1), "c": .integer(1)])
        for change in try await storage.changes(after: position).changes { change.apply(to: &tree) }
        #expect(tree.root == ["a": .integer(1), "c": .integer(1), "d": .integer(1)])
        await storage.close()
    }

    @Test("A deletion by another tool is a conflict for a commit") func deletionConflict() async throws {
        let (storage, _) = fixture.client()
        fixture.cluster.put("/fleet/test/a", "1")
        let position = try await storage.load().position
        fixture.cluster.delete("/fleet/test/a")
        let error = await #expect(throws: StorageError.self) {
            try await storage.append(
                StorageBatch(revision: 1, values: ["b": .integer(1)], conditions: [.at(position)]), durability: .synced)
        }
        #expect(error?.code == .conflict)
        await storage.close()
    }

    @Test("What the store was told is a conflict for a commit that has read before")
    func readBeforeChange() async throws {
        let (storage, _) = fixture.client()
        fixture.cluster.put("/fleet/test/a", "1")
        let position = try await storage.load().position
        fixture.cluster.put("/fleet/test/a", "2")
        let told = try await storage.changes(after: position).position
        let batch = StorageBatch(revision: 1, values: ["a": .integer(3)], conditions: [.at(position)])
        let error = await #expect(throws: StorageError.self) {
            try await storage.append(batch, durability: .synced)
        }
        #expect(error?.code == .conflict && fixture.cluster.text("/fleet/test/a") == "2")
        var next = batch
        next.conditions = [.at(told)]
        let stored = try await storage.append(next, durability: .synced).position
        // An empty append tells how far the store is; what it has stored itself is no conflict.
        try await storage.append(StorageBatch(revision: 2, values: [:]), durability: .synced)
        try await storage.append(
            StorageBatch(revision: 3, values: ["a": .integer(4)], conditions: [.at(stored)]), durability: .synced)
        #expect(fixture.cluster.text("/fleet/test/a") == "4")
        await storage.close()
    }

    @Test("A position of an earlier past is a conflict", arguments: [1, 30])
    func positionOfEarlierHistory(revisions: Int) async throws {
        let (storage, _) = fixture.client()
        for number in 1...9 { fixture.cluster.put("/fleet/test/a", "\(number)") }
        let position = try await storage.load().position
        let new = FakeEtcd()
        for number in 1...revisions { new.put("/fleet/test/a", "\(100 + number)") }
        fixture.cluster.restore(new, isNew: true)
        _ = try await storage.changes(after: position)
        let error = await #expect(throws: StorageError.self) {
            try await storage.append(
                StorageBatch(revision: 1, values: ["a": .integer(0)], conditions: [.at(position)]), durability: .synced)
        }
        #expect(error?.code == .conflict)
        await storage.close()
    }

    @Test("Clients begin with different members") func firstMembers() async throws {
        var first: [String] = []
        for random in [0, 0.34, 0.99, 1] {
            let (storage, transport) = fixture.client { $0.random = { random } }
            _ = try await storage.load()
            first.append(try #require(transport.requests(of: EtcdPath.range).first?.endpoint))
            await storage.close()
        }
        #expect(first == ["http://a", "http://b", "http://c", "http://c"])
    }

    @Test("Another cluster is told and read anew") func anotherCluster() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        try await storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        let events = EventLog()
        storage.watch(events.handle)
        let position = try await storage.load().position
        let new = FakeEtcd()
        for number in 1...20 { new.put("/fleet/test/a", "\(100 + number)") }
        fixture.cluster.restore(new, isNew: true)
        let changes = try await storage.changes(after: position).changes
        #expect(changes == [ExternalChange(.everything(SettingTree(["a": .integer(120)])))])
        let issue = await events.next { if case .issue = $0 { true } else { false } }
        guard case .issue(let error)? = issue else { return }
        #expect(error.description.contains("another cluster"))
        await storage.close()
    }

    @Test("An earlier state of the cluster is told and read anew") func earlierState() async throws {
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        try await storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        let backup = fixture.cluster.copy()
        try await storage.append(StorageBatch(revision: 2, values: ["a": .integer(2)]), durability: .synced)
        let position = try await storage.append(
            StorageBatch(revision: 3, values: ["b": .integer(3)]), durability: .synced
        ).position
        fixture.cluster.restore(backup)
        let changes = try await storage.changes(after: position).changes
        #expect(changes == [ExternalChange(.everything(SettingTree(["a": .integer(1)])))])
        // A commit that was based on the lost state is none of the earlier one.
        try await storage.append(StorageBatch(revision: 4, values: ["c": .integer(4)]), durability: .synced)
        #expect(try await storage.load().tree.root == ["a": .integer(1), "c": .integer(4)])
        await storage.close()
    }

    @Test("Errors name the endpoint the prefix and what to do") func errorTexts() async throws {
        let (storage, transport) = fixture.client { $0.start = .withClusterOnly }
        transport.setAll(.refused)
        let unreached = await #expect(throws: StorageError.self) { _ = try await storage.load() }
        #expect(
            unreached?.description
                == "The settings under “/fleet/test/” could not be read: no answer from etcd at “http://c”, because "
                + "the connection was refused. Check that a majority of the members runs, and that the endpoints are "
                + "their client URLs.")
        transport.setAll(nil)
        _ = try await storage.load()
        fixture.cluster.state.withLock { $0.forbidden = "/fleet/test/" }
        let forbidden = await #expect(throws: StorageError.self) {
            try await storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        }
        #expect(forbidden?.code == .permissionDenied)
        #expect(forbidden?.description.contains("Give the user a role") == true)
        #expect(forbidden?.description.contains("“a” under “/fleet/test/”") == true)
        await storage.close()
    }

    @Test("The next endpoint is taken when one fails") func nextEndpoint() async throws {
        let (storage, transport) = fixture.client()
        transport.set { $0.endpoint == "http://a" ? .refused : nil }
        _ = try await storage.load()
        try await storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        #expect(transport.requests(of: EtcdPath.transaction).map(\.endpoint) == ["http://b"])
        await storage.close()
    }

    @Test("A silent member is left when the deadline is over") func silentMember() async throws {
        let (storage, transport) = fixture.client()
        transport.set { $0.endpoint == "http://a" ? .silence : nil }
        let clock = fixture.clock
        let load = Task { try await storage.load() }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(5))
        #expect(try await load.value.outcome == .absent)
        #expect(transport.requests(of: EtcdPath.range).map(\.endpoint) == ["http://a", "http://b"])
        await storage.close()
    }

    @Test("A token is renewed when it is not known any more") func renewedToken() async throws {
        fixture.cluster.state.withLock { $0.password = "secret" }
        let (storage, transport) = fixture.client { $0.credentials = .init(name: "root", password: "secret") }
        _ = try await storage.load()
        try await storage.append(StorageBatch(revision: 1, values: ["a": .integer(1)]), durability: .synced)
        #expect(fixture.cluster.state.withLock { $0.authentications } == 1)
        fixture.cluster.endTokens()
        try await storage.append(StorageBatch(revision: 2, values: ["a": .integer(2)]), durability: .synced)
        #expect(fixture.cluster.state.withLock { $0.authentications } == 2)
        #expect(transport.requests(of: EtcdPath.transaction).last?.headers["Authorization"] == "token2")
        fixture.cluster.state.withLock { $0.password = "another" }
        fixture.cluster.endTokens()
        let error = await #expect(throws: StorageError.self) {
            try await storage.append(StorageBatch(revision: 3, values: ["a": .integer(3)]), durability: .synced)
        }
        #expect(error?.description.contains("password") == true)
        await storage.close()
    }
}
