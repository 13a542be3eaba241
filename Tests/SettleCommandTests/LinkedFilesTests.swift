import Settle
import SettleCommand
import SettleInterchange
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

/// Files that are links into another folder, and those of one machine.
@Suite(.timeLimit(.minutes(10))) struct LinkedFilesTests {
    /// A home whose domain `app` is a link, with a schema, a secret and an owner's settings.
    private func home() async throws -> CommandHome {
        let home = try CommandHome()
        for folder in [".config/app", "dotfiles"] {
            try FileManager.default.createDirectory(at: home.file(folder), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: home.settings("app").path, withDestinationPath: "../../dotfiles/app.json")
        let store = try await SettingsStore.open(at: home.settings("app"))
        let app = try await store.group(KeysAndSchemasTests.App.self)
        try await app.limits.commit { app.limits.token = Secret("hunter2") }
        try await store.file.writeSchema()
        try await store.close()
        return home
    }

    @Test("What a link leads to has its schema: secrets are hidden, rules and owners count")
    func schema() async throws {
        let home = try await home()
        for name in ["app", home.settings("app").path, home.file("dotfiles/app.json").path] {
            let read = await home.run("read", name, "limits.token")
            #expect(read.code == 0 && read.output == "••••\n", "\(read)")
            #expect(await home.run("write", name, "limits.attemptCount", "21").code == 65)
            #expect(await home.run("write", name, "owned.count", "1").code == 77)
        }
    }

    @Test("A machine's own values are those of the same settings")
    func machine() async throws {
        let home = try await home()
        #expect(await home.run("-host", "mars", "write", "app", "limits.attemptCount", "21").code == 65)
        #expect(await home.run("-host", "mars", "write", "app", "limits.token", "hunter3").code == 0)
        for arguments in [["read", "app", "-host", "mars"], ["-host", "mars", "list", "app"]] {
            let shown = await home.run(arguments)
            #expect(shown.code == 0 && shown.output.contains("token") && !shown.output.contains("hunter3"), "\(shown)")
        }
    }

    @Test("A schema that can't be read is no reason to show what may be a secret")
    func unreadable() async throws {
        let home = try await home()
        let schema = home.file("dotfiles/app.schema.json")
        try FileManager.default.removeItem(at: schema)
        try FileManager.default.createDirectory(at: schema, withIntermediateDirectories: false)
        for arguments in [["read", "app"], ["read", "app", "limits.token"], ["list", "app"], ["export", "app"]] {
            let answer = await home.run(arguments)
            #expect(answer.code == 65 && answer.errors.contains("app.schema.json"), "\(answer)")
            #expect(!"\(answer)".contains("hunter2"))
        }
        #expect(await !home.run("find", "token").output.contains("hunter2"))
    }

    @Test("A check tries on copies, whatever a link leads to")
    func check() async throws {
        let home = try await home()
        #expect(await home.run("check", "app").output == "app: healthy, values: 1\n")
        try Data("{\"a\": ".utf8).write(to: home.file("dotfiles/app.json"))
        func names() throws -> [String] {
            try [".config/app", "dotfiles"].flatMap {
                try FileManager.default.contentsOfDirectory(atPath: home.file($0).path).sorted()
            }
        }
        let before = try names()
        let damaged = await home.run("check", "app")
        #expect(damaged.code == 1 && damaged.errors.contains("dotfiles/app.json"), "\(damaged)")
        #expect(try names() == before)
        #expect(await home.run("check", "app", "--repair").code == 0)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: home.settings("app").path).hasSuffix("app.json"))
    }

    @Test("A copy is of one moment, also if a program saves while it is made")
    func moments() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        let saves = LockedCounter()
        let copy = try DomainFilesCopy(of: home.settings("app")) { _ in
            guard saves.next() == 1 else { return }
            let storage = FileStorage(at: home.settings("app"))
            _ = try storage.load()
            try storage.append(StorageBatch(revision: 1, values: ["a": .string("2")]), durability: .synced)
            _ = try storage.checkpoint(SettingTree(["a": .string("2")]), for: .requested)
            storage.close()
        }
        defer { copy.remove() }
        let contents = try copy.salvaged()
        #expect(contents.outcome == StorageContents.Outcome.intact && contents.tree["a"] == .string("2"))
        #expect(saves.count > 4)
    }

    @Test("A copy is removed when a signal ends the process") func interrupted() async throws {
        let home = try CommandHome()
        await home.run("write", "app", "a", "1")
        let temporary = home.file("temporary")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
        let file = home.settings("app")
        await #expect(processExitsWith: .signal(SIGTERM)) {
            [path = file.path as String, temporary = temporary.path as String] in
            setenv("TMPDIR", temporary, 1)
            _ = try DomainFilesCopy(of: URL(filePath: path)) { _ in
                kill(getpid(), SIGTERM)
                while true { pause() }
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }

    @Test("What a removed file has left is found through the link")
    func removed() async throws {
        let home = try await home()
        try FileManager.default.removeItem(at: home.file("dotfiles/app.json"))
        #expect(await home.run("domains").output == "app\n")
    }
}
