import Settle
import SettleInterchange
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Trials of an import, and what older programs have left, beside a schema.
@Suite(.timeLimit(.minutes(10))) struct ImportVerbsTests {
    @Test(
        "A trial ends as the import does, and names what would be refused",
        arguments: [
            ("{\"limits\": {\"attemptCount\": 99}}", "limits.attemptCount", 65),
            ("{\"limits\": {\"atemptCount\": 1}}", "limits.attemptCount", 65),
            ("{\"limits\": 1}", "limits", 65), ("{\"owned\": {\"count\": 1}, \"x\": 1}", "owned.count", 77),
            ("{\"limits\": {\"isOn\": true}}", "", 0),
        ])
    func trials(_ document: String, _ key: String, _ code: Int32) async throws {
        let home = try await KeysAndSchemasTests().home()
        func run(_ options: String...) async -> CommandHome.Answer {
            await home.run(["import", "app", "-"] + options, on: RecordingTerminal(input: document))
        }
        let told = await run("--dry-run")
        #expect(told.code == code && told.errors.contains(key), "\(told)")
        let listed = await run("--dry-run", "--json")
        #expect(listed.code == code && listed.output.contains("newValue"), "\(listed)")
        #expect(listed.output.contains("refusal") == (code != 0))
        let done = await run()
        #expect(code == 0 ? done.code == 0 : done.code != 0, "\(done)")
    }

    @Test("A trial of a replacement does not tell that secrets would go, which stay")
    func replacement() async throws {
        let home = try await KeysAndSchemasTests().home()
        let input = RecordingTerminal(input: "{\"limits\": {\"isOn\": true, \"token\": \"hunter3\"}}")
        let told = await home.run("import", "app", "-", "--dry-run", on: input)
        #expect(told.output.contains("+ limits.token = \"••••\"") && !told.output.contains("hunter"), "\(told)")
        let other = await home.run("import", "app", "-", "--dry-run", "--replace", on: RecordingTerminal(input: "{}"))
        #expect(other.code == 0 && other.output.isEmpty, "\(other)")
    }

    @Test("Names with dots become the declared settings, and their values what these are")
    func userDefaults() async throws {
        let home = try await KeysAndSchemasTests().home()
        let old = try home.write(
            """
            { "limits.attemptCount" = "5"; "limits.isOn" = 1; "limits.names" = (a, b); "limits.wait" = "90s";
              limits = { colour = green; }; }
            """, to: "old.plist")
        let answer = await home.run("migrate", "app", old, "--from", "userdefaults")
        #expect(answer.code == 0, "\(answer)")
        let read = await home.run("read", "app", "limits", "--json").output
        for words in ["\"attemptCount\": 5", "\"isOn\": true", "\"wait\": \"90s\"", "\"colour\": \"green\""] {
            #expect(read.contains(words), "\(read)")
        }
        let wrong = try home.write("{ \"limits.attemptCount\" = \"many\"; }", to: "wrong.plist")
        #expect(await home.run("migrate", "app", wrong, "--from", "userdefaults").code == 65)
    }

    private struct Deep: SettingsGroup {
        struct Outer: SettingsGroup {
            struct Inner: SettingsGroup {
                @Setting var count = 1
                @Setting var isOn = false
            }
            let inner = Inner()
        }
        let outer = Outer()
    }

    @Test("Names with dots in a dictionary become the declared settings, too") func innerNames() async throws {
        let home = try CommandHome()
        let store = try await SettingsStore.open(at: home.settings("app"))
        let group = try await store.group(Deep.self)
        try await store.file.writeSchema()
        try await store.close()
        withExtendedLifetime(group) {}
        let old = try home.write(
            #"{ outer = { "inner.count" = "5"; inner = { isOn = 1; }; }; }"#, to: "old.plist")
        let answer = await home.run("migrate", "app", old, "--from", "userdefaults")
        #expect(answer.code == 0, "\(answer)")
        let storage = FileStorage(reading: home.settings("app"), isFollowed: false)
        defer { storage.close() }
        let inner = SettingValue.dictionary(["count": .integer(5), "isOn": .bool(true)])
        #expect(try storage.load().tree == SettingTree(["outer": .dictionary(["inner": inner])]))
    }

    @Test("A file that has a key twice is refused, unless one of its values is asked for")
    func duplicateKeys() async throws {
        let home = try CommandHome()
        let path = try home.write("<dict><key>a</key><string>1</string><key>a</key><string>2</string></dict>", to: "a")
        for words in [["import", "app", path], ["migrate", "app", path, "--from", "userdefaults"]] {
            let refused = await home.run(words)
            #expect(refused.code == 65 && refused.errors.contains("The key “a” occurs twice."), "\(refused)")
            #expect(refused.errors.contains("--duplicate-keys first"))
            for (which, value) in [("first", "1\n"), ("last", "2\n")] {
                #expect(await home.run(words + ["--duplicate-keys", which]).code == 0)
                #expect(await home.run("read", "app", "a").output == value)
            }
            #expect(await home.run(words + ["--duplicate-keys", "both"]).code == 64)
        }
        #expect(await home.run("convert", path, "--duplicate-keys", "first").output.contains("\"a\": \"1\""))
    }

    @Test("A file of an older program that can't be read is named", arguments: ["archive", "strings", "userdefaults"])
    func unreadable(kind: String) async throws {
        let home = try CommandHome()
        let path = try home.write("\"ok\" = \"Fine", to: "old")
        let answer = await home.run("migrate", "app", path, "--from", kind)
        #expect(answer.code == 65 && answer.errors.hasPrefix("“\(path)” can't be read. "), "\(answer)")
    }

    @Test("A key that a table of strings has twice is told")
    func strings() async throws {
        let home = try CommandHome()
        let path = try home.write("\"ok\" = \"Fine\";\n\"ok\" = \"Good\";\n", to: "a.strings")
        let answer = await home.run("migrate", "app", path, "--from", "strings")
        #expect(answer.code == 0 && answer.errors.contains("“ok” in line 1"), "\(answer)")
        #expect(await home.run("read", "app", "ok").output == "Good\n")
    }

    @Test("The objects of an archive become settings")
    func archive() async throws {
        let home = try await KeysAndSchemasTests().home()
        let limits = ArchivedObject(className: "Limits", fields: ["attemptCount": 7, "isOn": true])
        var archive = KeyedArchive(root: .null)
        archive.top = ["limits": .object(limits)]
        try archive.data().write(to: home.file("old"))
        let answer = await home.run("migrate", "app", home.file("old").path, "--from", "archive")
        #expect(answer.code == 0, "\(answer)")
        #expect(await home.run("read", "app", "limits.attemptCount").output == "7\n")
        #expect(await home.run("read", "app", "limits.isOn").output == "1\n")
    }

    @Test("A file gets a binary list, as with defaults, and a terminal an XML one")
    func exporting() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        await home.run("export", "app", home.file("out.plist").path)
        #expect(try Data(contentsOf: home.file("out.plist")).starts(with: Data("bplist".utf8)))
        #expect(await home.run("export", "app").output.hasPrefix("<?xml"))
        #expect(await home.run("convert", home.file("out.plist").path).output.contains("\"a\": \"1\""))
    }

    @Test("A form that is asked for is given, or the verb refuses it")
    func forms() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "-int", "1")
        #expect(await home.run("read-type", "app", "a", "--json").output == "\"integer\"\n")
        #expect(await home.run("watch", "app", "--plist").code == 64)
        let found = await home.run("find", "zzz", "--json")
        #expect(found.code == 1 && found.output == "{}\n", "\(found)")
    }

    @Test("Without a domain, all of them are read, without secrets")
    func all() async throws {
        let home = try await KeysAndSchemasTests().home()
        await home.run("write", "other", "a", "1")
        await home.run("write", "-g", "b", "2")
        let read = await home.run("read", "--json")
        #expect(read.code == 0 && !read.output.contains("hunter2"), "\(read)")
        for name in ["\"app\"", "\"other\"", "\"NSGlobalDomain\"", "••••"] { #expect(read.output.contains(name)) }
        #expect(await home.run("read").output.contains("other =     {\n        a = 1;\n    };"))
    }

    @Test("A new key is literal if one of that name is stored, for every verb")
    func literals() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "--literal", "b.c", "literal")
        await home.run("write", "app", "a", "new")
        #expect(await home.run("list", "app", "b.c").output.contains("literal"))
        #expect(await home.run("rename", "app", "a", "b.c").code == 0)
        #expect(await home.run("read", "app", "b.c").output == "new\n")
        #expect(await home.run("read", "app", "b", "--json").code == 1)
    }

    @Test("An option among the parts of a value is a mistake, unless it stands behind two hyphens")
    func options() async throws {
        let home = try CommandHome()
        for value in [["-array", "a", "--by", "me"], ["-dict", "a", "b", "--by", "me"], ["-array-add", "--force"]] {
            let answer = await home.run(["write", "app", "l"] + value)
            #expect(answer.code == 64 && answer.errors.contains("--"), "\(answer)")
        }
        #expect(await home.run("write", "app", "l", "-array", "a", "-string", "--x", "--", "--y", "-5").code == 0)
        #expect(await home.run("read", "app", "l").output == "(\n    a,\n    \"--x\",\n    \"--y\",\n    \"-5\"\n)\n")
    }

    @Test("A path without an extension is that of a new property list")
    func paths() async throws {
        let home = try CommandHome()
        #expect(await home.run("write", home.file("new").path, "a", "-date", "2024-02-29T23:59:58Z").code == 0)
        #expect(FileManager.default.fileExists(atPath: home.file("new.plist").path))
        #expect(await home.run("read-type", home.file("new").path, "a").output == "Type is date\n")
    }

    @Test("A path whose last name has dots is that of a property list, or of a file with JSON")
    func dottedPaths() async throws {
        let home = try CommandHome()
        let path = home.file("com.apple.loginwindow").path
        #expect(await home.run("read", path).code == 1)
        let written = await home.run("write", path, "a", "-int", "1")
        #expect(written.code == 0, "\(written)")
        #expect(FileManager.default.fileExists(atPath: path + ".plist"))
        #expect(await home.run("read", path, "a").output == "1\n")
        #expect(await home.run("read", path + ".plist", "a").output == "1\n")
        let json = try home.write("{\"b\": 2}", to: "com.example.app.json").dropLast(".json".count)
        #expect(await home.run("read", String(json), "b").output == "2\n")
        // The extensions of settings files are not names, whatever their case.
        for ending in ["json", "plist", "PLIST"] {
            #expect(await home.run("write", home.file("new.\(ending)").path, "a", "1").code == 0)
            #expect(FileManager.default.fileExists(atPath: home.file("new.\(ending)").path))
        }
    }
}
