import Dispatch
import Foundation
import Settle

/// Waiting until values are on stable storage.
enum Commits {
    static let all = [
        Benchmark(rows: ["R16"]) { plan in [try await one(plan)] },
        Benchmark(rows: ["R17"]) { plan in [try await many(plan)] },
    ]

    private static let crowdSize = 64
    private static let blockTurns = 8
    private static let queue = DispatchQueue(label: "settle-bench.commits")
    private static let bytes = [UInt8](repeating: 0x55, count: 64)

    // MARK: One after the other

    @concurrent
    private static func one(_ plan: Plan) async throws -> RowResult {
        let fixture = try await SavingStore()
        let settings = fixture.settings
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        func commits() async -> Double { await block(of: settings) }
        let row = Row(
            id: "R16", subject: "durable commit of one key", limit: "append 64 bytes and fdatasync", goal: 1.2,
            stretch: 1.05)
        if await profile(plan, commits) { return RowResult(row, .none) }

        let (log, reserve) = (try PlainLog(in: folder), try PlainLog(in: folder, preallocated: 8 << 20))
        func appends(to log: PlainLog) -> Double {
            let start = nanoseconds()
            for _ in 0..<blockTurns {
                log.append(bytes)
                log.synchronize()
            }
            return Double(nanoseconds() - start) / Double(blockTurns)
        }
        let before = settings.count
        var count = 0
        func counted() async -> Double {
            count += blockTurns
            return await commits()
        }
        let comparison = await plan.alternate(pairs: plan.pairs, subject: counted, limit: { appends(to: log) })
        let other = await plan.alternate(pairs: plan.pairs / 3, subject: counted, limit: { appends(to: reserve) })
        var notes = ["preallocated \(Table.ratio(other.ratio))×"]
        if settings.count != before + count { notes.append("WRONG: commits are missing") }
        let passing = await plan.alternate(
            pairs: plan.peerPairs, subject: { await appendsOnQueue(to: log) }, limit: { appends(to: log) })
        notes.append("the limit on a queue, task and back \(Table.ratio(passing.ratio))×")
        notes.append("not watched \(Table.ratio(try await unwatched(in: folder, { appends(to: log) }, plan)))×")
        notes.append("from the main actor \(Table.ratio(await onMainActor(settings, { appends(to: log) }, plan)))×")

        var peers: [RowResult.Peer] = []
        if plan.includesPeers {
            let sqlite = try SQLiteFixture(in: folder)
            let defaults = try DefaultsFixture()
            peers = [
                peer("SQLite FULL", plan, { appends(to: log) }) { sqlite.commit(times: blockTurns) },
                peer("UserDefaults (not synced)", plan, { appends(to: log) }) {
                    for turn in 0..<blockTurns {
                        defaults.defaults.set(turn, forKey: "count")
                        defaults.defaults.synchronize()
                    }
                },
            ]
        }
        try await fixture.close()
        return RowResult(row, comparison, peers: peers, notes: notes)
    }

    /// Nanoseconds per commit of some that follow one another.
    private static func block(of settings: BenchSettings) async -> Double {
        let start = nanoseconds()
        for _ in 0..<blockTurns { try? await settings.commit { settings.count += 1 } }
        return Double(nanoseconds() - start) / Double(blockTurns)
    }

    /// The limit on a dispatch queue, because no thread of the concurrency runtime should wait for a disk. This adds
    /// the waking of two threads.
    private static func appendsOnQueue(to log: PlainLog) async -> Double {
        let start = nanoseconds()
        for _ in 0..<blockTurns {
            await withUnsafeContinuation { continuation in
                queue.async {
                    log.append(bytes)
                    log.synchronize()
                    continuation.resume()
                }
            }
        }
        return Double(nanoseconds() - start) / Double(blockTurns)
    }

    /// What notices of its own appends cost a store.
    private static func unwatched(in folder: URL, _ limit: () -> Double, _ plan: Plan) async throws -> Double {
        let storage = SteeredStorage(FileStorage(at: folder.appending(path: "unwatched.json")), isWatched: false)
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(BenchSettings.self)
        let comparison = await plan.alternate(
            pairs: plan.peerPairs, subject: { await block(of: settings) }, limit: { limit() })
        try await store.close()
        return comparison.ratio
    }

    /// A closure isolated to an actor runs there, which costs two thread switches.
    private static func onMainActor(
        _ settings: BenchSettings, _ limit: () -> Double, _ plan: Plan
    ) async -> Double {
        let ratio = await plan.alternate(
            pairs: plan.peerPairs, subject: { await isolatedCommits(settings) }, limit: { limit() }
        ).ratio
        return ratio
    }

    /// The same in a closure of the main actor.
    @MainActor
    private static func isolatedCommits(_ settings: BenchSettings) async -> Double {
        let start = nanoseconds()
        for _ in 0..<blockTurns { try? await settings.commit { settings.count += 1 } }
        return Double(nanoseconds() - start) / Double(blockTurns)
    }

    // MARK: Many at once

    @concurrent
    private static func many(_ plan: Plan) async throws -> RowResult {
        let fixture = try await SavingStore()
        let settings = fixture.settings
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        func commits() async -> Double {
            await crowd { try? await settings.commit { settings.count += 1 } }
        }
        let row = Row(
            id: "R17", subject: "64 commits at once, per commit", limit: "64 appends and one fdatasync, per append",
            goal: 2, stretch: 1.3)
        if await profile(plan, commits) { return RowResult(row, .none) }

        let log = try PlainLog(in: folder)
        func appends() -> Double {
            let start = nanoseconds()
            for _ in 0..<crowdSize { log.append(bytes) }
            log.synchronize()
            return Double(nanoseconds() - start) / Double(crowdSize)
        }
        let before = settings.count
        let comparison = await plan.alternate(pairs: plan.pairs, subject: commits, limit: appends)
        var notes: [String] = []
        if settings.count != before + plan.pairs * crowdSize { notes.append("WRONG: commits are missing") }
        let tasks = await plan.alternate(pairs: plan.peerPairs, subject: { await crowd {} }, limit: appends)
        notes.append("64 empty tasks alone \(Table.ratio(tasks.ratio))×")

        var peers: [RowResult.Peer] = []
        if plan.includesPeers {
            let sqlite = try SQLiteFixture(in: folder)
            peers = [
                peer("SQLite FULL, 64 transactions", plan, appends, per: crowdSize) { sqlite.commit(times: crowdSize) },
                peer("one transaction", plan, appends, per: crowdSize) { sqlite.commitTogether(count: crowdSize) },
            ]
        }
        try await fixture.close()
        return RowResult(row, comparison, peers: peers, notes: notes)
    }

    /// Nanoseconds per task of 64 tasks that start together, until the last one ends.
    private static func crowd(_ body: @escaping @Sendable () async -> Void) async -> Double {
        let start = nanoseconds()
        await withDiscardingTaskGroup { group in
            for _ in 0..<crowdSize { group.addTask { await body() } }
        }
        return Double(nanoseconds() - start) / Double(crowdSize)
    }

    // MARK: Helpers

    private static func profile(_ plan: Plan, _ block: () async -> Double) async -> Bool {
        guard let seconds = plan.profiledSeconds else { return false }
        let end = nanoseconds() + UInt64(seconds * 1e9)
        while nanoseconds() < end { _ = await block() }
        return true
    }

    private static func peer(
        _ name: String, _ plan: Plan, _ limit: () -> Double, per turns: Int = blockTurns, _ block: () -> Void
    ) -> RowResult.Peer {
        let comparison = plan.alternate(
            pairs: plan.peerPairs,
            subject: {
                let start = nanoseconds()
                block()
                return Double(nanoseconds() - start) / Double(turns)
            }, limit: limit)
        return RowResult.Peer(name: name, ratio: comparison.ratio)
    }
}
