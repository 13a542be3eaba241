import Settle

struct Counters: SettingsGroup {
    @Setting var starts = 0
}

/// A program that uses only Settle, to check which libraries it loads.
@main struct Footprint {
    static func main() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let counters = try await store.group(Counters.self)
        counters.starts += 1
        try await store.close()
        print("starts: \(counters.starts)")
    }
}
