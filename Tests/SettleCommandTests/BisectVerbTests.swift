import Settle
import SettleCommand
import SettleInterchange
import SettleTesting
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `bisect`, with a check that reads the copy.
@Suite(.timeLimit(.minutes(10))) struct BisectVerbTests {
    struct App: SettingsGroup {
        @Setting var size = 0
        @Setting var colour = "red"
        @Setting var token = Secret("")
    }

    /// The copies that were checked.
    private final class Checks: Sendable {
        let paths = Mutex<[String]>([])
        let texts = Mutex<[String]>([])

        func terminal(
            isTerminal: Bool = false, _ code: @escaping @Sendable (SettingTree) throws -> Int32
        ) -> RecordingTerminal {
            let running: @Sendable ([String], [String: String]) throws -> Int32 = { words, variables in
                let path = try #require(variables["SETTLE_FILE"])
                #expect(words == ["check", "--at=\(path)", "-x", "--", path])
                let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
                self.paths.withLock { $0.append(path) }
                self.texts.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
                return try code(try (FileFormat.detect(bytes) ?? .json).decode(bytes))
            }
            return RecordingTerminal(isTerminal: isTerminal, running: running)
        }
    }

    private let command = ["--", "check", "--at={}", "-x", "--", "{}"]

    /// A domain whose size rises by one with each change, and whose colour changes with the fourth.
    private func home(history: HistoryPolicy = .keep(transactions: 100)) async throws -> CommandHome {
        let home = try CommandHome()
        let store = try await SettingsStore.open(
            at: home.settings("app"), configuration: .init(history: history), migrations: [.remove("gone")])
        let app = try await store.group(App.self)
        for number in 1...10 {
            try await app.commit(author: "author \(number)") {
                app.size = number
                if number == 4 { app.token = Secret("hunter2") }
            }
        }
        try await store.file.writeSchema()
        try await store.close()
        return home
    }

    private func contents(of folder: URL) throws -> [String: Data] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                (try? Data(contentsOf: folder.appending(path: name))).map { (name, $0) }
            })
    }

    @Test("The change is named with its number, token, author and values, and the originals stay as they are")
    func found() async throws {
        let home = try await home()
        let before = try contents(of: home.folder.url)
        let checks = Checks()
        let answer = await home.run(
            ["bisect", "app"] + command,
            on: checks.terminal { tree in if case .integer(7...)? = tree["size"] { 1 } else { 0 } })
        #expect(answer.code == 0, "\(answer)")
        let count = try #require(answer.output.firstMatch(of: /^Change (\d+) of (\d+):\n/))
        #expect(Int(count.1) == Int(count.2).map { $0 - 3 })
        #expect(answer.output.contains("  size: 6 → 7\n") && answer.output.contains("by “author 7”"))
        #expect(answer.errors.contains("After change 0 of \(count.2): good."))
        #expect(!"\(answer)".contains("hunter2"))
        #expect(try contents(of: home.folder.url) == before)
        let paths = checks.paths.withLock { $0 }
        #expect(paths.count == Set(paths).count && paths.count <= 6)
        #expect(paths.allSatisfy { $0.hasSuffix("/settings.json") && !FileManager.default.fileExists(atPath: $0) })
        for path in paths {
            let folder = URL(filePath: path).deletingLastPathComponent().deletingLastPathComponent()
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
        // What stands beside the settings is as it was then; a secret has its present value.
        #expect(checks.texts.withLock { $0 }.allSatisfy { !$0.contains("size") || $0.contains("$settle") })
        #expect(checks.texts.withLock { $0 }.allSatisfy { $0.contains("hunter2") })
    }

    @Test("As JSON it is an entry of the history with its number") func json() async throws {
        let home = try await home()
        let answer = await home.run(
            ["bisect", "app", "--json"] + command,
            on: Checks().terminal { tree in if case .integer(5...)? = tree["size"] { 127 } else { 0 } })
        guard case .dictionary(let record) = try SettingValue(json: Data(answer.output.utf8)) else {
            return #expect(Bool(false), "\(answer)")
        }
        #expect(record["changes"].map { "\($0)" }?.contains("size") == true)
        guard case .string(let token)? = record["token"] else { return #expect(Bool(false), "\(answer)") }
        let listed = await home.run("history", "app", "--json").output
        #expect(ChangeToken(token) != nil && listed.contains(token))
        #expect(record["number"] != nil && record["of"] != nil)
    }

    @Test("A secret is not shown, also if it is what has broken something") func secret() async throws {
        let home = try await home()
        let answer = await home.run(
            ["bisect", "app", "--defaults"] + command, on: Checks().terminal { $0["token"] == nil ? 0 : 1 })
        #expect(answer.output == "Change 2 of 2:\n  token: ••••\n", "\(answer)")
        let record = await home.run(
            ["bisect", "app", "--defaults", "--json"] + command, on: Checks().terminal { $0["token"] == nil ? 0 : 1 })
        #expect(record.code == 0 && !"\(record)\(answer)".contains("hunter2") && record.output.contains("isSecret"))
    }

    @Test("Without a history each stored key is a change, added in order to what stands beside the settings")
    func withoutHistory() async throws {
        let home = try await home(history: .unchanged)
        let checks = Checks()
        let answer = await home.run(
            ["bisect", "app"] + command, on: checks.terminal { $0["size"] == nil ? 0 : 1 })
        #expect(answer.output == "Change 1 of 2:\n  size: nothing → 10\n", "\(answer)")
        #expect(answer.errors.hasPrefix("There is no history"))
        let texts = checks.texts.withLock { $0 }
        #expect(texts.count == 3 && texts[1].contains("$settle") && !texts[1].contains("size"))
    }

    @Test(
        "Ends that are not as they must be, and codes that say nothing, are told",
        arguments: [
            (Int32(0), Int32(0), Int32(1), "does not fail with the current settings"),
            (1, 1, 1, "also fails with the oldest settings"), (125, 0, 69, "current settings are good"),
            (1, 125, 69, "oldest settings are good"), (128, 0, 74, "code 128"), (137, 0, 74, "code 137"),
            (1, 255, 74, "code 255"), (130, 0, 130, "interrupted"),
            (127, 126, 1, "also fails with the oldest settings"),
        ])
    func ends(newest: Int32, oldest: Int32, code: Int32, message: String) async throws {
        let home = try await home()
        let answer = await home.run(
            ["bisect", "app"] + command, on: Checks().terminal { $0["size"] == .integer(10) ? newest : oldest })
        #expect(answer.code == code && answer.errors.contains(message) && answer.output.isEmpty, "\(answer)")
    }

    @Test("If only skipped states are left, all changes that it may be are told") func skipped() async throws {
        let home = try await home()
        let answer = await home.run(
            ["bisect", "app"] + command,
            on: Checks().terminal { tree in
                guard case .integer(let size)? = tree["size"] else { return 0 }
                return size < 4 ? 0 : size > 6 ? 1 : 125
            })
        #expect(answer.code == 69 && answer.errors.contains("one of these 4 changes"), "\(answer)")
        for author in 4...7 { #expect(answer.output.contains("by “author \(author)”")) }
        #expect(!answer.output.contains("author 8"))
    }

    @Test("A property list stays one, with the schema beside it") func propertyList() async throws {
        let home = try CommandHome()
        let file = home.file("look.plist")
        let store = try await SettingsStore.open(at: file)
        let app = try await store.group(App.self)
        try await app.commit { app.size = 4 }
        try await store.file.writeSchema()
        try await store.close()
        let checks = Checks()
        let answer = await home.run(
            ["bisect", file.path] + command, on: checks.terminal { $0["size"] == nil ? 0 : 1 })
        #expect(answer.code == 0, "\(answer)")
        #expect(checks.paths.withLock { $0 }.allSatisfy { $0.hasSuffix("/look.plist") })
        #expect(checks.texts.withLock { $0 }.allSatisfy { $0.hasPrefix("<?xml") })
    }

    @Test("A program's own settings, and domains that have nothing") func others() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let app = try await store.group(App.self)
        try await app.commit { (app.size, app.colour) = (3, "blue") }
        let terminal = Checks().terminal { $0["size"] == nil ? 0 : 1 }
        let code = await SettingsCommand(store, groups: App.self, name: "app settings")
            .run(["bisect"] + command, on: terminal)
        #expect(code == 0 && terminal.output == "Change 2 of 2:\n  size: nothing → 3\n", "\(terminal.output)")
        try await store.close()
        let home = try CommandHome()
        #expect(await home.run(["bisect", "none"] + command).code == 1)
        #expect(await home.run("help", "bisect").output.contains("settle bisect DOMAIN [--defaults] -- COMMAND…"))
    }
}
