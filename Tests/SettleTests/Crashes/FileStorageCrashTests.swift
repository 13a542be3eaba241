import Foundation
import Settle
import SettleTesting
import Testing

/// Crashes of the file storage, beyond those in the tests of the harness itself.
@Suite(.timeLimit(.minutes(10))) struct FileStorageCrashTests {
    @Test("The commits of two stores that take turns survive every crash, in their order")
    func twoStores() async throws {
        try await forEachCrashPoint(acknowledging: Int.self, maximumImagesPerPoint: 30) { run in
            let stores = [try await run.openStore(), try await run.openStore()]
            let first = try await stores[0].group(CounterSettings.self)
            let second = try await stores[1].group(CounterSettings.self)
            for _ in 0..<3 {
                try await first.commit { first.count += 1 }
                run.acknowledge(first.count + second.other)
                try await second.commit { second.other += 1 }
                run.acknowledge(first.count + second.other)
                try await run.settle()
            }
            for store in stores { try await store.close() }
        } check: { recovered in
            let settings = try await recovered.store.group(CounterSettings.self)
            let acknowledged = recovered.acknowledged.last ?? 0
            #expect((acknowledged...acknowledged + 1).contains(settings.count + settings.other), "\(recovered)")
            #expect((0...1).contains(settings.count - settings.other), "\(recovered)")
        }
    }

    @Test("The folders of a new file survive even if the process that made them is killed before syncing them")
    func newFolders() async throws {
        try await forEachCrashPoint(
            of: { FileStorage(at: crashFolder.appending(path: $1), calls: $0) },
            acknowledging: Int.self, makesFolder: false
        ) { run in
            let store = try await run.openStore()
            let settings = try await store.group(CounterSettings.self)
            for _ in 0..<2 {
                settings.count += 1
                try await run.settle()
            }
            try await store.close()
        }
    }
}
