import ArgumentParser
import Foundation
import Settle

/// What a store is given many of.
enum GrowthLoad: String, CaseIterable, ExpressibleByArgument {
    /// Keys that no group declares, each set by its own write.
    case keys
    /// Groups of five settings, each opened at its own path.
    case groups
    /// Settings changed by one update, each followed by its own task.
    case followers

    /// How many items a run added, and the nanoseconds per item.
    struct Outcome: Sendable {
        var count: Int
        var nanosecondsPerItem: Double

        /// Nanoseconds of all items.
        var total: Double { count == 0 ? .infinity : nanosecondsPerItem * Double(count) }
    }

    /// Adds items to a new store, until all are added or the time is up.
    func run(count: Int, seconds: Double) async throws -> Outcome {
        let fixture = try await SavingStore()
        let end = nanoseconds() + UInt64(seconds * 1e9)
        let outcome =
            switch self {
            case .keys: try await Self.addKeys(count, to: fixture.store, until: end)
            case .groups: try await Self.addGroups(count, to: fixture.store, until: end).outcome
            case .followers: try await Self.updateFollowed(count, in: fixture.store, until: end)
            }
        // Not closed if it was slow, because closing would be slow too; the process ends here.
        if outcome.count == count { try await fixture.close() }
        return outcome
    }

    private static func addKeys(_ count: Int, to store: SettingsStore, until end: UInt64) async throws -> Outcome {
        let keys = Samples.keys(count)
        return try await tryOnOwnThread {
            let start = nanoseconds()
            var added = 0
            while added < count, nanoseconds() < end {
                try store.keys.setValue(.integer(Int64(added)), forKey: keys[added])
                added += 1
            }
            return Outcome(count: added, nanosecondsPerItem: Double(nanoseconds() - start) / Double(added))
        }
    }

    private static func addGroups(
        _ count: Int, to store: SettingsStore, until end: UInt64
    ) async throws -> (groups: [FiveSettings], outcome: Outcome) {
        let paths = Samples.keys(count)
        var groups: [FiveSettings] = []
        groups.reserveCapacity(count)
        let start = nanoseconds()
        while groups.count < count, nanoseconds() < end {
            groups.append(try await store.group(FiveSettings.self, at: paths[groups.count]))
        }
        let nanosecondsPerItem = Double(nanoseconds() - start) / Double(groups.count)
        return (groups, Outcome(count: groups.count, nanosecondsPerItem: nanosecondsPerItem))
    }

    /// Measured from the start of the update until the last follower has its value.
    private static func updateFollowed(_ count: Int, in store: SettingsStore, until end: UInt64) async throws -> Outcome
    {
        let groups = try await addGroups(count / 5, to: store, until: end).groups
        let followed = groups.count * 5
        let counter = Counter()
        let tasks = groups.flatMap(\.references).map { reference in
            Task.detached {
                for await value in reference { counter.received(value) }
            }
        }
        let nanosecondsPerItem = try await tryOnOwnThread {
            var samples: [Double] = []
            for value in 1...3 where value == 1 || nanoseconds() < end {
                Stillness.wait()
                counter.expect(value, by: followed)
                let start = nanoseconds()
                try store.update {
                    for reference in groups.flatMap(\.references) { try reference.set(value) }
                }
                let arrival = counter.wait(seconds: 30)
                samples.append(arrival == 0 ? .infinity : Double(arrival - start) / Double(followed))
            }
            return quantile(0.5, of: samples)
        }
        for task in tasks { task.cancel() }
        return Outcome(count: followed, nanosecondsPerItem: nanosecondsPerItem)
    }
}

/// A group that is opened at many paths.
struct FiveSettings: SettingsGroup {
    @Setting var first = 0
    @Setting var second = 0
    @Setting var third = 0
    @Setting var fourth = 0
    @Setting var fifth = 0

    var references: [SettingReference<Int>] { [$first, $second, $third, $fourth, $fifth] }
}
