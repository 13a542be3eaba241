import Settle
import SettleTestSupport
import SettleTesting
import Testing

@testable import SettleEtcd

/// A place in etcd's past, found again on another machine.
@Suite(.timeLimit(.minutes(10))) struct EtcdHistoryTests {
    private let fixture = EtcdFixture()

    private func opened() async throws -> EtcdStorage {
        let storage = fixture.client().storage
        _ = try await storage.load()
        return storage
    }

    private func store(_ number: Int64, in storage: EtcdStorage) async throws -> ChangeToken {
        let batch = StorageBatch(
            revision: UInt64(number), values: ["a": .integer(number)], author: "writer \(number)")
        return try #require(try await storage.append(batch, durability: .synced).token)
    }

    @Test("A follower continues on another machine") func aFollowerGoesOnOnAnotherMachine() async throws {
        let first = try await opened()
        var tokens: [ChangeToken] = []
        for number in 1...6 { tokens.append(try await store(Int64(number), in: first)) }
        let second = try await opened()
        #expect(second.token == tokens.last)
        let records = try #require(try await second.records(after: tokens[1], limit: 100))
        #expect(records.map(\.token) == Array(tokens[2...]))
        #expect(records.map { $0.transactions[0].author.name } == (3...6).map { "writer \($0)" })
        #expect(
            records[0].transactions[0].mutations
                == [StoredMutation(key: "a", oldValue: .integer(2), newValue: .integer(3))])
        #expect(try await second.records(after: tokens[1], limit: 2)?.map(\.token) == Array(tokens[2...3]))
        #expect(try await second.records(after: tokens[5], limit: 2) == [])
        // What is followed has the same places.
        let next = try await store(7, in: first)
        #expect(try await second.records(after: tokens[5], limit: 2)?.map(\.token) == [next])
        for storage in [first, second] { await storage.close() }
    }

    /// After `fleet promote`, for example, the entries of a dictionary are keys of their own.
    @Test("A dictionary that is written over its entries has all of them as its old value")
    func dictionaryOverEntries() async throws {
        var old: SettingValue.Entries = [:]
        for index in 0..<10 { old["k\(index)"] = .integer(Int64(index)) }
        for name in ["a", "b", "c"] {
            for index in 0..<10 { fixture.cluster.put("/fleet/test/\(name).k\(index)", "\(index)") }
        }
        let storage = try await opened()
        var token = try #require(storage.token)
        for key in ["a", "b", "c"] as [SettingKey] {
            let new = SettingValue.dictionary(["k0": .integer(100)])
            let receipt = try await storage.append(StorageBatch(revision: 1, values: [key: new]), durability: .synced)
            let record = try #require(try await storage.records(after: token, limit: 9)?.first)
            #expect(
                record.transactions[0].mutations
                    == [StoredMutation(key: key, oldValue: .dictionary(old), newValue: new)])
            token = try #require(receipt.token)
        }
        await storage.close()
    }

    /// Of what another tool deletes nothing is left that tells a machine that comes later.
    @Test("A deletion by another tool is told to who comes back", arguments: [1, 2], [false, true])
    func deletionByTool(count: Int, isFollowing: Bool) async throws {
        fixture.cluster.put("/fleet/test/b", "1")
        fixture.cluster.put("/fleet/test/c", "1")
        let first = try await opened()
        let token = try await store(1, in: first)
        await first.close()
        let deletions = (0..<count).map { index in
            fixture.cluster.delete(index == 0 ? "/fleet/test/b" : "/fleet/test/c")
            return UInt64(fixture.cluster.revision)
        }
        fixture.cluster.put("/elsewhere", "1")
        if isFollowing {
            let (follower, _) = try await fixture.follower()
            let found = try await follower.storage.records(after: token, limit: 9)
            #expect(found?.map(\.token.position) == deletions)
            await follower.storage.close()
        }
        let second = try await opened()
        let found = try #require(try await second.records(after: token, limit: 9))
        #expect(found.map(\.token.position) == deletions)
        #expect(
            found.first?.transactions[0].mutations == [StoredMutation(key: "b", oldValue: .integer(1), newValue: nil)])
        let last = try #require(found.last?.token)
        #expect(try await second.records(after: last, limit: 9) == [])
        // What comes then is told to both.
        let next = try await store(2, in: second)
        #expect(try await second.records(after: last, limit: 9)?.map(\.token) == [next])
        #expect(try await second.records(after: token, limit: 9)?.map(\.token.position) == deletions + [next.position])
        await second.close()
    }

    /// Also where they are more than a store reads at once.
    @Test("A store tells who comes back of deletions by another tool", arguments: [0, 300])
    func deletionByToolInStore(others: Int) async throws {
        fixture.cluster.put("/fleet/test/count", "5")
        for number in 0..<others { fixture.cluster.put("/fleet/test/x\(number)", "1") }
        let (writer, reader) = (try await opened(), fixture.client().storage)
        let token = try await store(1, in: writer)
        await writer.close()
        for number in 0..<others { fixture.cluster.delete("/fleet/test/x\(number)") }
        fixture.cluster.delete("/fleet/test/count")
        let deletion = UInt64(fixture.cluster.revision)
        fixture.cluster.put("/elsewhere", "1")
        let store = try await SettingsStore.open(storage: reader, configuration: .init(clock: fixture.clock))
        let settings = try await store.group(Counter.self)
        var changes = store.history.changes(after: token).makeAsyncIterator()
        try await fixture.whileTimePasses {
            for number in 0..<others {
                #expect(await changes.next()?.mutations.map(\.key) == ["x\(number)"])
            }
            let change = try #require(await changes.next())
            #expect(change.token?.position == deletion && change.missed.count == 0)
            #expect(change.mutations.map(\.key) == ["count"] && change.mutations.first?.newValue as? Int == 0)
            try await settings.commit { settings.count = 7 }
            #expect(await changes.next()?.mutations.first?.newValue as? Int == 7)
        }
        try await store.close()
    }

    /// Where nothing was deleted, that is found out once; and where etcd has forgotten it, nothing is told.
    @Test("Who comes back to a quiet prefix misses nothing", arguments: [false, true])
    func quietPrefix(isForgotten: Bool) async throws {
        let first = try await opened()
        let token = try await store(1, in: first)
        await first.close()
        fixture.cluster.put("/elsewhere", "1")
        if isForgotten { fixture.cluster.compact() }
        let (second, transport) = fixture.client()
        /// How often something was read as of an earlier time.
        func looksBack() -> Int {
            transport.requests(of: EtcdPath.range).count {
                String(decoding: $0.body, as: UTF8.self).contains(#""revision":"\#(token.position)""#)
            }
        }
        _ = try await second.load()
        #expect(looksBack() == 0)
        #expect(try await second.records(after: token, limit: 9) == [])
        let next = try await store(2, in: second)
        #expect(try await second.records(after: token, limit: 9)?.map(\.token) == [next])
        #expect(looksBack() == 1)
        await second.close()
    }

    @Test("A follower that begins before the first write misses nothing") func followedBeforeFirstWrite() async throws {
        fixture.cluster.put("/elsewhere", "1")
        let (first, second) = (try await opened(), try await opened())
        let beginning = try #require(second.token)
        #expect(first.token == beginning)
        let tokens = [try await store(1, in: first), try await store(2, in: first)]
        #expect(try await second.records(after: beginning, limit: 9)?.map(\.token) == tokens)
        #expect(try await first.records(after: beginning, limit: 9)?.map(\.token) == tokens)
        // Also on a machine that comes later.
        let third = try await opened()
        #expect(try await third.records(after: beginning, limit: 9)?.map(\.token) == tokens)
        for storage in [first, second, third] { await storage.close() }
    }

    @Test("A place that is forgotten or of another past is not found") func unknownTokens() async throws {
        let first = try await opened()
        let early = try await store(1, in: first)
        let backup = fixture.cluster.copy()
        let lost = try await store(2, in: first)
        _ = try await store(3, in: first)
        await first.close()
        fixture.cluster.restore(backup)
        for number in 1...9 { fixture.cluster.put("/fleet/test/b", "\(number)") }
        let second = try await opened()
        #expect(try await second.records(after: lost, limit: 9) == nil)
        #expect(try await second.records(after: early, limit: 90)?.count == 9)
        fixture.cluster.compact()
        #expect(try await second.records(after: early, limit: 90) == nil)
        await second.close()
    }

    @Test("A store resumes with its token") func resumedStore() async throws {
        let first = try await SettingsStore.open(
            storage: fixture.client().storage, configuration: .init(clock: fixture.clock))
        let settings = try await first.group(Counter.self)
        try await settings.commit { settings.count = 1 }
        let token = try #require(first.history.token)
        for number in 2...4 { try await settings.commit { settings.count = number } }
        let second = try await SettingsStore.open(
            storage: fixture.client().storage, configuration: .init(clock: fixture.clock))
        _ = try await second.group(Counter.self)
        var counts: [SettingValue?] = []
        for await change in second.history.changes(after: token) {
            counts += change.mutations.map { mutation in (mutation.newValue as? Int).map { .integer(Int64($0)) } }
            if counts.count == 3 { break }
        }
        #expect(counts == [2, 3, 4].map { .integer($0) })
        for store in [first, second] { try await store.close() }
    }

    /// Of a new cluster, the revision is lower than the number of writes.
    @Test("Writes that are stored together are followed") func writesStoredTogether() async throws {
        let (storage, _) = fixture.client()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        let settings = try await store.group(Counter.self)
        let changes = store.history.changes(after: store.history.token)
        let following = Task {
            // Usually all four are stored together.
            for await change in changes where change.mutations.first?.newValue as? Int == 4 { return Optional(change) }
            return nil
        }
        for number in 1...4 { settings.count = number }
        try await store.flush()
        try await fixture.whileTimePasses {
            let change = try #require(await following.value)
            #expect(change.token == store.history.token)
        }
        try await store.close()
    }

    /// What can't be read for a while is not forgotten.
    @Test("A follower waits for a cluster that cannot be reached") func unreachableCluster() async throws {
        let (first, _) = fixture.client()
        let writer = try await SettingsStore.open(storage: first, configuration: .init(clock: fixture.clock))
        let written = try await writer.group(Counter.self)
        try await written.commit { written.count = 1 }
        let place = try #require(writer.history.token)
        for number in 2...4 { try await written.commit { written.count = number } }
        try await writer.close()

        let (storage, transport) = fixture.client()
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: fixture.clock))
        // Only the past.
        let isOfPast: @Sendable (EtcdRequest) -> Bool = { GatewayObject($0.body)?.entries["revision"] != nil }
        transport.set { isOfPast($0) ? .refused : nil }
        let following = Task {
            var told: [Change] = []
            for await change in store.history.changes(after: place) {
                told.append(change)
                if told.count == 3 { break }
            }
            return told
        }
        // Each member was asked.
        try await eventually("three members are asked") {
            transport.requests(of: EtcdPath.range).count(where: isOfPast) >= 3
        }
        transport.setAll(nil)
        try await fixture.whileTimePasses {
            let told = await following.value
            #expect(told.allSatisfy { $0.snapshot == nil && $0.missed.count == 0 })
            #expect(told.map { $0.token?.position } == (1...3).map { place.position + $0 })
        }
        try await store.close()
    }

    @Test("A commit keeps its author beside a plain write") func authorBesidePlainWrite() async throws {
        let (first, _) = fixture.client()
        let writer = try await SettingsStore.open(storage: first, configuration: .init(clock: fixture.clock))
        let written = try await writer.group(Counter.self)
        let (follower, _) = try await fixture.follower()
        try writer.keys.setValue(1, forKey: "plain")
        try await written.commit(author: "carol") { written.count = 1 }
        try await follower.wait(for: 1, at: "count")
        #expect(follower.authors.withLock { $0 }.last == "carol")
        try await writer.close()
        await follower.storage.close()
    }

    @Test("Who is told of a change finds it in force") func inForceWhenDelivered() async throws {
        let (first, _) = fixture.client()
        let store = try await SettingsStore.open(storage: first, configuration: .init(clock: fixture.clock))
        let settings = try await store.group(Counter.self)
        try await settings.commit { settings.count = 1 }
        try await eventually("the storage follows the cluster") { await first.isFollowing }
        let place = try #require(store.history.token)
        let count = 2_000
        let writing = Task.detached { [fixture] in
            for number in 2...count {
                fixture.cluster.put("/fleet/test/count", "\(number)")
                if number.isMultiple(of: 3) { await Task.yield() }
            }
        }
        var told = 1
        for await change in store.history.changes(after: place) {
            let inForce = settings.count
            told += 1
            #expect(change.snapshot == nil && change.mutations.first?.newValue as? Int == told)
            #expect(inForce >= told)
            if told == count { break }
        }
        await writing.value
        try await store.close()
    }

    @Test("What is untold is kept however much it is") func manyUndelivered() {
        func token(_ position: UInt64) -> ChangeToken {
            ChangeToken(history: 1, position: position, checksum: position)
        }
        var recent = RecentHistory()
        recent.begin(at: token(1))
        recent.firstUntold = 5
        for position in 2...3_000 as ClosedRange<UInt64> {
            recent.add(StoredRecord(token: token(position), transactions: []))
        }
        #expect(recent.end == token(4))
        #expect(recent.records(after: token(4), limit: 9) == [])
        recent.firstUntold = nil
        #expect(recent.end == token(3_000))
        #expect(recent.records(after: token(4), limit: 2)?.map(\.token) == [token(5), token(6)])
    }
}
