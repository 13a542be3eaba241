import Settle
import SettleCommand
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an editor shows, and what becomes of an edit that can't be stored.
@Suite(.timeLimit(.minutes(10))) struct EditVerbTests {
    private func replacing(_ text: String, with other: String) -> RecordingTerminal {
        RecordingTerminal(isTerminal: true) { path in
            let old = try String(contentsOfFile: path, encoding: .utf8)
            try Data(old.replacing(text, with: other).utf8).write(to: URL(filePath: path))
            return 0
        }
    }

    /// The file that the errors name.
    private func kept(_ answer: CommandHome.Answer) throws -> URL {
        let line = try #require(answer.errors.split(separator: "\n").last { $0.contains("Your edits are in “") })
        return URL(filePath: String(line.split { "“”".contains($0) }[1]))
    }

    @Test("Dates, data and numbers of a property list keep their types, also in lists")
    func types() async throws {
        let home = try CommandHome()
        let list = home.file("a.plist").path
        await home.run(
            "write", list, "d", "-dict", "on", "-date", "2024-02-29T23:59:58Z", "bytes", "-data", "0102", "n", "-float",
            "2",
            "name", "old")
        await home.run(
            "write", list, "dates", "-array", "-date", "2024-01-01T00:00:00Z", "-date", "2025-01-01T00:00:00Z")
        #expect(await home.run("edit", list, on: replacing("old", with: "new")).code == 0)
        #expect(await home.run("edit", list, on: replacing("2024-02-29", with: "2026-02-28")).code == 0)
        #expect(await home.run("edit", list, on: replacing("AQI=", with: "AQM=")).code == 0)
        #expect(await home.run("edit", list, on: replacing("2025-01-01", with: "2027-01-01")).code == 0)
        let contents = FileStorage(reading: URL(filePath: list), isFollowed: false)
        defer { contents.close() }
        let tree = try contents.load().tree
        func date(_ text: String) throws -> SettingValue { .date(try Date(text, strategy: .iso8601)) }
        #expect(tree["d.on"] == (try date("2026-02-28T23:59:58Z")) && tree["d.bytes"] == .data(Data([1, 3])))
        #expect(tree["d.n"] == .real(2) && tree["d.name"] == .string("new"))
        #expect(tree["dates"] == .array([try date("2024-01-01T00:00:00Z"), try date("2027-01-01T00:00:00Z")]))
    }

    @Test("Settings at a path that is longer than the name of a file can be edited")
    func longPath() async throws {
        let home = try CommandHome()
        let folder = home.file("abc".map { String(repeating: $0, count: 100) }.joined(separator: "/"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "app.json").path
        #expect(await home.run("write", file, "a", "old").code == 0)
        let answer = await home.run("edit", file, on: replacing("old", with: "new"))
        #expect(answer.code == 0, "\(answer)")
        #expect(await home.run("read", file, "a").output == "new\n")
    }

    @Test("An edit that is given up is kept in a file that is named")
    func givenUp() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        let answer = await home.run("edit", "app", on: replacing("\"1\"", with: "work"))
        #expect(answer.code == 65, "\(answer)")
        let file = try kept(answer)
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        #expect(try String(contentsOf: file, encoding: .utf8).contains("work"))
        #expect(await home.run("read", "app", "a").output == "1\n")
    }

    /// Edits a value, while another program changes it. The first answer is given for the conflict.
    private func conflict(_ home: CommandHome, answers: [String], isBare: Bool) async throws -> CommandHome.Answer {
        let file = home.settings("app")
        if isBare {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("{\"a\": \"1\"}".utf8).write(to: file)
        } else {
            await home.run("write", "app", "a", "1")
        }
        let edits = LockedCounter()
        let terminal = RecordingTerminal(isTerminal: true, answers: answers) { path in
            guard edits.next() == 1 else { return 0 }
            try Data("{\"a\": \"mine\"}".utf8).write(to: URL(filePath: path))
            if isBare {
                try Data("{\"a\": \"theirs\"}".utf8).write(to: file)
            } else {
                let storage = FileStorage(at: file)
                _ = try storage.load()
                try storage.append(StorageBatch(revision: 1, values: ["a": .string("theirs")]), durability: .synced)
                storage.close()
            }
            return 0
        }
        return await home.run("edit", "app", on: terminal)
    }

    @Test("A conflict is told, and the edit is stored if that is wanted, else kept", arguments: [false, true])
    func conflicts(isBare: Bool) async throws {
        let home = try CommandHome()
        let refused = try await conflict(home, answers: ["n"], isBare: isBare)
        #expect(refused.code == 65 && refused.errors.contains("a"), "\(refused)")
        let file = try kept(refused)
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        #expect(try String(contentsOf: file, encoding: .utf8).contains("mine"))
        #expect(await home.run("read", "app", "a").output == "theirs\n")
        let other = try CommandHome()
        let stored = try await conflict(other, answers: ["y"], isBare: isBare)
        #expect(stored.code == 0, "\(stored)")
        let found = await other.run("read", "app", "a")
        #expect(found.output == "mine\n", "\(stored), then \(found)")
    }

    @Test("A key that only its owner may write is refused, and can be edited again")
    func owners() async throws {
        let home = try await KeysAndSchemasTests().home()
        let edits = LockedCounter()
        let terminal = RecordingTerminal(isTerminal: true, answers: ["y"]) { path in
            let text = edits.next() == 1 ? "{\"owned\": {\"count\": 3}}" : "{\"limits\": {\"isOn\": true}}"
            try Data(text.utf8).write(to: URL(filePath: path))
            return 0
        }
        let answer = await home.run("edit", "app", on: terminal)
        #expect(answer.code == 0 && answer.errors.contains("belongs to its owner"), "\(answer)")
        #expect(await home.run("read", "app", "limits.isOn").output == "1\n")
        #expect(await home.run("read", "app", "owned").code == 1)
    }

    @Test("A group that is emptied keeps the secrets that the editor has not shown")
    func secrets() async throws {
        let home = try await KeysAndSchemasTests().home()
        await home.run("write", "app", "limits.isOn", "yes")
        let terminal = RecordingTerminal(isTerminal: true) { path in
            let text = try String(contentsOfFile: path, encoding: .utf8)
            guard !text.contains("hunter2"), text.contains("isOn") else { return 1 }
            try Data("{\"limits\": {}}".utf8).write(to: URL(filePath: path))
            return 0
        }
        let answer = await home.run("edit", "app", on: terminal)
        #expect(answer.code == 0, "\(answer)")
        let shown = RecordingTerminal(isTerminal: true)
        #expect(await home.run("export", "app", "--as", "json", "--show-secrets", on: shown).output.contains("hunter2"))
        #expect(!shown.output.contains("isOn"))
    }

    #if os(macOS) || os(Linux)
        @Test("Interrupts at the terminal are the editor's: they do not end what waits for it")
        func interrupts() throws {
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "edited").path
            // As the terminal sends it: to all that wait, too.
            let script = "sh -c 'kill -INT $PPID; echo done > \"$1\"' sh"
            let outer = "kill -INT $PPID; kill -QUIT $PPID; \(script)"
            #expect(try EditorProcess.run(outer, on: file) == 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "done\n")
            // An editor can be interrupted itself.
            #expect(try EditorProcess.run("sh -c 'kill -INT $$'", on: file) == 128 + 2)
        }
    #endif
}
