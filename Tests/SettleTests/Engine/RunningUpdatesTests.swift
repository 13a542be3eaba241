import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct RunningUpdatesTests {
    private func open() async throws -> (core: StoreCore, settings: CounterSettings) {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return (store.core, try await store.group(CounterSettings.self))
    }

    @Test("A transaction is recorded only on its own thread, so that writes on other threads are not counted")
    func otherThread() async throws {
        let (one, two) = (try await open(), try await open())
        let gate = Gate()
        async let updating: Bool? = onThread {
            try? one.settings.update {
                two.settings.count = 1
                gate.pass()
                return RunningUpdates.isOutermost(one.core) && RunningUpdates.writesElsewhere(in: one.core) == 1
            }
        }
        await gate.waitUntilReached()
        let isNotedHere = await onThread {
            two.settings.count = 2
            return RunningUpdates.isOutermost(one.core) || RunningUpdates.writesElsewhere(in: one.core) > 0
        }
        gate.open()
        #expect(!isNotedHere)
        #expect(await updating == true)
    }

    @Test("Stores updated concurrently each count the writes of their own closure")
    func severalStores() async throws {
        var stores: [(core: StoreCore, settings: CounterSettings)] = []
        for _ in 0..<8 { stores.append(try await open()) }
        let counts = await withTaskGroup { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    // All unopened groups share one store, which is always the inner one here.
                    let other = CounterSettings()
                    return await onThread {
                        var counts: [Int] = []
                        for _ in 0..<200 {
                            try? store.settings.update {
                                for _ in 0...index { other.count += 1 }
                                store.settings.count += 1
                                counts.append(RunningUpdates.writesElsewhere(in: store.core))
                            }
                        }
                        return counts.allSatisfy { $0 == index + 1 } && !RunningUpdates.isOutermost(store.core)
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(counts == Array(repeating: true, count: 8))
        #expect(stores.allSatisfy { $0.settings.count == 200 })
    }
}
