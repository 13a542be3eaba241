import Foundation
import Settle
import SettleRedis

/// What the processes of a trial write.
struct Ledger: SettingsGroup {
    /// How many commits there have been, of all processes.
    @Setting var count = 0
    /// The numbers of the commits of each process, in their order.
    @Setting var entries: [String: [Int]] = [:]
}

/// One process of a trial. Each commit reads, adds and appends, and prints how it has ended.
struct Worker {
    let port: Int
    let number: Int

    /// - Parameters:
    ///   - commits: How many at most; 0 for as many as there is time.
    ///   - seconds: For how long at most.
    func run(commits: Int, seconds: Int) async throws {
        let storage = RedisStorage(RedisServer(port: port), prefix: "trial", time: .seconds(1))
        let store = try await SettingsStore.open(storage: storage)
        let ledger = try await store.group(Ledger.self)
        let end = ContinuousClock.now + .seconds(seconds)
        let name = "p\(number)"
        // The ledger of a trial of time has every commit. Otherwise it would grow too long.
        let isListed = commits == 0
        var done = 0
        while ContinuousClock.now < end, commits == 0 || done < commits {
            done += 1
            let runs = Runs()
            do {
                try await ledger.commit {
                    runs.count += 1
                    ledger.count += 1
                    if isListed { ledger.entries[name, default: []].append(done) }
                }
                print("stored \(done) \(runs.count)")
            } catch {
                // What stands may be stored, and is repeated; everything else is undone.
                let stands = ((error as? SettingsError)?.underlying as? StorageError)?.isOutcomeUnknown == true
                print("\(stands ? "open" : "undone") \(done) \(runs.count) \(error)")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        for _ in 0..<100 {
            do {
                try await store.flush()
                break
            } catch {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        print("ended \(done) 0")
        try await store.close()
    }

    private final class Runs: @unchecked Sendable {
        // Sendable: the commit runs its closure one at a time, and its caller reads the count after it.
        var count = 0
    }
}
