import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Opening files that are in memory.
///
/// Small files that have just been written are in the system's memory, and are opened without another thread where the
/// system allows that.
@Suite(.timeLimit(.minutes(10))) struct OpeningAtOnceTests {
    private func write(_ text: String, to file: URL) throws { try Data(text.utf8).write(to: file, options: .atomic) }

    @Test("The values of a file and of ten others are in force, with a journal and without one")
    func values() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            try write("{\"other\": 7}", to: file)
            var domains: [SearchList.Domain] = [.application]
            for number in 0..<10 {
                let file = folder.appending(path: "\(number).json")
                try write("{\"number\(number)\": \(number), \"count\": \(number)}", to: file)
                domains.append(.suite("suite\(number)", at: file))
            }
            for round in 0..<4 {
                let store = try await SettingsStore.open(at: file, searching: SearchList(domains))
                #expect(try store.keys.value(forKey: "other", as: Int.self) == 7)
                for number in 0..<10 {
                    #expect(try store.keys.value(forKey: "number\(number)", as: Int.self) == number)
                }
                let settings = try await store.group(CounterSettings.self)
                // A round of its own, because the journal is made with the first save.
                #expect(settings.count == (round < 2 ? 0 : 5))
                if round == 1 { try await settings.commit { settings.count = 5 } }
                try await store.close()
            }
        }
    }

    @Test("A change of the store's own file right after the opening is noticed") func ownChange() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            for round in 1...20 {
                let store = try await SettingsStore.open(at: file)
                try write("{\"count\": \(round)}", to: file)
                let settings = try await store.group(CounterSettings.self)
                try await eventually("the edit is in force") { settings.count == round }
                try await store.close()
            }
        }
    }

    @Test("A change of a domain's file right after the opening is noticed") func domainChange() async throws {
        try await withTemporaryFolder { folder in
            let (file, other) = (folder.appending(path: "settings.json"), folder.appending(path: "other.json"))
            for round in 1...20 {
                try write("{\"count\": 0}", to: other)
                let store = try await SettingsStore.open(
                    at: file, searching: [.application, .suite("other", at: other)])
                try write("{\"count\": \(round)}", to: other)
                let settings = try await store.group(CounterSettings.self)
                try await eventually("the other file's value is in force") { settings.count == round }
                try await store.close()
            }
        }
    }

    @Test("A large file, and one behind a link, have their values") func others() async throws {
        try await withTemporaryFolder { folder in
            let (file, link) = (folder.appending(path: "settings.json"), folder.appending(path: "link.json"))
            try write("{\"count\": 3, \"text\": \"\(String(repeating: "a", count: 200_000))\"}", to: file)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            for path in [file, link] {
                let store = try await SettingsStore.open(at: path)
                #expect(try await store.group(CounterSettings.self).count == 3)
                try await store.close()
            }
        }
    }

    @Test("A file and a link to it share one store, whichever is opened first", arguments: [false, true])
    func link(isFirst: Bool) async throws {
        try await withTemporaryFolder { folder in
            let (file, link) = (folder.appending(path: "settings.json"), folder.appending(path: "link.json"))
            try write("{\"count\": 3}", to: file)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            let files = StoreRegistry()
            var stores: [SettingsStore] = []
            for path in isFirst ? [link, file] : [file, link] {
                stores.append(try await SettingsStore.open(at: path, in: files) { FileStorage(at: path) })
            }
            #expect(stores[0] == stores[1])
            #expect(files.count == 1)
            #expect(try await stores[1].group(CounterSettings.self).count == 3)
            for store in stores { try await store.close() }
            #expect(files.count == 0)
        }
    }

    @Test("A file that can't be opened at once stays listed until it is open, so that others wait for it only once")
    func listedThroughout() async throws {
        try await withTemporaryFolder { folder in
            let (file, gate, busy) = (folder.appending(path: "settings.json"), Gate(), Gate())
            let (files, calls) = (StoreRegistry(), LockedValue(0))
            let (blocking, tasks) = (QueueOfTasks(), QueueOfTasks())
            // The numbers of waiting openers when the storage is made, first to try without blocking.
            let waiting = LockedValue<[Int]>([])
            let first = Task(executorPreference: blocking) {
                try await SettingsStore.open(at: file, in: files) {
                    let isFirst = calls.withLock { calls in
                        calls += 1
                        return calls == 1
                    }
                    if isFirst { gate.pass() }
                    waiting.withLock { $0.append(files.waiterCount) }
                    return InMemoryStorage()
                }
            }
            await gate.waitUntilReached()
            let second = Task(executorPreference: tasks) {
                try await SettingsStore.open(at: file, in: files) { InMemoryStorage() }
            }
            try await eventually("the second opening waits") { files.waiterCount == 1 }
            // If it were woken too early, it could not wait again.
            let blocker = Task(executorPreference: tasks) { busy.pass() }
            await busy.waitUntilReached()
            gate.open()
            let store = try await first.value
            busy.open()
            await blocker.value
            let other = try await second.value
            #expect(other == store)
            let numbers = waiting.withLock { $0 }
            #expect(!numbers.isEmpty && numbers.allSatisfy { $0 == 1 })
            try await store.close()
            try await other.close()
            #expect(files.count == 0)
        }
    }

    @Test("Openings at the same time share one store") func together() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "settings.json")
            try write("{\"count\": 3}", to: file)
            let files = StoreRegistry()
            for _ in 0..<20 {
                let stores = try await withThrowingTaskGroup(of: SettingsStore.self) { group in
                    for _ in 0..<10 {
                        group.addTask { try await SettingsStore.open(at: file, in: files) { FileStorage(at: file) } }
                    }
                    return try await group.reduce(into: [SettingsStore]()) { $0.append($1) }
                }
                #expect(files.count == 1)
                #expect(stores.allSatisfy { $0 == stores[0] })
                for store in stores { try await store.close() }
                #expect(files.count == 0)
            }
        }
    }
}
