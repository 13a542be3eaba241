import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The verbs that `defaults` has, as people who know it use them.
@Suite(.timeLimit(.minutes(10))) struct DefaultsVerbsTests {
    @Test(
        "Each flag of write stores its type, which read prints as defaults does",
        arguments: [
            (["-string", "5"], "5", "string"), (["5"], "5", "string"), (["TRUE"], "TRUE", "string"),
            (["-int", "-5"], "-5", "integer"), (["-integer", "9223372036854775808"], "9223372036854775808", "float"),
            (["-float", "0.1"], "0.1", "float"), (["-float", "2"], "2", "float"), (["-bool", "YES"], "1", "boolean"),
            (["-bool", "false"], "0", "boolean"), (["-data", "0102 ff"], "{length = 3, bytes = 0x0102ff}", "data"),
            (["-date", "2024-02-29 23:59:58 +0000"], "2024-02-29 23:59:58 +0000", "date"),
            (["-date", "2024-02-29T23:59:58Z"], "2024-02-29 23:59:58 +0000", "date"),
            (["-array", "a", "-int", "1", "b c"], "(\n    a,\n    1,\n    \"b c\"\n)", "array"),
            (["-array"], "(\n)", "array"),
            (["-dict", "k", "v", "n", "-float", "1.5"], "{\n    k = v;\n    n = \"1.5\";\n}", "dictionary"),
            (
                ["(a, (b), {c = d;})"], "(\n    a,\n        (\n        b\n    ),\n        {\n        c = d;\n    }\n)",
                "array"
            ),
            (
                ["{ \"x y\" = <0102>; \"é\" = \"ü\"; }"],
                "{\n    \"x y\" = {length = 2, bytes = 0x0102};\n    \"\\U00e9\" = \"\\U00fc\";\n}", "dictionary"
            ),
            (
                ["<dict><key>n</key><integer>5</integer><key>on</key><true/></dict>"],
                "{\n    n = 5;\n    on = 1;\n}", "dictionary"
            ),
            (["-array", "<string>a b</string>", "<real>1.5</real>"], "(\n    \"a b\",\n    \"1.5\"\n)", "array"),
            ([" <?xml version=\"1.0\"?><plist version=\"1.0\"><integer>7</integer></plist>"], "7", "integer"),
            (["-dict", "<dict><key>k</key><string>v</string></dict>"], "{\n    k = v;\n}", "dictionary"),
            (["-string", "<dict/>"], "<dict/>", "string"), (["<html>"], "<html>", "string"),
            (["<dada>"], "{length = 2, bytes = 0xdada}", "data"),
            (["-string", "-int"], "-int", "string"), (["--", "-5"], "-5", "string"), (["-5"], "-5", "string"),
        ])
    func types(_ value: [String], _ printed: String, _ type: String) async throws {
        let home = try CommandHome()
        let list = home.file("a.plist").path
        let written = await home.run(["write", list, "key"] + value)
        #expect(written.code == 0 && written.output.isEmpty && written.errors.isEmpty, "\(written)")
        let read = await home.run("read", list, "key")
        #expect(read.output == printed + "\n")
        #expect(await home.run("read-type", list, "key").output == "Type is \(type)\n")
    }

    @Test(
        "A value that its flag does not take is refused, and nothing is written",
        arguments: [
            ["-int", "five"], ["-int", "1.5"], ["-float", "x"], ["-bool", "maybe"], ["-data", "0x1"], ["-data", "abc"],
            ["-float", "1e400"], ["-real", "-1e309"], ["-array", "-float", "1e400"],
            ["<dict><key>a</dict>"], ["-array", "<dict>"], ["<plist><array></plist>"],
            ["-dict", "a", "<date>x</date>"],
            ["-date", "tomorrow"], ["-int"], ["-dict", "a"], ["-array", "-int"], ["-int", "1", "2"], [],
        ])
    func refused(_ value: [String]) async throws {
        let home = try CommandHome()
        let answer = await home.run(["write", "app", "key"] + value)
        #expect(answer.code == 64 || answer.code == 65, "\(answer)")
        #expect(!answer.errors.isEmpty && answer.output.isEmpty)
        #expect(await home.run("read", "app").code == 1)
    }

    @Test("A real that is too large is refused with the largest one") func largeReals() async throws {
        let home = try CommandHome()
        let answer = await home.run("write", "app", "key", "-float", "1e400")
        #expect(answer.code == 65, "\(answer)")
        #expect(answer.errors.contains("“1e400”") && answer.errors.contains("1.797e308"), "\(answer)")
        #expect(await home.run("write", "app", "key", "-float", "1.797e308").code == 0)
    }

    @Test("An app bundle is found by its path, which may be relative to the current folder and lack its extension")
    func apps() async throws {
        let home = try CommandHome()
        let bundle = home.file("Paint.app")
        try FileManager.default.createDirectory(
            at: bundle.appending(path: "Contents"), withIntermediateDirectories: true)
        _ = try home.write("{CFBundleIdentifier = \"com.example.paint\";}", to: "Paint.app/Contents/Info.plist")
        await home.run("write", "com.example.paint", "a", "1")
        let current = FileManager.default.currentDirectoryPath
        let up = String(repeating: "../", count: current.split(separator: "/").count)
        let relative = "./\(up)\(bundle.path.dropFirst())"
        for name in [bundle.path, relative, String(relative.dropLast(".app".count))] {
            let read = await home.run("read", "-app", name, "a")
            #expect(read.output == "1\n", "\(name): \(read)")
        }
        #expect(await home.run("read", "-app", "no-such-app", "a").code == 1)
    }

    @Test("Absence has the messages and the exit code of defaults")
    func absence() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        for (arguments, message) in [
            (["read", "none"], "Domain none does not exist"),
            (["read", "app", "b"], "The domain/default pair of (app, b) does not exist"),
            (["read-type", "app", "b"], "The domain/default pair of (app, b) does not exist"),
            (["read", "-g"], "Domain kCFPreferencesAnyApplication does not exist"),
            (
                ["read", "NSGlobalDomain", "b"],
                "The domain/default pair of (kCFPreferencesAnyApplication, b) does not exist"
            ),
            (["list", "none"], "Domain none does not exist"),
            (["delete", "none"], "Domain (none) not found.\nDefaults have not been changed."),
            (["delete", "app", "b"], "Domain (app) not found.\nDefaults have not been changed."),
            (["rename", "app", "b", "c"], "Key b does not exist in domain app; leaving defaults unchanged"),
            (["find", "zzz"], "No domain, key, nor value containing 'zzz'"),
        ] {
            let answer = await home.run(arguments)
            #expect(
                answer.code == 1 && answer.output.isEmpty && answer.errors == message + "\n", "\(arguments): \(answer)")
        }
        #expect(await home.run("read", "app", "a").output == "1\n")
    }

    @Test("Arrays and dictionaries grow, unless something else is stored")
    func adding() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "list", "-array", "a")
        await home.run("write", "app", "list", "-array-add", "-int", "2", "c")
        #expect(await home.run("read", "app", "list", "--json").output == "[\n  \"a\",\n  2,\n  \"c\"\n]\n")
        await home.run("write", "app", "table", "-dict-add", "a", "1")
        await home.run("write", "app", "table", "-dict-add", "b", "-bool", "true", "a", "2")
        #expect(await home.run("read", "app", "table").output == "{\n    a = 2;\n    b = 1;\n}\n")
        let tile = "<dict><key>tile</key><dict><key>n</key><integer>0</integer></dict></dict>"
        await home.run("write", "app", "dock", "-array-add", tile)
        await home.run("write", "app", "dock", "-array-add", tile, "<true/>")
        let dock = await home.run("read", "app", "dock", "--json").output.filter { !$0.isWhitespace }
        #expect(dock == "[{\"tile\":{\"n\":0}},{\"tile\":{\"n\":0}},true]")
        await home.run("write", "app", "keys", "-dict-add", "64", "<dict><key>enabled</key><false/></dict>")
        let keys = await home.run("read", "app", "keys", "--json").output.filter { !$0.isWhitespace }
        #expect(keys == "{\"64\":{\"enabled\":false}}")
        let refused = await home.run("write", "app", "list", "-dict-add", "a", "1")
        #expect(refused.code == 65 && refused.errors.contains("not a dictionary; cannot append"))
    }

    @Test("Domains are listed and searched, renamed keys keep their values, deleted ones are gone")
    func wholes() async throws {
        let home = try CommandHome()
        await home.run("write", "com.example.b", "colour", "-string", "Blue")
        await home.run("write", "com.example.a", "deep.Blueish", "-int", "1")
        await home.run("write", "-g", "language", "de")
        #expect(await home.run("domains").output == "com.example.a, com.example.b\n")
        let found = await home.run("find", "blue")
        #expect(found.output.contains("Found 1 key in domain 'com.example.b': {\n    colour = Blue;\n}"))
        #expect(
            found.output.contains(
                "Found 1 key in domain 'com.example.a': {\n    deep =     {\n        Blueish = 1;\n    };\n}"))
        #expect(await home.run("read", "NSGlobalDomain", "language").output == "de\n")
        await home.run("rename", "com.example.b", "colour", "tint")
        #expect(await home.run("read", "com.example.b").output == "{\n    tint = Blue;\n}\n")
        await home.run("delete", "com.example.b", "tint")
        #expect(await home.run("read", "com.example.b").output == "{\n}\n")
        await home.run("write", "com.example.a", "{ x = 1; y = (2); }")
        #expect(
            await home.run("read", "com.example.a", "--json").output
                == "{\n  \"x\": \"1\",\n  \"y\": [\n    \"2\"\n  ]\n}\n")
        #expect(await home.run("delete", "com.example.a").code == 0)
        #expect(await home.run("read", "com.example.a").output == "{\n}\n")
        #expect(await home.run("delete", "com.example.a").code == 1)
    }

    @Test("This machine's values are apart, and a path stands in place of a domain")
    func places() async throws {
        let home = try CommandHome()
        await home.run("-currentHost", "write", "app", "a", "here")
        await home.run("-host", "mars", "write", "app", "a", "there")
        #expect(await home.run("read", "app").code == 1)
        #expect(await home.run("-currentHost", "read", "app", "a").output == "here\n")
        #expect(await home.run("read", "app", "a", "-host", "mars").output == "there\n")
        let path = home.file("folder/list").path
        #expect(await home.run("write", path + ".plist", "a", "1").code == 0)
        #expect(await home.run("read", path, "a").output == "1\n")
        #expect(await home.run("read", home.file(".config/app").path, "a").code == 1)
        let notes = try home.write("{}", to: "notes.conf")
        _ = try home.write("{\"a\": \"foreign\"}", to: "notes@mars.json")
        #expect(await home.run("-host", "mars", "read", notes, "a").code == 74)
        for name in ["..", "", "a\u{0}b"] { #expect(await home.run("write", name, "a", "1").code == 64, "\(name)") }
    }
}
