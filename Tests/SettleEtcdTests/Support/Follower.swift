import Settle
import SettleTestSupport
import SettleTesting

@testable import SettleEtcd

/// Follows a storage until a key has a value, and tells all that it had.
final class Follower: Sendable {
    let storage: EtcdStorage
    let events = EventLog()
    private let position: LockedValue<StoragePosition>
    let tree: LockedValue<SettingTree>
    let seen = LockedValue<[Int64]>([])
    let authors = LockedValue<[String?]>([])

    init(_ storage: EtcdStorage) async throws {
        self.storage = storage
        let contents = try await storage.load()
        position = LockedValue(contents.position)
        tree = LockedValue(contents.tree)
        storage.watch(events.handle)
        // The first event stands for what came between.
        await events.next { $0 == .mayHaveChanged }
        try await fetch()
    }

    func fetch() async throws {
        // Loops call this until a value has come. A test that is cancelled at its time limit gets no more events.
        try Task.checkCancellation()
        let found = try await storage.changes(after: position.withLock { $0 })
        position.withLock { $0 = found.position }
        for change in found.changes {
            tree.withLock { change.apply(to: &$0) }
            authors.withLock { $0.append(change.author) }
            if case .values(let values) = change.content, case .integer(let number)?? = values["a"] {
                seen.withLock { $0.append(number) }
            }
        }
    }

    func wait(for value: Int64, at key: SettingKey = "a") async throws {
        while tree.withLock({ $0[key] }) != .integer(value) {
            await events.next { $0 == .mayHaveChanged || $0 == .available }
            try await fetch()
        }
    }
}

extension EtcdFixture {
    /// A follower whose stream is open.
    func follower(
        localCopy: (any Storage)? = nil, _ change: (inout EtcdConfiguration) -> Void = { _ in }
    ) async throws -> (Follower, FakeTransport) {
        // The clock runs faster than the calls.
        let (storage, transport) = client(localCopy: localCopy) {
            $0.deadline = .seconds(100_000)
            change(&$0)
        }
        let follower = try await Follower(storage)
        try await eventually("the cluster has a watcher") { cluster.watcherCount > 0 }
        try await eventually("the storage follows the cluster") { await storage.isFollowing }
        return (follower, transport)
    }

    /// Lets time pass as long as some work lasts.
    func whileTimePasses(
        by step: Duration = .milliseconds(250), _ work: () async throws -> Void
    ) async throws {
        let time = Task { [clock] in
            while !Task.isCancelled {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: step)
                for _ in 0..<50 { await Task.yield() }
            }
        }
        defer { time.cancel() }
        try await work()
    }

    /// Lets the deadlines of calls pass as long as some work lasts: a client waits for its stream for a while before it
    /// asks elsewhere.
    func whileDeadlinesPass<Value>(_ work: () async throws -> Value) async throws -> Value {
        let time = Task { [clock] in
            while !Task.isCancelled {
                if !clock.deadlines.isEmpty { clock.advance(by: .milliseconds(100)) }
                await Task.yield()
            }
        }
        defer { time.cancel() }
        return try await work()
    }
}
