import Foundation
import Settle
import SettleTesting
import Synchronization
import Testing

/// The guide “History”, and the code in it.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct HistoryGuideTests {
    struct LimitSettings: SettingsGroup {
        @Setting(in: 0...20) var limit = 0
    }

    private func open(
        _ file: URL
    ) async throws -> (store: SettingsStore, settings: LimitSettings) {
        let configuration = SettingsStore.Configuration(
            history: .keep(transactions: 1_000, bytes: 1 << 20, for: .days(30)))
        let store = try await SettingsStore.open(at: file, configuration: configuration)
        return (store, try await store.group(LimitSettings.self))
    }

    @Test("A change that must be confirmed") func confirming() async throws {
        let folder = try TemporaryFolder()
        let (store, settings) = try await open(folder.url.appending(path: "settings.json"))
        let printed = Mutex<[String]>([])
        func print(_ items: Any...) { printed.withLock { $0.append(items.map { "\($0)" }.joined(separator: " ")) } }
        try await settings.commit(author: "alice", confirmWithin: .seconds(300)) { settings.limit = 9 }
        if let change = store.unconfirmed.change { print(change.keys, change.remaining) }
        try await store.unconfirmed.confirm()  // or revert(), to undo it now
        #expect(settings.limit == 9 && printed.withLock { $0.count } == 1)
    }

    @Test("A history is read, undone and forgotten") func history() async throws {
        let folder = try TemporaryFolder()
        let (store, settings) = try await open(folder.url.appending(path: "settings.json"))
        let printed = Mutex<[String]>([])
        func print(_ items: Any...) { printed.withLock { $0.append(items.map { "\($0)" }.joined(separator: " ")) } }
        try await settings.commit(author: "alice") { settings.limit = 3 }
        try await settings.commit(author: "alice") { settings.limit = 5 }
        let entry = try #require(try await store.entries(limit: 1).first)
        let token = try store.newest()
        try store.keys.setValue("secret", forKey: "diary")
        try await settings.commit { settings.limit = 7 }
        let yesterday = Date(timeIntervalSinceNow: -86_400)
        for try await entry in store.history.entries(of: "passcode", since: yesterday, limit: 20) {
            print(entry.time, entry.author, entry.changes)
        }
        let earlier = try await store.history.values(at: token)
        #expect(earlier == SettingTree(["limit": .integer(5)]) && printed.withLock { $0.isEmpty })
        let result = try await store.history.undo(entry.token, author: "bob")
        for conflict in result.conflicts { print(conflict) }  // limit: was 5, is 7 now
        #expect(printed.withLock { $0 } == ["limit: was 5, is 7 now"])
        if let token = result.token { try await store.history.undo(token) }
        try await store.history.undo(try store.newest())
        #expect(settings.limit == 5)
        try await store.history.undo(lastBy: "alice")  // the newest one of alice that is not undone yet
        #expect(settings.limit == 3)
        try await store.history.forget("diary")
        #expect(try await store.entries(of: "diary").isEmpty)
        try await store.close()
    }

    @Test("A subscriber goes on after a restart") func resuming() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        let shown = Mutex<[String]>([])
        func show(_ mutations: [Mutation]) { shown.withLock { $0 += mutations.map(\.description) } }
        func show(_ snapshot: SettingTree) { shown.withLock { $0.append("all") } }
        func remember(_ token: ChangeToken?) {}
        func follow(_ store: SettingsStore, _ token: ChangeToken?) async {
            for await change in store.history.changes(after: token) {
                if let snapshot = change.snapshot { show(snapshot) } else { show(change.mutations) }
                remember(change.token)
            }
        }
        var place: ChangeToken?
        do {
            let (store, settings) = try await open(file)
            try await settings.commit(author: "alice") { settings.limit = 4 }
            let token = store.history.token
            try await settings.commit(author: "alice") { settings.limit = 5 }
            place = token
            try await store.close()
        }
        let (store, _) = try await open(file)
        let following = Task { await follow(store, place) }
        var changes = store.history.changes(after: place).makeAsyncIterator()
        #expect(await changes.next()?.mutations.map(\.description) == ["limit: 4 → 5"])
        try await store.close()
        await following.value
        #expect(shown.withLock { $0.allSatisfy { $0 == "limit: 4 → 5" } })
    }

    @Test("A commit is refused if its keys have changed") func conditions() async throws {
        let folder = try TemporaryFolder()
        let (store, settings) = try await open(folder.url.appending(path: "settings.json"))
        let printed = Mutex<[String]>([])
        func print(_ items: Any...) { printed.withLock { $0.append("\(items[0])") } }
        try await settings.commit { settings.limit = 4 }
        let token = try store.newest()
        try await settings.commit(author: "alice") { settings.limit = 5 }
        do {
            try await settings.commit(ifUnchangedSince: token, keys: ["limit"], author: "bob") { settings.limit = 6 }
        } catch let error as SettingsError where error.code == .conflict {
            print(error.conflict?.keys ?? [], error.conflict?.author as Any)
        }
        #expect(printed.withLock { $0 } == [#"["limit"]"#] && settings.limit == 5)
        try await store.close()
    }

    @Test("The guide's code is that of the tests") func samples() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Settle/Settle.docc/History.md").standardizedFileURL
        let guide = try String(contentsOf: page, encoding: .utf8)
        let tests = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let code = Set(tests.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        let blocks = guide.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(blocks.count == 10)
        for line in blocks.joined().split(separator: "\n") {
            #expect(code.contains(line.trimmingCharacters(in: .whitespaces)), "The guide has: \(line)")
        }
    }
}
