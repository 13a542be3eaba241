import Settle
import SettleTestSupport
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is done at the key of a group counts for each of its settings.
@Suite(.timeLimit(.minutes(10))) struct GroupsAndSecretsTests {
    private func stored(_ home: CommandHome) throws -> SettingTree {
        let storage = FileStorage(reading: home.settings("app"), isFollowed: false)
        defer { storage.close() }
        return try storage.load().tree
    }

    @Test("A dictionary for a group is refused if one of its values is, and leaves the secrets")
    func dictionaries() async throws {
        let home = try await KeysAndSchemasTests().home()
        let before = try stored(home)
        for (value, words) in [
            (["-dict", "attemptCount", "-int", "21"], "in 0...20"), (["-dict", "atemptCount", "1"], "no setting"),
            (["5"], "group of settings"), (["-array"], "group of settings"),
        ] {
            let answer = await home.run(["write", "app", "limits"] + value)
            #expect(answer.code == 65 && answer.errors.contains(words), "\(value): \(answer)")
        }
        #expect(await home.run("import", "app", "-", on: RecordingTerminal(input: "{\"limits\": 5}")).code == 65)
        #expect(try stored(home) == before)
        #expect(await home.run("write", "app", "limits.isOn", "yes").code == 0)
        #expect(await home.run("write", "app", "limits", "-dict", "attemptCount", "-int", "7").code == 0)
        let after = try stored(home)
        #expect(after["limits.attemptCount"] == .integer(7) && after["limits.isOn"] == nil)
        #expect(after["limits.token"] == .string("hunter2"))
        #expect(await home.run("write", "app", "limits", "-dict").code == 0)
        #expect(try stored(home)["limits.attemptCount"] == nil)
        #expect(try stored(home)["limits.token"] == .string("hunter2"))
    }

    @Test("A part of a setting is refused if the whole setting would be")
    func parts() async throws {
        let home = try await KeysAndSchemasTests().home()
        let answer = await home.run("write", "app", "limits.attemptCount.x", "1")
        #expect(answer.code == 65 && answer.errors.contains("limits.attemptCount"), "\(answer)")
    }

    @Test("A renamed group obeys the rules, and no secret gets a name that shows it")
    func renaming() async throws {
        let home = try await KeysAndSchemasTests().home()
        let before = try stored(home)
        for arguments in [
            ["limits.token", "limits.colour"], ["limits.token", "limits.name", "--force"],
            ["limits", "old", "--force"],
            ["limits", "old"],
        ] {
            let answer = await home.run(["rename", "app"] + arguments)
            #expect(answer.code == 65, "\(arguments): \(answer)")
            #expect(try stored(home) == before)
        }
        #expect(
            await home.run("rename", "app", "limits.token", "limits.name", "--force").errors.contains("is a secret"))
        await home.run("write", "app", "other", "-dict", "attemptCount", "-int", "21", "--force")
        await home.run("write", "app", "--force", "other", "-dict", "attemptCount", "-int", "21")
        #expect(await home.run("rename", "app", "other", "limits").code == 65)
        await home.run("write", "app", "--force", "other", "-dict", "attemptCount", "-int", "5")
        #expect(await home.run("rename", "app", "other", "limits").code == 0)
        #expect(try stored(home)["limits.attemptCount"] == .integer(5))
        #expect(try stored(home)["limits.token"] == .string("hunter2") && stored(home)["other"] == nil)
    }

    @Test("No secret shows through the group that it is in")
    func parents() async throws {
        let home = try await KeysAndSchemasTests().home()
        for arguments in [
            ["explain", "app", "limits"], ["explain", "app", "limits", "--json"],
            ["explain", "app", "limits", "--plist"],
            ["list", "app", "limits"],
        ] {
            let answer = await home.run(arguments)
            #expect(answer.code == 0 && answer.output.contains("••••"), "\(answer)")
            #expect(!"\(answer)".contains("hunter2"), "\(arguments)")
        }
        #expect(await home.run("explain", "app", "limits").output.contains("from application"))
    }

    @Test("The past and the changes of a group show no secret")
    func past() async throws {
        let home = try await KeysAndSchemasTests().home()
        let store = try await SettingsStore.open(
            at: home.settings("app"), configuration: .init(history: .keep(transactions: 10)))
        let secret = SettingValue.dictionary(["token": .string("hunter3"), "isOn": .bool(true)])
        try await store.commit { try store.keys.setValue(secret, forKey: "limits") }
        try await store.close()
        for arguments in [["history", "app"], ["history", "app", "--json"], ["history", "app", "limits"]] {
            let answer = await home.run(arguments)
            #expect(answer.code == 0 && answer.output.contains("limits"), "\(answer)")
            #expect(!"\(answer)".contains("hunter"), "\(arguments)")
        }
    }

    @Test("No secret shows where changes of its group are told")
    func watching() async throws {
        let home = try await KeysAndSchemasTests().home()
        let terminal = RecordingTerminal()
        let watching = Task { await home.run("watch", "app", "limits", "--json", on: terminal) }
        var number = 0
        // Until it has begun, nothing is told.
        while terminal.output.isEmpty {
            try Task.checkCancellation()
            number += 1
            await home.run("write", "app", "limits.attemptCount", "\(number % 20)")
        }
        let store = try await SettingsStore.open(at: home.settings("app"))
        let secret = SettingValue.dictionary(["token": .string("hunter3"), "isOn": .bool(true)])
        try await store.commit { try store.keys.setValue(secret, forKey: "limits") }
        try await eventually("the change is printed") { terminal.output.contains("isOn") }
        try await store.close()
        watching.cancel()
        _ = await watching.value
        #expect(!terminal.output.contains("hunter"), "\(terminal.output)")
    }

    @Test("Secrets are written to no file, even on a terminal")
    func exporting() async throws {
        let home = try await KeysAndSchemasTests().home()
        let path = home.file("out.json").path
        let refused = await home.run("export", "app", path, "--show-secrets", on: RecordingTerminal(isTerminal: true))
        #expect(refused.code == 69 && !FileManager.default.fileExists(atPath: path), "\(refused)")
        let shown = await home.run("export", "app", "--show-secrets", on: RecordingTerminal(isTerminal: true))
        #expect(shown.output.contains("hunter2"))
    }
}
