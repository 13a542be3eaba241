import Foundation
import RedisMachines
import Settle
import SettleRedis
import SettleTesting
import Synchronization
import Testing

/// One after the other: each has a server of its own, which syncs each write.
@Suite(.serialized, .enabled(if: RedisProcess.isInstalled, "redis-server is not installed.")) enum RedisTests {}

extension RedisTests {
    /// What the conformance suite can't know of the storage.
    @Suite(.timeLimit(.minutes(5))) struct RedisStorageTests {
        struct Counter: SettingsGroup {
            @Setting var count = 0
        }

        private let server: RedisProcess

        init() throws { server = try RedisProcess() }

        private func open(_ port: Int? = nil, logLength: Int = 10) -> RedisStorage {
            RedisStorage(
                RedisServer(port: port ?? server.port), prefix: "test", time: .seconds(20), logLength: logLength)
        }

        private func loaded(_ port: Int? = nil) async throws -> (RedisStorage, StorageContents) {
            let storage = open(port)
            return (storage, try await storage.load())
        }

        private func batch(_ number: Int, _ key: SettingKey = "count", store: UInt64 = 1) -> StorageBatch {
            StorageBatch(
                id: StorageBatch.ID(store: store, number: UInt64(number)), revision: UInt64(number),
                values: [key: .integer(Int64(number))])
        }

        @Test("A snapshot takes the place of old batches; a storage that is far behind is given everything")
        func snapshots() async throws {
            let (first, start) = try await loaded()
            let (second, _) = try await loaded()
            var position = start.position
            for number in 1...50 {
                _ = try await first.append(batch(number), durability: .synced)
                if number == 45 { position = try await second.changes(after: start.position).position }
            }
            let entries = try server.command("ZCARD", "{test}:log")
            #expect((10...20).contains(entries))
            let new = try await second.changes(after: position).changes
            #expect(new.count == 5 && new.last?.content == .values(["count": .integer(50)]))
            let all = try await second.changes(after: start.position).changes
            #expect(all.map(\.content) == [.everything(SettingTree(["count": .integer(50)]))])
            let (again, contents) = try await loaded()
            #expect(contents.tree.root == ["count": .integer(50)])
            for storage in [first, second, again] { await storage.close() }
        }

        @Test("A snapshot that comes late does not take the place of a newer one") func lateSnapshots() async throws {
            let proxy = try CuttingProxy(to: server.port)
            let (first, _) = try await loaded(proxy.port)
            for number in 1...20 { _ = try await first.append(batch(number, .path("\(number)")), durability: .synced) }
            proxy.set(.holdsCommands(containing: "'HSET', KEYS[1], 'token'"))
            let last = Task { try await first.append(batch(21, "21"), durability: .synced) }
            try await eventually("the command is held") { proxy.isHolding }
            let (second, _) = try await loaded()
            for number in 22...60 {
                _ = try await second.append(batch(number, .path("\(number)"), store: 2), durability: .synced)
            }
            proxy.release()
            _ = try await last.value
            let (third, contents) = try await loaded()
            #expect(contents.tree.root.count == 60)
            for storage in [first, second, third] { await storage.close() }
        }

        @Test("What is reported depends on what has been returned, and on what is known to be stored")
        func reported() async throws {
            let proxy = try CuttingProxy(to: server.port)
            let (first, start) = try await loaded(proxy.port)
            let (second, _) = try await loaded()
            #expect(try await !first.append(batch(1), durability: .synced).hasExternalChanges)
            #expect(
                try await second.changes(after: start.position).changes.map(\.content) == [.values(batch(1).values)])
            #expect(try await !second.append(batch(1, "other", store: 2), durability: .synced).hasExternalChanges)
            #expect(try await first.append(batch(2), durability: .synced).hasExternalChanges)
            let position = try await first.changes(after: start.position).position
            proxy.set(.losesAnswers)
            await #expect(throws: StorageError.self) { try await first.append(batch(3), durability: .synced) }
            proxy.set(.open)
            #expect(try await !first.append(batch(3), durability: .synced).hasExternalChanges)
            #expect(try await first.changes(after: position).changes == [])
            for storage in [first, second] { await storage.close() }
        }

        @Test("After a load that has failed nothing is stored until one succeeds") func failedLoads() async throws {
            let (storage, _) = try await loaded()
            server.kill()
            await #expect(throws: StorageError.self) { try await storage.load() }
            try server.start()
            await #expect(throws: StorageError.self) { try await storage.append(batch(1), durability: .synced) }
            _ = try await storage.load()
            _ = try await storage.append(batch(1), durability: .synced)
            await storage.close()
        }

        @Test("A server that has lost its data, or has another's, is noticed") func lostData() async throws {
            let (storage, _) = try await loaded()
            let receipt = try await storage.append(batch(1), durability: .synced)
            _ = try server.command("FLUSHALL")
            let changes = try await storage.changes(after: receipt.position)
            #expect(changes.changes.map(\.content) == [.everything(SettingTree())])
            let (other, _) = try await loaded()
            _ = try await other.append(batch(1, "other", store: 2), durability: .synced)
            let others = try await storage.changes(after: receipt.position)
            #expect(others.changes.map(\.content) == [.everything(SettingTree(["other": .integer(1)]))])
            await #expect { try await storage.records(before: receipt.token, limit: 1) } throws: {
                ($0 as? StorageError)?.code == .conflict
            }
            for storage in [storage, other] { await storage.close() }
        }

        @Test("The command of a connection that was cut stores nothing after a later one") func lateCommands()
            async throws
        {
            let proxy = try CuttingProxy(to: server.port)
            let (storage, _) = try await loaded(proxy.port)
            _ = try await storage.append(batch(1), durability: .synced)
            // It reaches the server only after what the storage sends next.
            proxy.set(.holdsCommands(containing: "late"))
            let held = Task { try await storage.append(batch(2, "late"), durability: .synced) }
            try await eventually("the command is held") { proxy.isHolding }
            held.cancel()
            await #expect(throws: StorageError.self) { try await held.value }
            proxy.set(.open)
            _ = try await storage.append(batch(3), durability: .synced)
            proxy.release()
            let (other, contents) = try await loaded()
            #expect(contents.tree.root == ["count": .integer(3)])
            for storage in [storage, other] { await storage.close() }
        }

        @Test("Every lease under which a batch is stored has to be held") func severalLeases() async throws {
            let (storage, _) = try await loaded()
            let leases = try await [storage.tryLock(named: "a"), storage.tryLock(named: "b")].compactMap(\.self)
            #expect(leases.count == 2)
            var guarded = batch(1)
            guarded.conditions = leases.map { .under($0) }
            _ = try await storage.append(guarded, durability: .synced)
            await storage.unlock(leases[1])
            guarded = batch(2)
            guarded.conditions = leases.map { .under($0) }
            await #expect { try await storage.append(guarded, durability: .synced) } throws: {
                ($0 as? StorageError)?.code == .leaseLost
            }
            await storage.close()
        }

        @Test("A holder that is cancelled releases its lock") func cancelledHolder() async throws {
            let (storage, _) = try await loaded()
            let lease = try #require(try await storage.tryLock(named: "job"))
            let holder = Task {
                while !Task.isCancelled { await Task.yield() }
                await storage.unlock(lease)
            }
            holder.cancel()
            await holder.value
            #expect(try await storage.tryLock(named: "job") != nil)
            await storage.close()
        }

        @Test("A fencing number that no lease can have is reported") func foreignFence() async throws {
            let (storage, _) = try await loaded()
            _ = try server.command("SET", "{test}:fence", "-5")
            await #expect { try await storage.tryLock(named: "job") } throws: {
                ($0 as? StorageError)?.code == .unreadable
            }
            await storage.close()
        }

        @Test("A token within several transactions leads to the rest of them") func parts() async throws {
            let (storage, _) = try await loaded()
            try await storage.keepHistory(.keep())
            let start = try #require(try await storage.append(batch(1), durability: .synced).token)
            var several = batch(2)
            several.transactions = (1...3).map { number in
                StoredTransaction(
                    time: Date().timeIntervalSinceReferenceDate, author: TransactionAuthor(name: "\(number)"),
                    origin: .local, mutations: [])
            }
            several.transactionCount = 3
            _ = try await storage.append(several, durability: .synced)
            let record = try #require(try await storage.records(after: start, limit: 10)?.first)
            let second = try #require(record.entries.dropFirst().first?.token)
            let later = try await storage.records(after: second, limit: 10)
            #expect(later?.flatMap(\.transactions).map(\.author.name) == ["3"])
            let earlier = try await storage.records(before: second, limit: 10)
            #expect(earlier.flatMap(\.transactions).map(\.author.name) == ["1", nil])
            await storage.close()
        }

        @Test("The history has as many records as were asked for, and none of a time when none was kept")
        func bounds() async throws {
            let (storage, _) = try await loaded()
            try await storage.keepHistory(.keep(transactions: 3))
            var tokens: [ChangeToken] = []
            for number in 1...5 {
                tokens += [try await storage.append(batch(number), durability: .synced).token].compactMap(\.self)
            }
            #expect(try await storage.records(before: nil, limit: 10).map(\.token) == tokens.suffix(3).reversed())
            #expect(try await storage.records(after: tokens[0], limit: 10) == nil)
            #expect(try await storage.records(after: tokens[4], limit: 10) == [])
            try await storage.keepHistory(.none)
            #expect(try await storage.records(before: nil, limit: 10) == [])
            _ = try await storage.append(batch(6), durability: .synced)
            try await storage.keepHistory(.keep())
            #expect(try await storage.records(before: nil, limit: 10) == [])
            #expect(try await storage.records(after: tokens[4], limit: 10) == nil)
            await storage.close()
        }

        @Test("A history without a limit on its transactions keeps all of them") func unlimitedHistory() async throws {
            let (storage, _) = try await loaded()
            try await storage.keepHistory(.keep(transactions: .max))
            for number in 1...3 { _ = try await storage.append(batch(number), durability: .synced) }
            #expect(try await storage.records(before: nil, limit: 10).count == 3)
            await storage.close()
        }

        @Test("A storage whose history another one keeps adds to it from then on, without its secrets")
        func policies() async throws {
            let (first, _) = try await loaded()
            let (second, _) = try await loaded()
            try await first.keepHistory(.keep())
            try await first.withhold(["count"])
            #expect(!second.keepsHistory)
            _ = try await second.append(batch(1, store: 2), durability: .synced)
            #expect(second.keepsHistory)
            var told = batch(2, store: 2)
            told.transactions = [
                StoredTransaction(
                    time: Date().timeIntervalSinceReferenceDate, author: TransactionAuthor(), origin: .local,
                    mutations: [StoredMutation(key: "count", oldValue: nil, newValue: .integer(2))])
            ]
            _ = try await second.append(told, durability: .synced)
            let records = try await first.records(before: nil, limit: 10)
            let mutations = records.flatMap(\.transactions).map(\.mutations)
            #expect(mutations == [[StoredMutation(withheldAt: "count")], nil])
            for storage in [first, second] { await storage.close() }
        }

        @Test("Stores follow each other through restarts of the server") func stores() async throws {
            let (first, second) = (
                try await SettingsStore.open(storage: open()), try await SettingsStore.open(storage: open())
            )
            let (settings, others) = (try await first.group(Counter.self), try await second.group(Counter.self))
            for round in 1...3 {
                try await settings.commit { settings.count = round }
                for await count in others.$count where count == round { break }
                server.kill()
                try server.start()
            }
            try await first.close()
            try await second.close()
        }

        @Test("Connections that end before they follow the server come with pauses") func pauses() async throws {
            let proxy = try CuttingProxy(to: server.port)
            let (storage, _) = try await loaded(proxy.port)
            // From here on the proxy accepts connections and ends them.
            server.kill()
            let (before, start) = (proxy.connections, ContinuousClock.now)
            storage.watch { _ in }
            try await eventually("the storage has connected three times") { proxy.connections >= before + 3 }
            #expect(ContinuousClock.now - start > .milliseconds(450))
            await storage.close()
        }

        @Test("A server that ends each connection before it is followed is reported as unavailable, once")
        func endedConnections() async throws {
            let proxy = try CuttingProxy(to: server.port)
            let (storage, _) = try await loaded(proxy.port)
            server.kill()
            let before = proxy.connections
            let (events, continuation) = AsyncStream.makeStream(of: StorageEvent.self)
            storage.watch { continuation.yield($0) }
            try await eventually("the storage has connected three times") { proxy.connections >= before + 3 }
            try server.start()
            var codes: [StorageError.Code] = []
            for await event in events {
                if case .unavailable(let error) = event { codes.append(error.code) }
                if event == .mayHaveChanged { break }
            }
            #expect(codes == [.unavailable])
            await storage.close()
        }

        @Test("Connections that the server has closed while they were idle fail no call") func idleConnections()
            async throws
        {
            let (storage, start) = try await loaded()
            _ = try server.command("CLIENT", "KILL", "TYPE", "normal")
            var first = batch(1)
            first.conditions = [.at(start.position)]
            _ = try await storage.append(first, durability: .synced)
            server.kill()
            try server.start()
            _ = try await storage.append(batch(2), durability: .synced)
            await storage.close()
        }

        @Test("A server that does not answer the password in time can't be reached") func silentPassword()
            async throws
        {
            let proxy = try CuttingProxy(to: server.port)
            proxy.set(.holdsCommands(containing: "AUTH"))
            let storage = RedisStorage(
                RedisServer(port: proxy.port, password: "secret"), prefix: "test", time: .milliseconds(200))
            let error = await #expect(throws: StorageError.self) { try await storage.load() }
            #expect(error?.code == .unavailable)
            await storage.close()
        }

        /// Calls a storage on a queue of its own.
        private actor Caller {
            func renew(_ lease: StorageLease, in storage: RedisStorage) async throws -> StorageLease {
                try await storage.renew(lease)
            }

            func doNothing() {}
        }

        @Test("While a call waits for the server, its caller's queue is free") func freeQueue() async throws {
            let proxy = try CuttingProxy(to: server.port)
            let (storage, _) = try await loaded(proxy.port)
            let lease = try #require(try await storage.tryLock(named: "job"))
            let caller = Caller()
            proxy.set(.holdsCommands(containing: "PEXPIRE"))
            let renewal = Task { try await caller.renew(lease, in: storage) }
            defer { proxy.release() }
            try await eventually("the command is held") { proxy.isHolding }
            let isFree = Mutex(false)
            Task {
                await caller.doNothing()
                isFree.withLock { $0 = true }
            }
            try await eventually("the queue is free") { isFree.withLock { $0 } }
            proxy.release()
            _ = try await renewal.value
            await storage.close()
        }

        @Test("A server that may lose what it has acknowledged is reported") func durability() async throws {
            for policy in ["always", "everysec"] {
                _ = try server.command("CONFIG", "SET", "appendfsync", policy)
                let (storage, _) = try await loaded()
                let (events, continuation) = AsyncStream.makeStream(of: StorageEvent.self)
                storage.watch { continuation.yield($0) }
                var hasIssue = false
                for await event in events {
                    if case .issue = event { hasIssue = true }
                    if event == .mayHaveChanged { break }
                }
                #expect(hasIssue == (policy != "always"))
                await storage.close()
            }
        }
    }
}
