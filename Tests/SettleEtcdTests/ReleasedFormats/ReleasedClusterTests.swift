import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@testable import SettleEtcd

/// Clusters and local copies that released versions have written are opened, followed and resumed.
@Suite(.timeLimit(.minutes(10))) struct ReleasedClusterTests {
    private static let area = "etcd"
    private static let fixtures = FormatFixture.all(area)
    private static let clusters = fixtures.filter { $0.name == "cluster" }
    private static let copies = fixtures.filter { $0.name == "local-copy" }
    private static let clusterName = "etcd.txt"
    private static let tokensName = "tokens.txt"
    private static let copyName = "copy.json"

    @Test("The clusters of all released versions are there, as they were written") func present() throws {
        #expect(try FormatFixture.differences(Self.area) == [])
        for version in FormatFixture.versions() {
            #expect(Self.clusters.contains { $0.version == version } && Self.copies.contains { $0.version == version })
        }
    }

    /// A cluster of its own with what the fixture has.
    private func cluster(of fixture: FormatFixture) throws -> EtcdFixture {
        let new = EtcdFixture()
        try new.cluster.replay(fixture.text(of: Self.clusterName))
        return new
    }

    private func tokens(of fixture: FormatFixture) throws -> [ChangeToken] {
        try fixture.text(of: Self.tokensName).split(separator: "\n").map { try #require(ChangeToken(String($0))) }
    }

    // MARK: Clusters

    @Test("A client finds what the released version found", arguments: clusters)
    func found(_ fixture: FormatFixture) async throws {
        let found = try await Self.observed(cluster(of: fixture), after: tokens(of: fixture)).reread()
        #expect(try found == fixture.expected(), "\(found.jsonText)")
    }

    private static func observed(_ fixture: EtcdFixture, after tokens: [ChangeToken]) async throws -> SettingTree {
        let (storage, _) = fixture.client()
        let contents = try await storage.load()
        await storage.keepHistory(.keep(transactions: 1_000, for: .days(100_000_000)))
        var found = SettingTree()
        found.root["values"] = SettingValue.dictionary(contents.tree.root).typed
        found.root["isIntact"] = .bool(contents.outcome == .intact)
        found.root["token"] = .text(contents.token?.description)
        found.root["unusable"] = .array(await storage.unusableKeys().keys.sorted().map { .string($0) })
        found.root["schema"] = try storage.schema()?.typed ?? .null
        found.root["machines"] = .array(
            try await storage.machines().map { machine in
                SettingValue.array([
                    .string(machine.name), .text(machine.token?.description), .string(machine.program),
                    SettingValue.real(machine.time).typed, .array(machine.problems.keys.sorted().map { .string($0) }),
                ])
            })
        found.root["history"] = try await storage.records(before: nil, limit: 1_000).typed
        var resumed: SettingValue.Entries = [:]
        for token in tokens {
            resumed[token.description] = try await storage.records(after: token, limit: 1_000)?.typed ?? .null
        }
        found.root["resumed"] = .dictionary(resumed)
        found.root["isLocked"] = .bool(try await storage.tryLock(named: "job") == nil)
        await storage.close()
        return found
    }

    @Test("A client stores, another follows it, tokens lead there, and a lock ends", arguments: clusters)
    func continued(_ fixture: FormatFixture) async throws {
        let saved = try tokens(of: fixture)
        let fixture = try cluster(of: fixture)
        let (follower, _) = try await fixture.follower()
        let (storage, _) = fixture.client()
        var tree = try await storage.load().tree
        let batch = StorageBatch(revision: 1, values: ["appended": .integer(1)], author: "of today")
        let token = try #require(try await storage.append(batch, durability: .synced).token)
        tree["appended"] = .integer(1)
        try await follower.wait(for: 1, at: "appended")
        #expect(follower.tree.withLock { $0 } == tree)
        for old in saved {
            let records = try #require(try await storage.records(after: old, limit: 1_000))
            #expect(records.last?.token == token && records.last?.transactions.last?.author.name == "of today")
        }
        #expect(try await storage.tryLock(named: "job") == nil)
        fixture.cluster.expire()
        #expect(try await storage.tryLock(named: "job") != nil)
        for storage in [storage, follower.storage] { await storage.close() }
    }

    // MARK: Local copies

    @Test("A machine starts without the cluster, and what was pending is stored once it is there", arguments: copies)
    func localCopy(_ released: FormatFixture) async throws {
        let folder = try TemporaryFolder()
        try released.copy(to: folder.url)
        let fixture = try cluster(of: released)
        let found = try await Self.observed(folder.url, fixture).reread()
        #expect(try found == released.expected(), "\(found.jsonText)")
        let (storage, _) = fixture.client(localCopy: FileStorage(at: folder.url.appending(path: Self.copyName)))
        let tree = try await storage.load().tree
        #expect(tree == SettingTree(["a": .integer(9), "b": .integer(1), "c": .integer(3)]))
        #expect(fixture.cluster.text("/fleet/test/c") == "3")
        #expect(await storage.pendingTransactionCount() == 0)
        #expect(await storage.lostTransactions().count == 1)
        await storage.close()
    }

    /// The findings of a machine that does not reach the cluster.
    private static func observed(_ folder: URL, _ fixture: EtcdFixture) async throws -> SettingTree {
        let file = FileStorage(at: folder.appending(path: Self.copyName))
        let (storage, transport) = fixture.client(localCopy: file)
        transport.setAll(.refused)
        let contents = try await storage.load()
        let lost = await storage.lostTransactions().map { transaction in
            SettingValue.array([
                Self.text(transaction.values), Self.text(transaction.stored.mapValues { Optional($0) }),
                .integer(transaction.base), .text(transaction.author),
            ])
        }
        let found = SettingTree([
            "values": SettingValue.dictionary(contents.tree.root).typed,
            "pending": .integer(Int64(await storage.pendingTransactionCount())), "lost": .array(lost),
        ])
        await storage.close()
        return found
    }

    /// The values by their keys; `null` where a key is removed.
    private static func text(_ values: [SettingKey: SettingValue?]) -> SettingValue {
        var entries: SettingValue.Entries = [:]
        for (key, value) in values { entries[key.description] = value?.typed ?? .null }
        return .dictionary(entries)
    }

    // MARK: Writing

    @Test("A new version writes its cluster and its local copy", .enabled(if: FormatFixture.target != nil))
    func writeFixtures() async throws {
        try FormatFixture.beginWriting(Self.area)
        try await writeCluster()
        try await writeLocalCopy()
        try FormatFixture.endWriting(Self.area)
    }

    private func writeCluster() async throws {
        let fixture = EtcdFixture()
        let (storage, _) = fixture.client()
        _ = try await storage.load()
        await storage.keepHistory(.keep())
        var tokens: [ChangeToken] = []
        func store(
            _ values: [SettingKey: SettingValue?], by author: String, undoing token: ChangeToken? = nil
        ) async throws {
            let number = UInt64(tokens.count + 1)
            var transaction = StoredTransaction(
                time: 800_000_000 + Double(number),
                author: TransactionAuthor(name: author, program: "fixtures", process: 4711, user: "alice"),
                origin: .local, undone: token, reason: token == nil ? nil : "not confirmed within 5 minutes",
                mutations: values.map { StoredMutation(key: $0.key, oldValue: nil, newValue: $0.value) })
            transaction.isOwners = number == 1
            let batch = StorageBatch(
                id: StorageBatch.ID(store: 1, number: number), revision: number, values: values, author: author,
                transactions: [transaction])
            tokens.append(try #require(try await storage.append(batch, durability: .synced).token))
        }
        try await store(["a": .integer(1), "g.x": .string("ü")], by: "alice")
        try await store(["a": .integer(2), "list": .array([.real(0.5), .null])], by: "bob")
        try await store(["a": .integer(1)], by: "alice", undoing: tokens[1])
        try await store(["g.x": nil], by: "bob")
        // By other tools.
        fixture.cluster.put("/fleet/test/tool", "{\"deep\":true}")
        fixture.cluster.put("/fleet/test/broken", "{oops")
        try await storage.storeSchema(.dictionary(["type": .string("object")]), version: "1.4")
        let machine = EtcdMachine(
            name: "m1", token: tokens[0], problems: ["a": "too large"], program: "fixtures 4711", time: 800_000_000)
        let machineKey = KeySpace(prefix: fixture.prefix).machine("m1")
        fixture.cluster.put(machineKey, String(decoding: machine.bytes, as: UTF8.self))
        #expect(try await storage.tryLock(named: "job") != nil)
        // The process is killed.
        let log = fixture.cluster.log
        let again = EtcdFixture()
        try again.cluster.replay(log)
        #expect(again.cluster.log == log)
        let found = try await Self.observed(again, after: tokens)
        let values = SettingTree([
            "a": .integer(1), "list": .array([.real(0.5), .null]), "tool": .dictionary(["deep": .bool(true)]),
        ])
        #expect(found.root["values"] == SettingValue.dictionary(values.root).typed, "\(found.jsonText)")
        #expect(found.root["isLocked"] == .bool(true), "\(found.jsonText)")
        let lines = tokens.map { "\($0)\n" }.joined()
        let files = [Self.clusterName: Data(log.utf8), Self.tokensName: Data(lines.utf8)]
        try FormatFixture.write("cluster", in: Self.area, files, expected: found)
        await storage.close()
    }

    private func writeLocalCopy() async throws {
        let (fixture, folder) = (EtcdFixture(), try TemporaryFolder())
        func write(_ body: (EtcdStorage, FakeTransport) async throws -> Void) async throws {
            let file = FileStorage(at: folder.url.appending(path: Self.copyName))
            let (storage, transport) = fixture.client(localCopy: file)
            _ = try await storage.load()
            try await body(storage, transport)
            await storage.close()
        }
        /// Stores a batch; without the cluster it stays pending.
        func store(_ values: [SettingKey: SettingValue?], in storage: EtcdStorage) async {
            let batch = StorageBatch(revision: 1, values: values, author: "alice")
            _ = try? await storage.append(batch, durability: .synced)
        }
        try await write { storage, transport in
            await store(["a": .integer(1), "b": .integer(1)], in: storage)
            transport.setAll(.refused)
            await store(["a": .integer(2)], in: storage)
        }
        // Newer than the pending one, which is lost then.
        fixture.cluster.put("/fleet/test/a", "9")
        try await write { storage, transport in
            #expect(await storage.lostTransactions().count == 1)
            transport.setAll(.refused)
            await store(["c": .integer(3)], in: storage)
        }
        var files = try FormatFixture.files(in: folder.url)
        files[Self.clusterName] = Data(fixture.cluster.log.utf8)
        let found = try await Self.observed(folder.url, fixture)
        #expect(found.root["pending"] == .integer(1), "\(found.jsonText)")
        try FormatFixture.write("local-copy", in: Self.area, files, expected: found)
    }
}
