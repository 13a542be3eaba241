import Settle
import SettleCommand
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `read DOMAIN KEY` answers at first sight is what the verb answers.
@Suite(.timeLimit(.minutes(10))) struct QuickReadTests {
    /// Runs a command both ways.
    ///
    /// - Returns: Whether the first look was enough.
    private func isEnough(_ home: CommandHome, _ arguments: [String], isTerminal: Bool = false) async -> Bool {
        let (quick, whole) = (RecordingTerminal(isTerminal: isTerminal), RecordingTerminal(isTerminal: isTerminal))
        let answer = await home.run(arguments, on: whole)
        guard let code = home.runQuickRead(arguments, on: quick) else {
            #expect(quick.output.isEmpty && quick.errors.isEmpty)
            return false
        }
        #expect(code == answer.code && quick.output == answer.output && quick.errors == answer.errors, "\(arguments)")
        return true
    }

    /// Settings with all kinds of values.
    private func home() async throws -> CommandHome {
        let home = try CommandHome()
        let values = try home.write(
            #"""
            {"n": -5, "on": true, "off": false, "half": 0.5, "two": 2.0, "large": 123456789012345678901,
            "text": "Zoë \"and\"\n\\ {[,]} \u001b[2J", "empty": "", "list": ["]", 1, {"a": "\\"}], "a.b": "literal",
            "a": {"b": "path", "c": "}"}, "window": {"size": {"height": 600, "width": 800}}, "Zoë": 1, "q\"uote": 2}
            """#, to: "values.json")
        let answer = await home.run("import", "app", values)
        #expect(answer.code == 0, "\(answer)")
        return home
    }

    @Test(
        "Plain values are enough",
        arguments: [
            "n", "on", "off", "half", "two", "large", "text", "a.b", "a.c", "window.size.width",
        ])
    func plain(_ key: String) async throws {
        let home = try await home()
        for isTerminal in [false, true] {
            #expect(await isEnough(home, ["read", "app", key], isTerminal: isTerminal))
        }
        #expect(await isEnough(home, ["get", "app", key]))
    }

    @Test(
        "Everything else is left to the verb",
        arguments: [
            ["read", "app", "list"], ["read", "app", "a"], ["read", "app", "none"], ["read", "app", "n.x"],
            ["read", "app", "window.none.width"], ["read", "app", "list.0"], ["read", "none", "n"], ["read", "app"],
            ["read", "app", "n", "--json"], ["read", "-g", "n"], ["read", "NSGlobalDomain", "n"], ["read", "app", ""],
            ["read", "app", "Zoë"], ["read", "app", "a\\.b"], ["read", "app", "a..b"], ["read", "app", ".a"],
            ["read", "app", "a."], ["read", "../app", "n"], ["read", "..", "n"], ["read", "", "n"],
            ["read-type", "app", "n"],
            ["-currentHost", "read", "app", "n"], ["read", "app", "n", "m"], ["read", "app", "--help"], ["read"], [],
            ["read", "app", "empty"],
        ])
    func unusual(_ arguments: [String]) async throws {
        #expect(await !isEnough(try await home(), arguments))
    }

    @Test("A first look sees what the verb sees, whatever has happened to the files") func files() async throws {
        let home = try await home()
        let file = home.settings("app")
        let journal = home.file(".local/state/app/.settings.json.journal")
        let (bytes, records) = (try Data(contentsOf: file), try Data(contentsOf: journal))
        let command = ["read", "app", "n"]

        // Of an edit, of a file with an error, and of one without a journal, nothing vouches for the contents.
        for text in ["{\"n\": 7}", "{\"n\": 7, \"n\": 8}", "{", ""] {
            try Data(text.utf8).write(to: file)
            #expect(await !isEnough(home, command), "\(text)")
        }
        try bytes.write(to: file)
        #expect(await isEnough(home, command))
        try FileManager.default.removeItem(at: journal)
        #expect(await !isEnough(home, command))
        for damaged in [records.prefix(100), Data(), records + Data([1]), records.dropFirst()] {
            try damaged.write(to: journal)
            #expect(await !isEnough(home, command))
        }
        try records.write(to: journal)

        // The journal has more than the file.
        let storage = FileStorage(at: file)
        _ = try storage.load()
        try storage.append(StorageBatch(revision: 1, values: ["n": .integer(6)]), durability: .synced)
        storage.close()
        #expect(await home.run(command).output == "6\n")
        #expect(await !isEnough(home, command))

        try FileManager.default.removeItem(at: file)
        #expect(await !isEnough(home, command))
    }

    @Test("What may be a date or data in the journal is left to the verb") func types() async throws {
        let home = try CommandHome()
        for value in [
            ["since", "-date", "2024-02-29T23:59:58Z"], ["bytes", "-data", "0102ff"], ["none", "-data", ""],
        ] {
            let answer = await home.run(["write", "app"] + value)
            #expect(answer.code == 0, "\(answer)")
        }
        let store = try await SettingsStore.open(at: home.settings("app"))
        let far = Date(timeIntervalSince1970: 253_402_300_800.5)
        try store.keys.setValue(SettingValue.date(far), forKey: "far")
        try await store.close()
        for key in ["since", "bytes", "none", "far"] {
            #expect(await !isEnough(home, ["read", "app", key]), "\(key)")
        }
        #expect(await home.run("read", "app", "since").output == "2024-02-29 23:59:58 +0000\n")
        #expect(await home.run("read-type", "app", "since").output == "Type is date\n")
    }

    @Test("Where a schema may make secrets of values, and behind links, the verb decides") func schemaAndLinks()
        async throws
    {
        let home = try await home()
        let folder = home.settings("app").deletingLastPathComponent()
        try FileManager.default.createSymbolicLink(
            at: folder.deletingLastPathComponent().appending(path: "linked"), withDestinationURL: folder)
        // Nor does a journal count that was there before the link.
        let state = home.file(".local/state")
        try FileManager.default.copyItem(at: state.appending(path: "app"), to: state.appending(path: "linked"))
        #expect(await !isEnough(home, ["read", "linked", "n"]))
        #expect(await home.run(["read", "linked", "n"]).code == 0)
        let other = home.settings("other")
        try FileManager.default.createDirectory(
            at: other.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: other, withDestinationURL: home.settings("app"))
        #expect(await !isEnough(home, ["read", "other", "n"]))

        try Data("{\"properties\": {\"text\": {\"x-type\": \"string\", \"x-secret\": true}}}".utf8)
            .write(to: folder.appending(path: "settings.schema.json"))
        #expect(await !isEnough(home, ["read", "app", "text"]))
    }
}
