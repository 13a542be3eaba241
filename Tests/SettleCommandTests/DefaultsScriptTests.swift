import Settle
import SettleCommand
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `settle defaults`, which takes what scripts give the command `defaults`.
@Suite(.timeLimit(.minutes(10))) struct DefaultsScriptTests {
    private let home: CommandHome

    init() throws { home = try CommandHome() }

    @discardableResult
    private func defaults(
        _ arguments: String..., on terminal: RecordingTerminal = RecordingTerminal()
    ) async -> CommandHome.Answer {
        await home.run(["defaults"] + arguments, on: terminal)
    }

    @Test("Each line of a script for a Mac stores what it stores there")
    func script() async throws {
        let tile = "<dict><key>tile-data</key><dict><key>n</key><integer>0</integer></dict></dict>"
        for line in [
            ["com.apple.dock", "autohide", "-bool", "true"], ["com.apple.dock", "tilesize", "-int", "36"],
            ["com.apple.dock", "autohide-delay", "-float", "0.5"], ["com.apple.dock", "orientation", "left"],
            ["com.apple.dock", "apps", "-array"], ["com.apple.dock", "apps", "-array-add", tile],
            ["com.apple.dock", "keys", "-dict", "a", "-int", "1"],
            ["com.apple.dock", "keys", "-dict-add", "b", "<false/>"],
            ["com.apple.dock", "since", "-date", "2026-11-23 12:00:00 +0000"],
            ["com.apple.dock", "bytes", "-data", "0102ff"],
        ] { #expect(await home.run(["defaults", "write"] + line).code == 0, "\(line)") }
        for (key, text, type) in [
            ("autohide", "1", "boolean"), ("tilesize", "36", "integer"), ("autohide-delay", "0.5", "float"),
            ("orientation", "left", "string"), ("since", "2026-11-23 12:00:00 +0000", "date"),
            (
                "apps", "(\n        {\n        \"tile-data\" =         {\n            n = 0;\n        };\n    }\n)",
                "array"
            ),
            ("keys", "{\n    a = 1;\n    b = 0;\n}", "dictionary"),
            ("bytes", "{length = 3, bytes = 0x0102ff}", "data"),
        ] {
            #expect(await defaults("read", "com.apple.dock", key).output == text + "\n", "\(key)")
            #expect(await defaults("read-type", "com.apple.dock", key).output == "Type is \(type)\n", "\(key)")
        }
        #expect(FileManager.default.fileExists(atPath: home.file(".config/com.apple.dock/settings.plist").path))
        #expect(await home.run("read-type", "com.apple.dock", "since").output == "Type is date\n")
    }

    @Test("A key is one name, and words with hyphens are values")
    func literally() async throws {
        await defaults("write", "app", "com.apple.Safari.DevTools", "-bool", "YES")
        #expect(await home.run("read", "app", "com\\.apple\\.Safari\\.DevTools").output == "1\n")
        #expect(await defaults("read", "app", "com.apple.Safari.DevTools").output == "1\n")
        await defaults("write", "app", "flag", "--json")
        #expect(await defaults("read", "app", "flag").output == "--json\n")
        await defaults("write", "app", "list", "-array", "--", "--force", "-int", "-5")
        #expect(await defaults("read", "app", "list").output == "(\n    \"--\",\n    \"--force\",\n    \"-5\"\n)\n")
        await defaults("write", "app", "arrow", "@\\U2193")
        await defaults("write", "app", "keys", "-dict-add", "\\U2191", "x", "end\\", "y")
        #expect(await defaults("READ", "app", "arrow").output == "@↓\n")
        #expect(await defaults("read", "app", "keys").output == "{\n    \"end\\\\\" = y;\n    \"\\U2191\" = x;\n}\n")
        #expect(await home.run("write", "app", "arrow", "@\\U2193").code == 0)
        #expect(await home.run("read", "app", "arrow").output == "@\\U2193\n")
        await defaults("rename", "app", "flag", "a.b")
        #expect(await defaults("delete", "app", "a.b").code == 0)
        #expect(await defaults("delete", "app", "a.b").code == 1)
    }

    @Test("A key that the program has declared is that setting, with its type and its rule")
    func declared() async throws {
        let home = try await KeysAndSchemasTests().home()
        #expect(await home.run("defaults", "write", "app", "limits.attemptCount", "7").code == 0)
        #expect(await home.run("read", "app", "limits.attemptCount", "--json").output == "7\n")
        let refused = await home.run("defaults", "write", "app", "limits.attemptCount", "-int", "21")
        #expect(refused.code == 1 && refused.errors.contains("in 0...20"), "\(refused)")
    }

    @Test("Every name of the domain of all programs is the same domain, which its own machine's values are not")
    func global() async throws {
        await defaults("write", "-g", "a", "1")
        await defaults("write", ".GlobalPreferences", "com.apple.mouse.scaling", "-1")
        await defaults("write", "Apple Global Domain", "c", "3")
        await defaults("-currentHost", "write", "NSGlobalDomain", "a", "here")
        let all = "{\n    a = 1;\n    c = 3;\n    \"com.apple.mouse.scaling\" = \"-1\";\n}\n"
        for name in ["-g", "-globalDomain", "NSGlobalDomain", "kCFPreferencesAnyApplication"] {
            #expect(await defaults("read", name).output == all, "\(name)")
        }
        #expect(await defaults("-currentHost", "read", "-g", "a").output == "here\n")
        await defaults("-currentHost", "write", "mac", "since", "-date", "2026-11-23 12:00:00 +0000")
        #expect(await home.run("-currentHost", "read-type", "mac", "since").output == "Type is date\n")
        #expect(await defaults("read").output.contains("\"Apple Global Domain\" ="))
        #expect(await defaults("find", "scaling").output.hasPrefix("Found 1 keys in domain 'Apple Global Domain': {"))
        #expect(await defaults("find", "apple global").output.hasPrefix("Found 3 keys in domain"))
        #expect(await defaults("domains").output == "\n")
    }

    @Test("Absence ends with 1 and the message of defaults, wrong use with 255, and neither changes anything")
    func codes() async throws {
        await defaults("write", "app", "a", "1")
        for (arguments, code, message) in [
            (["read", "none"], 1, "Domain none does not exist\n"),
            (["read", "app", "x.y"], 1, "The domain/default pair of (app, x.y) does not exist\n"),
            (["delete", "none"], 1, "Domain (none) not found.\nDefaults have not been changed.\n"),
            (["rename", "app", "b", "c"], 1, "Key b does not exist in domain app; leaving defaults unchanged\n"),
            (["find", "zzz"], 0, "No domain, key, nor value containing 'zzz'\n"),
            (["write", "app", "a"], 1, "Rep argument is not a dictionary\nDefaults have not been changed.\n"),
            (["write", "app", "a", "-int", "x"], 1, nil), (["read", "-app", "no-such-app"], 1, nil),
            (["frobnicate"], 255, nil), (["write", "app"], 255, nil), ([], 255, "A verb is missing.\n"),
        ] as [([String], Int32, String?)] {
            let answer = await home.run(["defaults"] + arguments)
            #expect(answer.code == code && !answer.errors.isEmpty, "\(arguments): \(answer)")
            if let message { #expect(answer.errors == message, "\(arguments)") }
        }
        #expect(await defaults("read", "app").output == "{\n    a = 1;\n}\n")
    }

    @Test("A domain is exported, imported and replaced as a whole")
    func wholes() async throws {
        await defaults("write", "app", "{ a = 1; \"b.c\" = (2); }")
        let xml = await defaults("export", "app", "-").output
        #expect(xml.hasPrefix("<?xml") && xml.contains("<key>b.c</key>"))
        let path = home.file("out.json").path
        #expect(await defaults("export", "app", path).code == 0)
        #expect(try Data(contentsOf: home.file("out.json")).starts(with: Data("bplist00".utf8)))
        #expect(await defaults("import", "other", path).code == 0)
        #expect(await defaults("import", "third", "-", on: RecordingTerminal(input: xml)).code == 0)
        for name in ["other", "third"] {
            #expect(await defaults("read", name).output == (await defaults("read", "app").output), "\(name)")
        }
    }

    @Test("Long data have dots in the middle, as on a Mac")
    func data() async throws {
        let digits = (0..<32).map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
        await defaults("write", "app", "data", "-data", digits)
        #expect(
            await defaults("read", "app", "data").output
                == "{length = 32, bytes = 0x00010203 04050607 08090a0b 0c0d0e0f ... 18191a1b 1c1d1e1f }\n")
        #expect(await home.run("read", "app", "data").output == "{length = 32, bytes = 0x\(digits)}\n")
    }

    @Test("A link named defaults stands for the verb, whose help and completions are its own")
    func link() async throws {
        #expect(Array(DomainCommand.arguments(of: ["/usr/local/bin/defaults", "read"])) == ["defaults", "read"])
        #expect(Array(DomainCommand.arguments(of: ["bin/settle", "read", "defaults"])) == ["read", "defaults"])
        let help = await defaults("help")
        #expect(help.code == 0 && help.output.hasPrefix("Usage: defaults [-currentHost | -host HOST] VERB DOMAIN …\n"))
        #expect(help.output.contains("\n  read-type ") && !help.output.contains("\n  list "))
        await defaults("write", "app", "a.b", "1")
        #expect(await home.run("__complete", "defaults", "ren").output.hasPrefix("rename\t"))
        #expect(await home.run("__complete", "defaults", "read", "app", "a").output == "a.b\n")
    }
}
