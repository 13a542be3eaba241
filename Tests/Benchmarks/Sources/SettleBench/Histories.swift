import Foundation
import Settle

/// What a kept history costs, and what it takes to go on after a place in it.
enum Histories {
    static let all = [
        Benchmark(rows: ["R28"]) { plan in [try await writes(plan)] },
        Benchmark(rows: ["R29"]) { plan in [try await commits(plan)] },
        Benchmark(rows: ["R30"]) { plan in [try await opening(plan)] },
        Benchmark(rows: ["R31"]) { plan in try await resuming(plan) },
    ]

    /// A store that saves to a file, with a history or without.
    private struct Place: Sendable {
        let file: URL
        let store: SettingsStore
        let settings: BenchSettings

        init(in folder: URL, _ history: HistoryPolicy) async throws {
            file = folder.appending(path: history == .unchanged ? "plain.json" : "kept.json")
            store = try await SettingsStore.open(
                at: file, configuration: SettingsStore.Configuration(history: history))
            settings = try await store.group(BenchSettings.self)
            try await settings.commit { settings.count += 1 }
        }
    }

    private static func with<Result: Sendable>(
        _ measure: (_ kept: Place, _ plain: Place) async throws -> Result
    ) async throws -> Result {
        let folder = try temporaryFolder()
        let places = (try await Place(in: folder, .keep()), try await Place(in: folder, .unchanged))
        let result = try await measure(places.0, places.1)
        try await places.0.store.close()
        try await places.1.store.close()
        try FileManager.default.removeItem(at: folder)
        return result
    }

    private static func writes(_ plan: Plan) async throws -> RowResult {
        let row = Row(id: "R28", subject: "write Int, with a history", limit: "without", goal: 1.1)
        return try await with { kept, plain in
            await onOwnThread {
                var (mine, theirs) = (0, 0)
                let comparison = plan.compare(
                    subject: { turns in
                        for _ in 0..<turns {
                            mine &+= 1
                            kept.settings.count = mine
                        }
                    },
                    limit: { turns in
                        for _ in 0..<turns {
                            theirs &+= 1
                            plain.settings.count = theirs
                        }
                    })
                return RowResult(row, comparison)
            }
        }
    }

    private static func commits(_ plan: Plan) async throws -> RowResult {
        let row = Row(id: "R29", subject: "durable commit of one key, with a history", limit: "without", goal: 1.1)
        return try await with { kept, plain in
            func commits(_ settings: BenchSettings) async -> Double {
                let turns = 8
                let start = nanoseconds()
                for _ in 0..<turns { try? await settings.commit(author: "bench") { settings.count += 1 } }
                return Double(nanoseconds() - start) / Double(turns)
            }
            let comparison = await plan.alternate(
                pairs: plan.pairs, subject: { await commits(kept.settings) },
                limit: { await commits(plain.settings) })
            return RowResult(row, comparison)
        }
    }

    private static func opening(_ plan: Plan) async throws -> RowResult {
        let row = Row(id: "R30", subject: "open with 1,000 kept entries", limit: "without", goal: 1.1)
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var files: [URL] = []
        for history in [HistoryPolicy.keep(), .unchanged] {
            let place = try await Place(in: folder, history)
            for _ in 0..<1_000 { try await place.settings.commit(author: "bench") { place.settings.count += 1 } }
            try await place.store.close()
            files.append(place.file)
        }
        func open(_ file: URL) async -> Double {
            let start = nanoseconds()
            guard let store = try? await SettingsStore.open(at: file),
                let settings = try? await store.group(BenchSettings.self)
            else { return .nan }
            let value = settings.count
            let end = nanoseconds()
            try? await store.close()
            return value == 1_002 ? Double(end - start) : .nan
        }
        let (kept, plain) = (files[0], files[1])
        let comparison = await plan.alternate(
            pairs: plan.pairs / 2, subject: { await open(kept) }, limit: { await open(plain) })
        return RowResult(row, comparison)
    }

    // MARK: Resuming

    private static let followers = 1_000
    private static let changes = 100

    private static func resuming(_ plan: Plan) async throws -> [RowResult] {
        try await with { kept, _ in
            let token = kept.store.history.token
            for _ in 0..<changes { try await kept.settings.commit(author: "bench") { kept.settings.count += 1 } }
            func resumed() async -> Double {
                await delivery { _ in
                    var iterator = kept.store.history.changes(after: token).makeAsyncIterator()
                    for _ in 0..<changes { _ = await iterator.next() }
                }
            }
            func result(_ limit: String, _ live: () async -> Double) async -> RowResult {
                let row = Row(
                    id: "R31", subject: "1,000 tasks resume after 100 missed changes each", limit: limit, goal: 2)
                return RowResult(
                    row, await plan.alternate(pairs: max(5, plan.pairs / 20), subject: resumed, limit: live))
            }
            // Writes must not change what is resumed.
            let other = try await kept.store.group(LiveSettings.self, at: "live")
            func live(oneByOne: Bool) async -> Double {
                let received = Counter()
                let tasks = (0..<followers).map { _ in
                    let stream = other.changes
                    return Task.detached {
                        var iterator = stream.makeAsyncIterator()
                        for _ in 0..<changes {
                            guard let change = await iterator.next() else { return }
                            received.received(change.mutations.first?.newValue as? Int ?? 0)
                        }
                    }
                }
                Stillness.wait()
                let first = other.count
                let start = nanoseconds()
                for number in 1...changes {
                    if oneByOne || number == changes { received.expect(first + number, by: followers) }
                    other.count = first + number
                    if oneByOne { _ = received.wait() }
                }
                if !oneByOne { _ = received.wait() }
                let end = nanoseconds()
                for task in tasks { await task.value }
                return Double(end - start)
            }
            return [
                await result("100 live changes to them, one after the other") { await live(oneByOne: true) },
                await result("100 live changes to them at once") { await live(oneByOne: false) },
            ]
        }
    }

    private struct LiveSettings: SettingsGroup {
        static var savePolicy: SavePolicy { .memoryOnly }
        @Setting var count = 0
    }

    /// Nanoseconds until all tasks have done something.
    private static func delivery(_ body: @escaping @Sendable (Int) async -> Void) async -> Double {
        Stillness.wait()
        let start = nanoseconds()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<followers { group.addTask { await body(number) } }
        }
        return Double(nanoseconds() - start)
    }
}
