import Settle
import SettleTesting
import Synchronization
import Testing

@testable import SettleEtcd

/// What came before, read from etcd's revisions.
@Suite(.timeLimit(.minutes(10))) struct EarlierHistoryTests {
    private let fixture = EtcdFixture()

    private func opened(_ policy: HistoryPolicy = .keep()) async throws -> (EtcdStorage, FakeTransport) {
        let (storage, transport) = fixture.client()
        _ = try await storage.load()
        await storage.keepHistory(policy)
        return (storage, transport)
    }

    private func writer() async throws -> EtcdStorage { try await opened(.none).0 }

    @discardableResult
    private func store(
        _ number: Int64, at key: SettingKey = "a", in storage: EtcdStorage, author: String? = nil
    ) async throws -> ChangeToken {
        let batch = StorageBatch(revision: 1, values: [key: .integer(number)], author: author)
        return try #require(try await storage.append(batch, durability: .synced).token)
    }

    /// Everything, page by page, oldest first.
    private func all(of storage: EtcdStorage, by limit: Int) async throws -> [StoredRecord] {
        var records: [StoredRecord] = []
        while true {
            let page = try await storage.records(before: records.last?.token, limit: limit)
            #expect(page.count <= limit)
            if page.isEmpty { return records.reversed() }
            records += page
        }
    }

    private func mutations(of records: some Sequence<StoredRecord>) -> [[StoredMutation]?] {
        records.map { $0.transactions[0].mutations }
    }

    @Test("A storage that is opened later sees what others did") func openedLater() async throws {
        let (carols, daves) = (try await writer(), try await writer())
        var tokens = [try await store(1, in: carols, author: "carol")]
        fixture.clock.advance(by: .seconds(60))
        tokens.append(try await store(2, at: "b", in: daves, author: "dave"))
        fixture.cluster.put("/elsewhere", "1")
        fixture.cluster.put("/fleet/test/a", "5")
        tokens.append(try await store(6, in: daves))
        let (reader, _) = try await opened()
        let records = try await reader.records(before: nil, limit: 9)
        #expect(records.count == 4 && records.map(\.token).filter(tokens.contains) == tokens.reversed())
        #expect(records.map { $0.transactions[0].author.name } == [nil, nil, "dave", "carol"])
        #expect(records.map { $0.transactions[0].origin } == [.local, .external, .local, .local])
        let times = records.map { $0.transactions[0].time }
        // etcd notes no times: an edit by another tool has that of what came before it.
        #expect(times[1] == times[2] && times[2] - times[3] >= 40)
        #expect(
            mutations(of: records.reversed()) == [
                [StoredMutation(key: "a", oldValue: nil, newValue: .integer(1))],
                [StoredMutation(key: "b", oldValue: nil, newValue: .integer(2))],
                [StoredMutation(key: "a", oldValue: .integer(1), newValue: .integer(5))],
                [StoredMutation(key: "a", oldValue: .integer(5), newValue: .integer(6))],
            ])
        // What comes then is in it, too.
        let next = try await store(7, in: carols, author: "carol")
        #expect(try await reader.records(before: nil, limit: 9).map(\.token) == [next] + records.map(\.token))
        for storage in [carols, daves, reader] { await storage.close() }
    }

    /// Few changes among many of others: the windows grow.
    @Test("Pages reach back through a busy cluster", arguments: [1, 7, 64, 1_000])
    func busyCluster(limit: Int) async throws {
        let storage = try await writer()
        var tokens: [ChangeToken] = []
        for number in 0..<150 {
            tokens.append(try await store(Int64(number), in: storage))
            for _ in 0..<number / 2 { fixture.cluster.put("/elsewhere", "\(number)") }
        }
        let (reader, transport) = try await opened()
        #expect(try await all(of: reader, by: limit).map(\.token) == tokens)
        #expect(transport.requests(of: EtcdPath.watch).count < 9)
        // It is known now.
        let count = transport.requests(of: EtcdPath.watch).count
        #expect(
            try await reader.records(before: tokens[9], limit: 3).map(\.token) == [tokens[8], tokens[7], tokens[6]])
        #expect(transport.requests(of: EtcdPath.watch).count == count)
        for storage in [storage, reader] { await storage.close() }
    }

    /// Much at once, behind a time without anything: the windows become smaller again.
    @Test("A burst is read in parts") func burst() async throws {
        let storage = try await writer()
        let first = try await store(0, in: storage)
        for number in 0..<1_500 { fixture.cluster.put("/fleet/test/b", "\(number)") }
        for number in 0..<1_100 { fixture.cluster.put("/elsewhere", "\(number)") }
        let last = try await store(1, in: storage)
        let (reader, _) = try await opened(.keep(transactions: 5_000))
        let records = try await all(of: reader, by: 64)
        #expect(records.first?.token == first && records.last?.token == last)
        #expect(
            mutations(of: records.dropFirst().dropLast()).map { $0?.first?.newValue }
                == (0..<1_500).map { .integer($0) })
        let (small, _) = try await opened()
        #expect(try await all(of: small, by: 64) == records.suffix(1_000))
        for storage in [storage, reader, small] { await storage.close() }
    }

    @Test("The policy bounds what is shown") func boundedByPolicy() async throws {
        let storage = try await writer()
        let (young, _) = try await opened(.keep(for: HistoryPolicy.Age(seconds: 3 * 86_400 + 3_600)))
        var tokens: [ChangeToken] = []
        for number in 1...9 {
            tokens.append(try await store(Int64(number), in: storage))
            fixture.clock.advance(by: .seconds(86_400))
        }
        let (few, _) = try await opened(.keep(transactions: 4))
        #expect(try await all(of: few, by: 3).map(\.token) == tokens.suffix(4))
        tokens.append(try await store(10, in: storage))
        #expect(try await all(of: few, by: 3).map(\.token) == tokens.suffix(4))
        // More of it is there, and can be shown.
        await few.keepHistory(.keep())
        #expect(try await all(of: few, by: 3).map(\.token) == tokens)
        #expect(try await all(of: young, by: 2).map(\.token.position) == tokens.suffix(4).map(\.position))
        await young.keepHistory(.none)
        #expect(!young.keepsHistory)
        #expect(try await young.records(before: nil, limit: 9).isEmpty)
        for storage in [storage, few, young] { await storage.close() }
    }

    @Test("History begins where it was compacted") func compactedHistory() async throws {
        let storage = try await writer()
        var tokens: [ChangeToken] = []
        for number in 1...9 { tokens.append(try await store(Int64(number), in: storage)) }
        let (early, _) = try await opened()
        #expect(try await early.records(before: nil, limit: 2).map(\.token) == [tokens[8], tokens[7]])
        fixture.cluster.compact(at: Int64(tokens[4].position))
        for number in 10...12 { tokens.append(try await store(Int64(number), in: storage)) }
        let (late, _) = try await opened()
        let records = try await all(of: late, by: 3)
        #expect(records.map(\.token) == Array(tokens[5...]))
        #expect(
            records.first?.transactions[0].mutations
                == [StoredMutation(key: "a", oldValue: .integer(5), newValue: .integer(6))])
        // What was read before stays known.
        #expect(try await all(of: early, by: 3).map(\.token) == tokens)
        fixture.cluster.compact()
        let (last, _) = try await opened()
        #expect(try await last.records(before: nil, limit: 9).isEmpty)
        let next = try await store(13, in: storage)
        #expect(try await last.records(before: nil, limit: 9).map(\.token) == [next])
        for storage in [storage, early, late, last] { await storage.close() }
    }

    /// Compacted while somebody looks back: further than the compaction nothing is shown, and nothing is wrong.
    @Test("A compaction between pages ends them") func compactionBetweenPages() async throws {
        let storage = try await writer()
        var tokens: [ChangeToken] = []
        for number in 0..<250 {
            tokens.append(try await store(Int64(number), in: storage))
            for _ in 0..<10 { fixture.cluster.put("/elsewhere", "1") }
        }
        let (reader, _) = try await opened()
        let newest = try await reader.records(before: nil, limit: 1)
        #expect(newest.map(\.token) == [tokens[249]])
        fixture.cluster.compact(at: Int64(tokens[99].position) + 5)
        #expect(try await all(of: reader, by: 30).map(\.token) == Array(tokens[100...]))
        #expect(try await reader.records(before: tokens[100], limit: 64).isEmpty)
        for storage in [storage, reader] { await storage.close() }
    }

    @Test("Deletions by another tool are in it", arguments: [1, 2]) func deletionsByTools(count: Int)
        async throws
    {
        fixture.cluster.put("/fleet/test/b", "1")
        fixture.cluster.put("/fleet/test/c", "1")
        let first = try await writer()
        let token = try await store(1, in: first)
        await first.close()
        for key in ["b", "c"].prefix(count) { fixture.cluster.delete("/fleet/test/\(key)") }
        fixture.cluster.put("/elsewhere", "1")
        let (second, _) = try await opened()
        let end = second.token
        let records = try await second.records(before: nil, limit: 9)
        #expect(
            mutations(of: Array(records.prefix(count).reversed()))
                == ["b", "c"].prefix(count).map { [StoredMutation(key: $0, oldValue: .integer(1), newValue: nil)] })
        #expect(records.count == count + 3)
        // Whoever follows from the end misses nothing, and is told nothing twice.
        for token in [end, second.token].compactMap(\.self) where token.position > UInt64(fixture.cluster.revision) - 1
        {
            #expect(try await second.records(after: token, limit: 9) == [])
        }
        let next = try await store(2, in: second)
        let deletions = records.prefix(count).map(\.token).reversed()
        #expect(try await second.records(after: token, limit: 9)?.map(\.token) == deletions + [next])
        #expect(try await second.records(before: nil, limit: 9).map(\.token) == [next] + records.map(\.token))
        await second.close()
    }

    /// Nobody writes there any more, so that no stream would bring anything.
    @Test("An empty prefix has a history") func emptyPrefix() async throws {
        let (never, _) = try await opened()
        #expect(try await never.records(before: nil, limit: 9).isEmpty)
        await never.close()
        fixture.cluster.put("/fleet/test/a", "1")
        fixture.cluster.delete("/fleet/test/a")
        fixture.cluster.put("/elsewhere", "1")
        let (later, _) = try await opened()
        // Of what was stored and removed nothing is left that would show it.
        #expect(try await later.records(before: nil, limit: 9).count <= 2)
        let token = try await store(1, in: later)
        #expect(try await later.records(before: nil, limit: 1).map(\.token) == [token])
        await later.close()
    }

    @Test("A read that fails is made up for") func failedRead() async throws {
        let storage = try await writer()
        let tokens = [try await store(1, in: storage), try await store(2, in: storage)]
        let (reader, transport) = try await opened()
        for path in [EtcdPath.range, EtcdPath.watch] {
            transport.set { $0.path == path ? .refused : nil }
            let error = await #expect(throws: StorageError.self) { try await reader.records(before: nil, limit: 9) }
            #expect(error?.code == .unavailable)
        }
        transport.setAll(nil)
        #expect(try await all(of: reader, by: 9).map(\.token) == tokens)
        for storage in [storage, reader] { await storage.close() }
    }

    @Test("A read that takes too long is named in plain words") func lateRead() async throws {
        let storage = try await writer()
        try await store(1, in: storage)
        let (reader, transport) = try await opened()
        for path in [EtcdPath.range, EtcdPath.watch] {
            transport.set { $0.path == path ? .silence : nil }
            try await fixture.whileTimePasses(by: .seconds(1)) {
                let error = await #expect(throws: StorageError.self) {
                    try await reader.records(before: nil, limit: 9)
                }
                #expect(error?.description.contains(" there was no answer within 5.0 seconds") == true)
            }
        }
        transport.setAll(nil)
        for storage in [storage, reader] { await storage.close() }
    }

    @Test("Tokens of a lost history are refused") func tokensOfLostHistory() async throws {
        let storage = try await writer()
        try await store(1, in: storage)
        let backup = fixture.cluster.copy()
        let lost = try await store(2, in: storage)
        await storage.close()
        fixture.cluster.restore(backup)
        fixture.cluster.put("/fleet/test/a", "3")
        let (reader, _) = try await opened()
        _ = try await reader.records(before: nil, limit: 9)
        var foreign = lost
        foreign.history ^= 1
        for token in [lost, foreign] {
            let error = await #expect(throws: StorageError.self) { try await reader.records(before: token, limit: 9) }
            #expect(error?.code == .conflict)
        }
        await reader.close()
    }

    @Test("What is withheld is read without its values") func withheldValues() async throws {
        let storage = try await writer()
        for number in 1...3 { try await store(Int64(number), in: storage) }
        let (reader, _) = try await opened()
        await reader.withhold(["a"])
        let records = try await all(of: reader, by: 2)
        #expect(mutations(of: records) == Array(repeating: [StoredMutation(withheldAt: "a")], count: 3))
        for storage in [storage, reader] { await storage.close() }
    }

    @Test("Nothing is forgotten alone") func forgotten() async throws {
        let (storage, _) = try await opened()
        try await store(1, in: storage)
        let error = await #expect(throws: StorageError.self) { try await storage.forgetHistory(of: "a") }
        #expect(error?.code == .unsupported && error?.description.contains("etcdctl compact") == true)
        #expect(try await storage.records(before: nil, limit: 9).count == 1)
        await storage.close()
    }

    /// A policy alone reads nothing, and writes no key.
    @Test("It costs nothing until somebody asks") func unaskedHistory() async throws {
        func requests(_ policy: HistoryPolicy) async throws -> [String] {
            let fixture = EtcdFixture()
            let (storage, transport) = fixture.client()
            _ = try await storage.load()
            await storage.keepHistory(policy)
            for number in 1...5 { try await store(Int64(number), in: storage) }
            if policy == .none { #expect(try await storage.records(before: nil, limit: 9).isEmpty) }
            let keys = fixture.cluster.keys("/")
            await storage.close()
            return transport.state.withLock { $0.requests.map(\.path) } + ["\(keys.count)"]
        }
        #expect(try await requests(.none) == requests(.keep()))
    }

    /// Against what the cluster itself knows: several writers, other tools, other prefixes, compactions and pages of
    /// any size.
    @Test("Random histories", arguments: 0..<15 as Range<UInt64>) func randomHistories(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let writers = [try await writer(), try await writer()]
        let (follower, _) = try await opened(.keep(transactions: 5_000))
        for _ in 0..<Int.random(in: 1...80, using: &random) {
            let key = ["a", "b", "c.d"][Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: try await store(.random(in: 0..<3, using: &random), at: SettingKey(key)!, in: writers[0])
            case 4: try await store(.random(in: 0..<3, using: &random), at: SettingKey(key)!, in: writers[1])
            case 5: fixture.cluster.put("/fleet/test/\(key)", "\(Int.random(in: 0..<3, using: &random))")
            case 6: fixture.cluster.delete("/fleet/test/\(key)")
            case 7: for _ in 0..<Int.random(in: 0..<300, using: &random) { fixture.cluster.put("/elsewhere", "1") }
            case 8: _ = try await follower.records(before: nil, limit: .random(in: 1..<9, using: &random))
            default:
                if Bool.random(using: &random) {
                    fixture.cluster.compact(at: .random(in: compacted...fixture.cluster.revision, using: &random))
                }
            }
        }
        try await store(7, in: writers[0])
        let (reader, _) = try await opened(.keep(transactions: 5_000))
        let found = try await all(of: reader, by: .random(in: 1..<70, using: &random))
        #expect(expected(after: compacted) == found.map(Shown.init), "seed \(seed)")
        // What was known before a compaction may be more.
        let known = try await all(of: follower, by: .random(in: 1..<70, using: &random))
        #expect(known.suffix(found.count).map(\.token) == found.map(\.token), "seed \(seed)")
        #expect(known.suffix(found.count).map(Shown.init) == found.map(Shown.init), "seed \(seed)")
        for storage in writers + [follower, reader] { await storage.close() }
    }

    private var compacted: Int64 { fixture.cluster.state.withLock { $0.compacted } }

    private struct Shown: Equatable {
        var position: UInt64
        var mutations: [StoredMutation]

        init(_ position: UInt64, _ mutations: [StoredMutation]) {
            (self.position, self.mutations) = (position, mutations)
        }
        init(_ record: StoredRecord) { self.init(record.token.position, record.transactions[0].mutations ?? []) }
    }

    /// What the cluster's own events say.
    private func expected(after revision: Int64) -> [Shown] {
        let prefix = Array("/fleet/test/".utf8)
        let events = fixture.cluster.state.withLock { $0.allEvents }
        var values: [FakeEtcd.Bytes: SettingValue] = [:]
        var result: [Shown] = []
        for (position, events) in events.sorted(by: { $0.key < $1.key }) {
            var mutations: [StoredMutation] = []
            var isTransaction = false
            for event in events where event.key.starts(with: prefix) {
                let name = String(decoding: event.key.dropFirst(prefix.count), as: UTF8.self)
                guard !name.hasPrefix("$"), let key = SettingKey(name) else { continue }
                isTransaction = true
                let new = event.value.flatMap { try? JSONDocument.read($0.bytes) }
                if values[event.key] != new {
                    mutations.append(StoredMutation(key: key, oldValue: values[event.key], newValue: new))
                }
                values[event.key] = new
            }
            if isTransaction, position > revision { result.append(Shown(UInt64(position), mutations)) }
        }
        return result
    }
}
