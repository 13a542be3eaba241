import Dispatch
import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Bionic)
    import Bionic
#endif

@Suite(.timeLimit(.minutes(10))) struct TerminationTests {
    @Test("A termination signal saves everything, then ends the process")
    func signal() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "settings.json").path
        await #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
            let store = try await SettingsStore.open(at: URL(filePath: path))
            let settings = try await store.group(CounterSettings.self)
            store.flushOnTermination()
            settings.count = 7
            kill(getpid(), SIGTERM)
            try await store.run()
        }
        #expect(try await CounterSettings.count(in: URL(filePath: path)) == 7)
    }

    @Test("What was written when `main` returns, or something calls `exit`, is saved", arguments: 1...8)
    func exits(round: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "settings.json").path
        await #expect(processExitsWith: .exitCode(Int32(round))) { [path = path as String, round = round as Int] in
            // In odd rounds nothing refers to the store at the end.
            var held: SettingsStore?
            do {
                let store = try await SettingsStore.open(at: URL(filePath: path))
                let settings = try await store.group(CounterSettings.self)
                settings.count = round
                if round % 4 > 1 { try store.keys.setValue(round, forKey: "undeclared") }
                if round.isMultiple(of: 2) { held = store }
            }
            exit(withExtendedLifetime(held) { Int32(round) })
        }
        let tree = try FileStorage(at: URL(filePath: path)).load().tree
        #expect(tree["count"] == .integer(Int64(round)))
        #expect(tree["undeclared"] == (round % 4 > 1 ? .integer(Int64(round)) : nil))
    }

    @Test("The end of the process does not wait for ever for a save that does not end") func exitsStuck() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        await #expect(processExitsWith: .success) { [path = file.path as String] in
            let store = try await SettingsStore.open(at: URL(filePath: path))
            let settings = try await store.group(StuckSettings.self)
            try await settings.commit { settings.count = 1 }
            StuckSettings.Value.isStuck.withLock { $0 = true }
            settings.value = StuckSettings.Value(number: 2)
        }
        #expect(try await CounterSettings.count(in: file) == 1)
    }

    @Test("A signal that the process ignores stays ignored") func ignored() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "settings.json").path
        await #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
            ignoreInterrupts()
            let store = try await SettingsStore.open(at: URL(filePath: path))
            let settings = try await store.group(CounterSettings.self)
            store.flushOnTermination()
            kill(getpid(), SIGINT)
            try await settings.commit { settings.count = 10 }
            kill(getpid(), SIGTERM)
            try await store.run()
        }
        #expect(try await CounterSettings.count(in: URL(filePath: path)) == 10)
    }

    @Test("A termination signal saves everything even if all threads of the concurrency runtime are blocked")
    func blockedRuntime() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "settings.json").path
        await #expect(processExitsWith: .signal(SIGINT)) { [path = path as String] in
            let store = try await SettingsStore.open(at: URL(filePath: path))
            let settings = try await store.group(CounterSettings.self)
            store.flushOnTermination([.interrupt])
            settings.count = 8
            blockTheRuntime { kill(getpid(), SIGINT) }
            try await store.run()
        }
        #expect(try await CounterSettings.count(in: URL(filePath: path)) == 8)
    }

    @Test(
        "flushAndWait works while all threads of the concurrency runtime are blocked, even if storage calls suspend",
        arguments: [false, true])
    func flushAndWait(isAsynchronous: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "settings.json").path
        await #expect(processExitsWith: .exitCode(33)) {
            [path = path as String, isAsynchronous = isAsynchronous as Bool] in
            let file = FileStorage(at: URL(filePath: path))
            let store = try await SettingsStore.open(storage: isAsynchronous ? SuspendingStorage(base: file) : file)
            let settings = try await store.group(CounterSettings.self)
            settings.count = 9
            blockTheRuntime {
                do {
                    try store.flushAndWait()
                    exit(33)
                } catch {
                    exit(1)
                }
            }
            try await store.run()
        }
        #expect(try await CounterSettings.count(in: URL(filePath: path)) == 9)
    }
}

private struct StuckSettings: SettingsGroup {
    /// A value whose encoding does not end, once it is stuck.
    struct Value: Codable, Sendable {
        static let isStuck = LockedValue(false)

        var number = 0

        func encode(to encoder: any Encoder) throws {
            if Self.isStuck.withLock({ $0 }) { block(on: DispatchSemaphore(value: 0)) }
            try number.encode(to: encoder)
        }

        init(number: Int) { self.number = number }

        init(from decoder: any Decoder) throws { number = try Int(from: decoder) }
    }

    @Setting var count = 0
    @Setting var value = Value(number: 1)
}

/// A storage each of whose saves suspends more than once.
private struct SuspendingStorage: StorageWrapper {
    let base: any Storage

    func append(_ batch: StorageBatch, durability: StorageDurability) async throws(StorageError) -> StorageReceipt {
        for _ in 0..<10 { await Task.yield() }
        let receipt = try await base.append(batch, durability: durability)
        await Task.yield()
        return receipt
    }
}

private func ignoreInterrupts() {
    // Outside the suite, whose own `signal` would shadow it.
    _ = signal(SIGINT, SIG_IGN)
}
