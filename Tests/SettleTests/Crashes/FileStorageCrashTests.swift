import Foundation
import Settle
import Testing

@testable import SettleTesting

/// Crashes of the file storage, beyond those in the tests of the harness itself.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct FileStorageCrashTests {
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

    /// Those of a file that has everything beside it, and of one whose journal is elsewhere.
    private static let folders = [crashFolder, URL(filePath: "/home/.config/app")]

    @Test(
        "The folders of a new file survive even if the process that made them is killed before syncing them",
        arguments: folders)
    func newFolders(folder: URL) async throws {
        try await forEachCrashPoint(
            of: { FileStorage(at: folder.appending(path: $1), calls: $0) },
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

    @Test("A new file in a folder that another process has made a moment ago survives a loss of power")
    func folderOfAnotherProcess() throws {
        let (url, disk) = (URL(filePath: "/home/.config/app/settings.json"), SimulatedDisk())
        // The other one makes this folder first, and the file's once the names beside the journal are durable.
        disk.makeStableFolder("/home/.local/state/app")
        let storage = FileStorage(at: url, calls: disk)
        _ = try storage.load()
        let batch = StorageBatch(revision: 1, values: ["count": .integer(1)])
        _ = try storage.append(batch, durability: .synced)
        for folder in ["/home/.config", "/home/.config/app"] { try disk.makeFolder(folder, permissions: 0o700) }
        #expect(try storage.checkpoint(SettingTree(["count": .integer(1)]), for: .closing))
        for image in disk.image.afterLossOfPower(limit: 50, seed: 1) {
            let contents = try FileStorage(at: url, calls: SimulatedDisk(image.image)).load()
            #expect(contents.outcome == .intact && contents.tree["count"] == .integer(1), "\(image.description)")
        }
    }

    @Test(
        "Whatever the crash, an acknowledged commit is in the history once, and its place is one to go on from",
        arguments: folders)
    func history(folder: URL) async throws {
        try await forEachCrashPoint(
            of: { FileStorage(at: folder.appending(path: $1), calls: $0, journalLimit: 500) },
            acknowledging: ChangeToken.self, makesFolder: folder == crashFolder, history: .keep(),
            maximumImagesPerPoint: 20
        ) { run in
            let stores = [try await run.openStore(), try await run.openStore()]
            for number in 1...4 {
                let store = stores[number % 2]
                let settings = try await store.group(CounterSettings.self)
                for _ in 0..<3 {
                    try await settings.commit(author: "\(number)") { settings.count += 1 }
                    run.acknowledge(try #require(store.history.token))
                }
                if number == 2 { try await store.history.forget("other") }
                try await run.settle()
            }
            for store in stores { try await store.close() }
        } check: { recovered in
            guard !recovered.acknowledged.isEmpty else { return }
            let store = recovered.store
            let settings = try await store.group(CounterSettings.self)
            // What no load has told the journal yet.
            try await settings.commit { settings.other += 1 }
            var told: [Int64] = []
            for try await entry in store.history.entries(of: "count") {
                guard case .integer(let value)? = entry.changes.first?.newValue else { continue }
                told.insert(value, at: 0)
            }
            let first = told.first ?? 1
            #expect(told == Array(first..<first + Int64(told.count)), "\(recovered)")
            #expect(told.last ?? 0 == Int64(settings.count), "\(recovered)")
            for (number, token) in recovered.acknowledged.enumerated() {
                var iterator = store.history.changes(after: token).makeAsyncIterator()
                let next = try #require(await iterator.next())
                #expect(next.missed.count == 0, "\(recovered)")
                guard number + 1 < settings.count else { continue }
                #expect(next.mutations.first?.newValue as? Int == number + 2, "\(recovered)")
            }
        }
    }
}
