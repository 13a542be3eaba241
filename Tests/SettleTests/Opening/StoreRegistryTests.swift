import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// One store for each open file.
@Suite(.timeLimit(.minutes(10))) struct StoreRegistryTests {
    private let files = StoreRegistry()
    private let file = URL(filePath: "/nowhere/settings.json")
    private let failing = FailingStorage()
    private let clock = ManualClock()
    private let full = StorageError(.noSpace, "There is no room.")

    private func open(_ storage: (any Storage)? = nil) async throws -> SettingsStore {
        let storage = storage ?? failing
        return try await SettingsStore.open(at: file, configuration: .init(clock: clock), in: files) { storage }
    }

    /// Starts a task that opens the file, and returns once that task waits.
    private func openLater(_ storage: (any Storage)? = nil) async throws -> Task<SettingsStore, any Error> {
        let before = files.waiterCount
        let task = Task { try await open(storage) }
        try await eventually("the opening waits") { files.waiterCount != before }
        return task
    }

    @Test("Openings that arrive while the file is being opened share one store, which is loaded once")
    func duringOpening() async throws {
        let recording = RecordingStorage(failing)
        let hold = failing.hold(.load)
        let first = Task { try await open(recording) }
        await hold.waitUntilReached()
        let second = try await openLater()
        let third = try await openLater()
        hold.release()
        let store = try await first.value
        #expect(try await second.value == store)
        #expect(try await third.value == store)
        #expect(recording.calls.count { $0.operation == .load } == 1)
        #expect(files.count == 1)
    }

    @Test("If an opening fails, one that waited for it tries itself") func failingOpening() async throws {
        failing.fail(.load, with: StorageError(.unreadable, "It can't be read."), count: 1)
        let hold = failing.hold(.load)
        let first = Task { try await open() }
        await hold.waitUntilReached()
        let second = try await openLater()
        hold.release()
        await #expect(throws: SettingsError.self) { try await first.value }
        let store = try await second.value
        #expect(try await open() == store)
    }

    @Test("An opening waits for a close, then opens the file anew") func duringClose() async throws {
        let store = try await open()
        let hold = failing.hold(.checkpoint)
        let closing = Task { try await store.close() }
        await hold.waitUntilReached()
        let opening = try await openLater(InMemoryStorage())
        hold.release()
        try await closing.value
        let second = try await opening.value
        #expect(second != store)
        #expect(try await open() == second)
    }

    @Test("An opening waits for a close that fails, then gets the store, which is open again")
    func duringFailingClose() async throws {
        let store = try await open()
        let settings = try await store.group(CounterSettings.self)
        settings.count = 1
        failing.fail(.checkpoint, with: full)
        failing.fail(.append, with: full)
        let hold = failing.hold(.append)
        let closing = Task { try await store.close() }
        await hold.waitUntilReached()
        let opening = try await openLater()
        hold.release()
        await #expect(throws: SettingsError.self) { try await closing.value }
        let second = try await opening.value
        #expect(second == store)
        failing.heal()
        try await store.close()
        try settings.$count.set(2)
        try await second.close()
        #expect(files.count == 0)
    }

    @Test("An opening waits until a released store has saved everything") func afterLettingGo() async throws {
        let hold: StorageHold
        do {
            let store = try await open()
            try store.keys.setValue(1, forKey: "a")
            hold = failing.hold(.checkpoint)
        }
        await hold.waitUntilReached()
        let opening = try await openLater(InMemoryStorage())
        hold.release()
        #expect(try await opening.value.keys.value(forKey: "a", as: Int.self) == nil)
    }

    @Test("A released store that can't save does not block the next opening")
    func afterFailingRelease() async throws {
        do {
            let store = try await open()
            try store.keys.setValue(1, forKey: "a")
            try await store.flush()
            failing.fail(.checkpoint, with: full)
            failing.fail(.syncedAppend, with: full)
        }
        let storage = InMemoryStorage()
        let second = try await open(storage)
        #expect(try await open() == second)
        failing.heal()
        clock.advance(by: .seconds(60))
        #expect(try await open() == second)
    }

    @Test("Closing a handle that is already being closed waits, and tries again if that close fails")
    func closingTwice()
        async throws
    {
        let recording = RecordingStorage(failing)
        let store = try await open(recording)
        try store.keys.setValue(1, forKey: "a")
        _ = await recording.batches(atLeast: 1)
        failing.fail(.checkpoint, with: full, count: 1)
        failing.fail(.syncedAppend, with: full, count: 1)
        let hold = failing.hold(.checkpoint)
        let first = Task { try await store.close() }
        await hold.waitUntilReached()
        let second = Task { try await store.close() }
        hold.release()
        await #expect(throws: SettingsError.self) { try await first.value }
        try await second.value
        #expect(throws: SettingsError.self) { try store.keys.setValue(2, forKey: "a") }
        #expect(files.count == 0)
    }

    @Test("400 rounds of concurrent opening and closing use one store at a time and lose no commit")
    func manyRounds() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            let rounds = 400
            let use = FileUse()
            @Sendable func open() async throws -> SettingsStore {
                try await SettingsStore.open(at: file, in: files) { CountedStorage(FileStorage(at: file), use) }
            }
            var handle = try await open()
            for round in 1...rounds {
                let last = handle
                async let closing: Void = last.close()
                async let first = open()
                async let second = open()
                let (a, b) = (try await first, try await second)
                try await closing
                // Neither handle is closed, so both belong to one store.
                try #require(a == b, "round \(round)")
                let settings = try await a.group(CounterSettings.self)
                try await settings.commit { settings.count += 1 }
                async let letGo: Void = b.close()
                handle = try await open()
                try await letGo
                try #require(handle == a, "round \(round)")
                if round.isMultiple(of: 2) { try await a.close() }
            }
            #expect(try await handle.group(CounterSettings.self).count == rounds)
            try await handle.close()
            #expect(use.most == 1 && use.count > rounds / 4)
        }
    }

    @Test("A file is listed as long as its store is open") func listing() async throws {
        let store = try await open()
        #expect(files.count == 1)
        let second = try await open()
        try await store.close()
        #expect(files.count == 1)
        try await second.close()
        #expect(files.count == 0)
    }

    @Test("A file in a folder that was missing is compared with another one on a thread that may block")
    func missingFolder() async throws {
        try await withTemporaryFolder { folder in
            let (path, tasks) = (folder.appending(path: "settings.json"), QueueOfTasks())
            // For each comparison, whether it is made on the caller's thread.
            let comparing = LockedValue<[Bool]>([])
            let system = FileIdentities.system
            let identities = FileIdentities(
                identity: { path in
                    if path == FilePath("/nowhere") { comparing.withLock { $0.append(QueueOfTasks.isCurrent) } }
                    return system.identity(path)
                }, names: system.names)
            let files = StoreRegistry(identities: identities, isOnSystem: true)
            let other = try await SettingsStore.open(at: file, in: files) { InMemoryStorage() }
            comparing.withLock { $0 = [] }
            let opening = Task(executorPreference: tasks) {
                try await SettingsStore.open(at: path, in: files) { InMemoryStorage() }
            }
            let store = try await opening.value
            #expect(store != other && files.count == 2)
            let comparisons = comparing.withLock { $0 }
            #expect(!comparisons.isEmpty && !comparisons.contains(true))
            try await store.close()
            try await other.close()
        }
    }

    @Test("Spellings of a path, and links to the file or its folder, lead to one store")
    func spellings() async throws {
        try await withTemporaryFolder { folder in
            let manager = FileManager.default
            let real = folder.appending(path: "real")
            try manager.createDirectory(at: real, withIntermediateDirectories: true)
            let file = real.appending(path: "settings.json")
            try manager.createSymbolicLink(at: folder.appending(path: "linked"), withDestinationURL: real)
            try manager.createSymbolicLink(at: folder.appending(path: "link.json"), withDestinationURL: file)
            let store = try await SettingsStore.open(at: file)
            for path in ["linked/settings.json", "link.json", "real/../real/./settings.json", "linked/../link.json"] {
                #expect(try await SettingsStore.open(at: folder.appending(path: path)) == store, "\(path)")
            }
            #expect(try await SettingsStore.open(at: real.appending(path: "other.json")) != store)
        }
    }

    @Test("Behind a symbolic link, `..` leads where the file system says") func parentOfLink() async throws {
        try await withTemporaryFolder { folder in
            let manager = FileManager.default
            try manager.createDirectory(at: folder.appending(path: "a/b"), withIntermediateDirectories: true)
            try manager.createSymbolicLink(
                atPath: folder.appending(path: "link").path, withDestinationPath: "a/b")
            let inner = try await SettingsStore.open(at: URL(filePath: folder.path + "/link/../settings.json"))
            let outer = try await SettingsStore.open(at: folder.appending(path: "settings.json"))
            #expect(inner != outer)
            #expect(try await SettingsStore.open(at: folder.appending(path: "a/settings.json")) == inner)
            try inner.keys.setValue(1, forKey: "n")
            try await inner.file.flush()
            #expect(manager.fileExists(atPath: folder.appending(path: "a/settings.json").path))
        }
    }
}

/// Counts the storages that have loaded a file and not closed it.
private final class FileUse: Sendable {
    private let state = LockedValue((now: 0, most: 0, count: 0))

    var most: Int { state.withLock { $0.most } }
    var count: Int { state.withLock { $0.count } }

    func begin() {
        state.withLock { state in
            state.now += 1
            state.count += 1
            state.most = max(state.most, state.now)
        }
    }

    func end() { state.withLock { $0.now -= 1 } }
}

private final class CountedStorage: StorageWrapper {
    let base: any Storage
    private let use: FileUse

    init(_ base: FileStorage, _ use: FileUse) {
        self.base = base
        self.use = use
    }

    func load() async throws(StorageError) -> StorageContents {
        use.begin()
        return try await base.load()
    }

    func close() async {
        await base.close()
        use.end()
    }
}
