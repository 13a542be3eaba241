import Foundation
import Settle

/// Ten domains under a setting: what they cost when it is read, written and opened, and when one of them changes.
enum SearchLists {
    static let all = [
        Benchmark(rows: ["R25"]) { plan in try await LayeredStores.with { LayeredWrites.measure($0, plan) } },
        Benchmark(rows: ["R25r"]) { plan in try await LayeredStores.with { LayeredReads.measure($0, plan) } },
        Benchmark(rows: ["R26"]) { plan in [try await DomainReplacing.measure(plan)] },
        Benchmark(rows: ["R27"]) { plan in
            var results: [RowResult] = []
            for count in [10, 1_000] { results += try await DomainOpening.measure(keys: count, plan) }
            return results
        },
    ]
}

/// Settings of which no domain but the application's has a value.
struct LayeredSettings: SettingsGroup {
    @Setting var count = 1
    @Setting var other = 1
    @Setting(in: 0...Int.max) var bounded = 1
    @Setting var name = Samples.name
    /// The lowest domain has a value for it.
    @Setting("setting_of_the_a00000") var below = 1
}

/// Two stores that save to files: one with ten domains, nine of which have 100 other keys each, and one with its own.
struct LayeredStores: Sendable {
    let ten: SettingsStore
    let one: SettingsStore
    let many: LayeredSettings
    let single: LayeredSettings

    static func with(_ measure: @escaping @Sendable (LayeredStores) -> [RowResult]) async throws -> [RowResult] {
        let folder = try temporaryFolder()
        let stores = try await LayeredStores(in: folder)
        let results = await onOwnThread { measure(stores) }
        try await stores.ten.close()
        try await stores.one.close()
        try FileManager.default.removeItem(at: folder)
        return results
    }

    private init(in folder: URL) async throws {
        ten = try await SettingsStore.open(
            at: folder.appending(path: "ten.json"), searching: try TenDomains.list(keys: 100, in: folder))
        one = try await SettingsStore.open(at: folder.appending(path: "one.json"))
        many = try await ten.group(LayeredSettings.self)
        single = try await one.group(LayeredSettings.self)
        var registered = SettingTree()
        for (index, key) in Samples.keys(100).enumerated() { registered.root[key] = .integer(Int64(index)) }
        try await ten.domains[.registration].replace(with: registered)
    }
}

/// A search list with ten domains of all kinds.
enum TenDomains {
    static func list(keys count: Int, in folder: URL) throws -> SearchList {
        let secrets = folder.appending(path: "secrets")
        try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: true)
        try Data("hunter2".utf8).write(to: secrets.appending(path: "password"))
        let files = try ["host", "suite", "global", "system"].map { name in
            let file = folder.appending(path: "\(name).json")
            try JSONFile.write(keys: Samples.keys(count).map { "\(name)_\($0)" }, to: file)
            return file
        }
        return [
            .overrides, .arguments(["--verbose", "--level", "3"]), .environment(prefix: "BENCH"), .secrets(in: secrets),
            .host(at: files[0]), .application, .suite("suite", at: files[1]), .global(at: files[2]),
            .system(at: files[3]), .registration,
        ]
    }
}
