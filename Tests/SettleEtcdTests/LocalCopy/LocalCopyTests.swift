import FoundationEssentials
import Settle
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// Starting, writing and coming back without the cluster.
@Suite(.timeLimit(.minutes(10))) struct LocalCopyTests {
    let fixture = EtcdFixture()
    let copy = InMemoryStorage()

    func client() -> (storage: EtcdStorage, transport: FakeTransport) {
        fixture.client(localCopy: InMemoryStorage(sharing: copy))
    }

    func batch(_ values: [SettingKey: SettingValue?], together: [[SettingKey]] = []) -> StorageBatch {
        var batch = StorageBatch(revision: 1, values: values)
        batch.writtenTogether = together
        return batch
    }

    /// Stores a and b in the cluster, and leaves plain writes behind that could not be sent.
    func leavePending(_ batches: StorageBatch...) async throws {
        let (storage, transport) = client()
        _ = try await storage.load()
        try await storage.append(batch(["a": .integer(1), "b": .integer(1)]), durability: .synced)
        transport.setAll(.refused)
        for batch in batches {
            await #expect(throws: StorageError.self) { try await storage.append(batch, durability: .synced) }
        }
        await storage.close()
    }

    @Test("Without the cluster the last known values are in force and marked so") func lastKnownValues() async throws {
        try await leavePending()
        let (storage, transport) = client()
        transport.setAll(.refused)
        let contents = try await storage.load()
        #expect(contents.tree.root == ["a": .integer(1), "b": .integer(1)])
        guard case .recovered(let description, isComplete: false) = contents.outcome else {
            Issue.record("It is \(contents.outcome).")
            return
        }
        #expect(description.contains("last known values, of revision 2"))
        await storage.close()
    }

    @Test("A storage may refuse to start without the cluster") func refusedStart() async throws {
        try await leavePending()
        let (storage, transport) = fixture.client(localCopy: InMemoryStorage(sharing: copy)) {
            $0.start = .withClusterOnly
        }
        transport.setAll(.refused)
        await #expect(throws: StorageError.self) { _ = try await storage.load() }
        await storage.close()
    }

    @Test("A start that fails leaves the local copy as it was", arguments: [false, true])
    func failedStart(isDenied: Bool) async throws {
        try await leavePending(batch(["a": .integer(2)]))
        let before = copy.tree
        let (storage, transport) = fixture.client(localCopy: InMemoryStorage(sharing: copy)) {
            $0.start = .withClusterOnly
        }
        if isDenied {
            fixture.cluster.state.withLock { $0.password = "password" }
        } else {
            transport.setAll(.refused)
        }
        await #expect(throws: StorageError.self) { _ = try await storage.load() }
        await storage.close()
        #expect(copy.tree == before)
        fixture.cluster.state.withLock { $0.password = nil }
        // Nothing in the cluster is newer than the write.
        let (next, _) = client()
        #expect(try await next.load().tree.root == ["a": .integer(2), "b": .integer(1)])
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        #expect(await next.lostTransactions().isEmpty)
        await next.close()
    }

    @Test("Plain writes survive the process and go out") func survivingWrites() async throws {
        try await leavePending(batch(["a": .integer(2)]), batch(["a": .integer(3), "c": .integer(3)]))
        #expect(fixture.cluster.text("/fleet/test/a") == "1")
        let (storage, _) = client()
        #expect(
            try await storage.load().tree.root == ["a": .integer(3), "b": .integer(1), "c": .integer(3)])
        #expect(fixture.cluster.text("/fleet/test/a") == "3")
        #expect(await storage.pendingTransactionCount() == 0)
        #expect(await storage.lostTransactions().isEmpty)
        await storage.close()
    }

    /// The local copy does not have the value, which was there before the write.
    @Test("Plain writes go out beside a value that cannot be used") func besideUnusableValue() async throws {
        fixture.cluster.put("/fleet/test/name", "not JSON")
        try await leavePending(batch(["a": .integer(2)]))
        let (storage, _) = client()
        #expect(try await storage.load().tree.root == ["a": .integer(2), "b": .integer(1)])
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        #expect(await storage.lostTransactions().isEmpty)
        #expect(await storage.unusableKeys().keys.sorted() == ["name"])
        await storage.close()
    }

    @Test("A write that cannot be read is never lost", arguments: ["pending", "lost"])
    func unreadableWrite(_ name: String) async throws {
        try await leavePending(batch(["a": .integer(2)]))
        guard case .array(let entries)? = copy.tree.root["pending"], case .dictionary(let entry)? = entries.first else {
            throw StorageError(.unreadable, "Nothing is pending.")
        }
        func changed(_ field: String, _ value: SettingValue?) -> SettingValue {
            var entry = entry
            entry[field] = value
            return .array([.dictionary(entry)])
        }
        let writes: [SettingValue] = [
            .string("x"), .array([.integer(1)]), .array(entries + [.string("x")]), changed("set", nil),
            changed("set", .array([])), changed("set", .dictionary(["": .integer(1)])),
            changed("removed", .string("b")), changed("removed", .array([.integer(1)])),
            changed("stored", .integer(1)),
        ]
        for write in writes {
            InMemoryStorage(sharing: copy).simulateExternalChange([.path(name): write])
            let before = copy.tree
            let (storage, _) = client()
            let error = await #expect(throws: StorageError.self) { _ = try await storage.load() }
            #expect(error?.code == .unreadable && error?.description.contains("“\(name)") == true, "\(write)")
            await storage.close()
            #expect(copy.tree == before && copy.tree.root[name] == write)
        }
        #expect(fixture.cluster.text("/fleet/test/a") == "1")
        // The write is still there for a program that knows it, or for someone who corrects it.
        InMemoryStorage(sharing: copy).simulateExternalChange(["pending": .array(entries), "lost": nil])
        let (storage, _) = client()
        #expect(try await storage.load().tree.root["a"] == .integer(2))
        await storage.close()
    }

    @Test("The file of an unreadable copy is named") func unreadableCopy() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "copy.json")
        let text = #"{"pending": [1]}"#
        try Data(text.utf8).write(to: file)
        let copy = LocalCopy(FileStorage(at: file))
        let error = await #expect(throws: StorageError.self) { _ = try await copy.load() }
        #expect(error?.description.contains("copy.json” can't be read: “pending[0]”") == true)
        await copy.close()
        #expect(try String(decoding: Data(contentsOf: file), as: UTF8.self) == text)
    }

    /// Neither waits for the answer that was lost, nor for the next attempt.
    @Test(
        "What is written without the cluster is kept at once",
        arguments: [FakeTransport.Fault.answerLost, .requestLost, .refused])
    func writeWithoutCluster(_ fault: FakeTransport.Fault) async throws {
        let (storage, transport) = client()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        let settings = try await store.group(Counter.self)
        try await settings.commit { settings.limit = 11 }
        transport.set { $0.path == EtcdPath.transaction ? fault : nil }
        settings.count = 1
        await #expect(throws: SettingsError.self) { try await store.flush() }
        transport.setAll(.refused)
        try store.update {
            settings.name = "later"
            settings.limit = 12
        }
        // No time passes: the next attempt does not come.
        try await eventually("the write is in the local copy") {
            try LocalContents(copy.tree).pending.contains { $0.values["name"] != nil }
        }
        // The process ends.
        transport.endStreams()
        let (next, _) = client()
        let tree = try await next.load().tree
        #expect(tree == SettingTree(["count": .integer(1), "name": .string("later"), "limit": .integer(12)]))
        #expect(await next.pendingTransactionCount() == 0)
        #expect(await next.lostTransactions().isEmpty)
        for (key, value) in ["count": "1", "name": "\"later\"", "limit": "12"] {
            let stored = fixture.cluster.state.withLock { state in
                state.allEvents.values.joined().filter {
                    $0.key == Array("/fleet/test/\(key)".utf8) && $0.value?.bytes == Array(value.utf8)
                }
            }
            #expect(stored.count == 1, "\(key)")
        }
        await next.close()
        withExtendedLifetime(store) {}
    }

    /// What is written again later is another transaction, with the same values or not.
    @Test("What is written again is not taken for what was once in doubt") func writtenAgain() async throws {
        let (storage, transport) = client()
        _ = try await storage.load()
        try await storage.append(batch(["a": .integer(1)]), durability: .synced)
        let doubtful = batch(["a": .integer(2)])
        transport.set { $0.path == EtcdPath.transaction ? .answerLost : nil }
        await #expect(throws: StorageError.self) { try await storage.append(doubtful, durability: .synced) }
        transport.setAll(nil)
        let position = try await storage.append(doubtful, durability: .synced).position
        fixture.cluster.put("/fleet/test/a", "9")
        _ = try await storage.changes(after: position)
        transport.setAll(.refused)
        await storage.preserve(batch(["a": .integer(2)]))
        let (next, _) = client()
        _ = try await next.load()
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        #expect(await next.pendingTransactionCount() == 0)
        await next.close()
    }

    @Test("A transaction goes out whole or is lost whole") func wholeTransaction() async throws {
        try await leavePending(
            batch(["a": .integer(2), "c": .integer(2), "b": .integer(2)], together: [["a", "c"]]))
        fixture.cluster.put("/fleet/test/a", "9")
        let events = EventLog()
        let (storage, _) = client()
        let contents = try await storage.load()
        #expect(contents.tree.root == ["a": .integer(9), "b": .integer(2)])
        #expect(fixture.cluster.text("/fleet/test/c") == nil)
        let lost = await storage.lostTransactions()
        #expect(lost.map(\.values) == [["a": .integer(2), "c": .integer(2)]])
        #expect(lost.map(\.stored) == [["a": .integer(9)]])
        storage.watch(events.handle)
        let issue = await events.next { if case .issue = $0 { true } else { false } }
        guard case .issue(let error)? = issue else { return }
        #expect(error.description.contains("“a”, “c”"))
        await storage.forget(lost[0])
        #expect(await storage.lostTransactions().isEmpty)
        await storage.close()
        // For good.
        let (again, _) = client()
        _ = try await again.load()
        #expect(await again.lostTransactions().isEmpty)
        await again.close()
    }

    @Test("A deletion in the cluster is newer too") func newerDeletion() async throws {
        try await leavePending(
            StorageBatch(revision: 2, values: ["a": .integer(2)], expectedValues: ["a": .integer(1)]))
        fixture.cluster.delete("/fleet/test/a")
        let (storage, _) = client()
        #expect(try await storage.load().tree.root == ["b": .integer(1)])
        #expect(await storage.lostTransactions().count == 1)
        await storage.close()
    }

    /// A client that has stored 1, and to which this has happened to the transaction that stores 2.
    private func clientInDoubt(
        _ fault: FakeTransport.Fault
    ) async throws -> (storage: EtcdStorage, transport: FakeTransport) {
        let (storage, transport) = client()
        _ = try await storage.load()
        try await storage.append(batch(["a": .integer(1)]), durability: .synced)
        transport.set { $0.path == EtcdPath.transaction ? fault : nil }
        await #expect(throws: StorageError.self) {
            try await storage.append(batch(["a": .integer(2)]), durability: .synced)
        }
        return (storage, transport)
    }

    @Test("What landed before the process ended is not sent again") func landedBeforeEnd() async throws {
        let (storage, _) = try await clientInDoubt(.answerLost)
        await storage.close()
        let (again, _) = client()
        #expect(try await again.load().tree.root == ["a": .integer(2)])
        #expect(await again.lostTransactions().isEmpty)
        #expect(await again.pendingTransactionCount() == 0)
        await again.close()
    }

    @Test("What turns out to be stored is not pending") func storedAfterAll() async throws {
        let (storage, transport) = try await clientInDoubt(.answerLost)
        #expect(await storage.pendingTransactionCount() == 1)
        transport.setAll(nil)
        _ = try await storage.changes(after: StoragePosition(2))
        #expect(await storage.pendingTransactionCount() == 0)
        // Nor is it lost when others replace it.
        fixture.cluster.put("/fleet/test/a", "9")
        try await storage.append(batch(["b": .integer(1)]), durability: .synced)
        #expect(await storage.lostTransactions().isEmpty)
        await storage.close()
    }

    @Test("What lands while the next process sends it again is stored once") func landsTwice() async throws {
        let (storage, transport) = try await clientInDoubt(.requestLost)
        let late = try #require(
            transport.requests(of: EtcdPath.transaction).first {
                String(decoding: $0.body, as: UTF8.self).contains("\"value\":\"Mg==\"")
            })
        await storage.close()
        let (again, sending) = client()
        sending.set { [cluster = fixture.cluster] request in
            if request.path == EtcdPath.transaction { _ = cluster.answer(late.path, late.body, token: nil) }
            return nil
        }
        #expect(try await again.load().tree.root == ["a": .integer(2)])
        #expect(await again.pendingTransactionCount() == 0)
        #expect(await again.lostTransactions().isEmpty)
        let stored = fixture.cluster.state.withLock { state in
            state.events.values.filter { $0.contains { $0.value?.bytes == [UInt8(ascii: "2")] } }.count
        }
        #expect(stored == 1)
        await again.close()
    }

    @Test("A lost answer of what was inherited is settled first") func inheritedLostAnswer() async throws {
        try await leavePending(batch(["a": .integer(2)]))
        let (storage, transport) = client()
        // The cluster can be read, and takes a transaction whose answer is lost, and no barrier.
        transport.set { $0.path == EtcdPath.transaction ? .answerLost : nil }
        let contents = try await storage.load()
        #expect(contents.tree["a"] == .integer(2))
        transport.setAll(nil)
        _ = try await storage.changes(after: contents.position)
        #expect(await storage.lostTransactions().isEmpty)
        #expect(await storage.pendingTransactionCount() == 0)
        #expect(fixture.cluster.text("/fleet/test/a") == "2")
        await storage.close()
    }

    @Test("A plain write that shares a batch with a commit survives") func writeBesideCommit() async throws {
        let (storage, transport) = client()
        var store: SettingsStore? = try await SettingsStore.open(
            storage: storage, configuration: .init(clock: fixture.clock))
        let settings = try await #require(store).group(Counter.self)
        try await settings.commit { settings.count = 1 }
        transport.setAll(.refused)
        settings.limit = 20
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count = 2 } }
        // As if it were killed: the other process has its local copy.
        store = nil
        let (again, _) = client()
        #expect(try await again.load().tree.root == ["count": .integer(1), "limit": .integer(20)])
        #expect(fixture.cluster.text("/fleet/test/limit") == "20")
        #expect(fixture.cluster.text("/fleet/test/count") == "1")
        await again.close()
    }

    @Test("An offline start comes back") func offlineStart() async throws {
        try await leavePending(batch(["a": .integer(2)]), batch(["a": .integer(2), "c": .integer(2)]))
        let (storage, transport) = client()
        transport.setAll(.refused)
        let contents = try await storage.load()
        // What was written is in force.
        #expect(contents.tree.root == ["a": .integer(2), "b": .integer(1), "c": .integer(2)])
        fixture.cluster.put("/fleet/test/a", "9")
        await #expect(throws: StorageError.self) { _ = try await storage.changes(after: contents.position) }
        transport.setAll(nil)
        var tree = contents.tree
        for change in try await storage.changes(after: contents.position).changes { change.apply(to: &tree) }
        #expect(tree.root == ["a": .integer(9), "b": .integer(1), "c": .integer(2)])
        #expect(fixture.cluster.text("/fleet/test/c") == "2")
        #expect(await storage.lostTransactions().map(\.values) == [["a": .integer(2)]])
        await storage.close()
    }

    /// The first stream may be open before the cluster can be read.
    @Test("An offline start gets no changes from before the last known values") func knownChanges() async throws {
        fixture.cluster.put("/fleet/test/old", "1")
        fixture.cluster.delete("/fleet/test/old")
        try await leavePending()
        let (storage, transport) = client()
        transport.setAll(.refused)
        let contents = try await storage.load()
        transport.set { $0.path == EtcdPath.watch ? nil : .refused }
        storage.watch { _ in }
        try await eventually("the storage follows the cluster") { await storage.isFollowing }
        fixture.cluster.put("/fleet/test/c", "3")
        try await eventually("the change has come") { await storage.view.mirror.entry(at: "c") != nil }
        transport.setAll(nil)
        let changes = try await storage.changes(after: contents.position).changes
        #expect(changes.map(\.content) == [.values(["c": .integer(3)])])
        await storage.close()
    }

    @Test("A store goes on without the cluster and its commits throw") func storeWithoutCluster() async throws {
        let (storage, transport) = client()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        let settings = try await store.group(Counter.self)
        try await settings.commit { settings.count = 1 }
        transport.setAll(.refused)
        settings.limit = 20
        await #expect(throws: SettingsError.self) { try await store.flush() }
        let error = await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        #expect("\(error, default: "")".contains("“/fleet/test/”"))
        #expect(settings.count == 1)
        #expect(settings.limit == 20)
        // More plain writes are kept as well.
        settings.name = "later"
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(try InMemoryStorage(sharing: copy).load().tree["pending"] != nil)
        transport.setAll(nil)
        try await store.flush()
        #expect(fixture.cluster.text("/fleet/test/limit") == "20")
        #expect(fixture.cluster.text("/fleet/test/name") == "\"later\"")
        #expect(try InMemoryStorage(sharing: copy).load().tree["pending"] == nil)
        try await store.close()
    }

    @Test("A store that ends without the cluster leaves its plain writes") func closedWithoutCluster() async throws {
        let (storage, transport) = client()
        var store: SettingsStore? = try await SettingsStore.open(
            storage: storage, configuration: .init(clock: fixture.clock))
        let settings = try await #require(store).group(Counter.self)
        try await settings.commit { settings.count = 1 }
        transport.setAll(.refused)
        settings.limit = 20
        try settings.update {
            settings.name = "together"
            settings.count = 5
        }
        await #expect(throws: SettingsError.self) { try await #require(store).flush() }
        // As if it were killed: the other process has its local copy.
        store = nil
        fixture.cluster.put("/fleet/test/name", "\"newer\"")
        let (again, _) = client()
        let contents = try await again.load()
        #expect(contents.tree.root == ["count": .integer(1), "limit": .integer(20), "name": .string("newer")])
        #expect(
            await again.lostTransactions().map(\.values) == [["name": .string("together"), "count": .integer(5)]])
        await again.close()
    }
}
