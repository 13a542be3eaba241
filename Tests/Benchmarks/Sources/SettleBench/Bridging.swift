import Configuration
import Foundation
import Settle
import SettleConfiguration
import SystemPackage

/// Settle and swift-configuration in one program: a store as a provider, and a provider as a domain.
enum Bridging {
    static let all = [
        Benchmark(rows: ["R36"]) { plan in [try await reads(plan)] },
        Benchmark(rows: ["R37"]) { plan in try await delivery(plan) },
    ]

    private static func reads(_ plan: Plan) async throws -> RowResult {
        let fixture = try await SavingStore()
        let store = fixture.store
        let result = await onOwnThread {
            let ours = ConfigReader(provider: SettingsProvider(store))
            let limit = ConfigReader(
                provider: InMemoryProvider(values: ["count": ConfigValue(.int(1), isSecret: false)]))
            let comparison = plan.compare(
                subject: { turns in
                    for _ in 0..<turns { consume(ours.int(forKey: "count", default: 0)) }
                },
                limit: { turns in
                    for _ in 0..<turns { consume(limit.int(forKey: "count", default: 0)) }
                })
            let row = Row(
                id: "R36", subject: "read Int through ConfigReader, over a store",
                limit: "the same over InMemoryProvider", goal: 1)
            return RowResult(row, comparison)
        }
        try await fixture.close()
        return result
    }

    private static func delivery(_ plan: Plan) async throws -> [RowResult] {
        let (file, memory) = (try await ReloadedFile(), ConfigurationFixture())
        let (watched, other) = (try await ReloadedFile(), ConfigurationBroadcast())
        let inFile = try await BridgedBroadcast(of: file.provider) { file.publish($0) }
        let inMemory = try await BridgedBroadcast(of: memory.provider) { value in
            memory.provider.setValue(ConfigValue(.int(value), isSecret: false), forKey: "count")
        }
        let results = await onOwnThread {
            [compare("in a file", inFile, watched, plan), compare("in memory", inMemory, other, plan)]
        }
        for store in [inFile.store, inMemory.store] { try await store.close() }
        for file in [file, watched] { try file.remove() }
        return results
    }

    private static func compare(
        _ place: String, _ ours: BridgedBroadcast, _ limit: some Broadcast, _ plan: Plan
    ) -> RowResult {
        let row = Row(
            id: "R37", subject: "change in a provider, \(place), until a setting's task has it",
            limit: "until a task that watches the provider has it", goal: 1.2)
        let ours = Audience(of: ours, count: 1)
        if plan.profile({ _ in _ = ours.publish() }) { return RowResult(row, .none) }
        let pairs = AudiencePairs(plan.samples / 2, ours, Audience(of: limit, count: 1))
        return RowResult(row, pairs.delivery.ratioOfQuantiles(0.5))
    }
}

/// A setting whose value comes from a provider of swift-configuration.
private struct BridgedBroadcast: Broadcast {
    let store: SettingsStore
    private let settings: BenchSettings
    private let change: @Sendable (Int) -> Void

    init(of provider: some ConfigProvider, change: @escaping @Sendable (Int) -> Void) async throws {
        store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.configuration(provider), .application])
        settings = try await store.group(BenchSettings.self)
        self.change = change
    }

    func publish(_ value: Int) { change(value) }

    func listen(_ receive: @escaping @Sendable (Int) -> Void) async {
        for await value in settings.$count { receive(value) }
    }
}

/// A file that swift-configuration reloads when the process gets `SIGHUP`.
private final class ReloadedFile: Broadcast {
    let provider: ReloadingFileProvider<JSONSnapshot>
    private let folder: URL
    private let running: Task<Void, any Error>

    /// The signal would end the process if it came before a provider listens. Ignored only once: a provider that
    /// listens already would get no more signals.
    private static let ignoresSignal: Void = { _ = signal(SIGHUP, SIG_IGN) }()

    init() async throws {
        _ = Self.ignoresSignal
        folder = try temporaryFolder()
        let file = folder.appending(path: "settings.json")
        try Self.replace(file, with: 1)
        let provider = try await ReloadingFileProvider<JSONSnapshot>(
            filePath: FilePath(file.path), pollInterval: .seconds(86_400))
        self.provider = provider
        running = Task.detached { try await provider.run() }
    }

    func publish(_ value: Int) {
        guard (try? Self.replace(folder.appending(path: "settings.json"), with: value)) != nil else { return }
        kill(getpid(), SIGHUP)
    }

    func listen(_ receive: @escaping @Sendable (Int) -> Void) async {
        try? await provider.watchSnapshot { updates in
            for await snapshot in updates {
                guard case .int(let value)? = try? snapshot.value(forKey: "count", type: .int).value?.content else {
                    continue
                }
                receive(value)
            }
        }
    }

    func remove() throws {
        running.cancel()
        try FileManager.default.removeItem(at: folder)
    }

    private static func replace(_ file: URL, with value: Int) throws {
        let next = file.appendingPathExtension("next")
        try Data("{\"count\": \(value)}".utf8).write(to: next)
        // The provider compares times, and two files of one moment may have the same.
        let time = Date(timeIntervalSince1970: Double(value))
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: next.path)
        guard rename(next.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
