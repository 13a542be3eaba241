import Settle
import SettleCommand
import SettleTestSupport
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The command of a program for its own settings.
@Suite(.timeLimit(.minutes(10))) struct ProgramCommandTests {
    struct Limits: SettingsGroup {
        @Setting(in: 0...20) var count = 3
        @Setting var name = "x"
        @Setting var token = Secret("hunter2")
    }

    struct Owned: SettingsGroup {
        static let access = SettingsAccess.owner
        @Setting var attempts = 7
    }

    struct Apart: SettingsGroup {
        @Setting(storedIn: .secrets) var token: Secret<String>?
        @Setting var name = "x"
    }

    struct Shown: SettingsGroup {
        static let presentation = GroupPresentation.section(title: "What is shown")
        @Setting var zoom = 1
        @Setting var colour = "red"
    }

    struct Ordered: SettingsGroup {
        @Setting var last = 1
        let shown = Shown()
        @Setting var first = 2
    }

    struct Lists: SettingsGroup {
        @Setting var numbers: [Int] = []
    }

    struct Maps: SettingsGroup {
        @Setting(.count(...2)) var routes: [String: Int] = [:]
    }

    struct Parts: SettingsGroup {
        @Setting var plain: [String: Int] = [:]
        @Setting var secret = Secret([String: Int]())
    }

    struct App: SettingsGroup {
        let limits = Limits()
        let owned = Owned()
    }

    private struct Program {
        let folder: TemporaryFolder
        let store: SettingsStore
        let command: SettingsCommand

        init(managed: SettingTree = SettingTree()) async throws {
            folder = try TemporaryFolder()
            let administrator = ManualDomainSource(DomainContents(managed))
            store = try await SettingsStore.open(
                at: folder.url.appending(path: "app.json"),
                searching: [.source(.managed, administrator, locksKeys: true), .application],
                configuration: .init(history: .keep(transactions: 100)))
            command = SettingsCommand(store, groups: App.self, name: "app settings")
        }

        func run(_ arguments: String..., on terminal: RecordingTerminal = RecordingTerminal()) async
            -> CommandHome.Answer
        {
            let code = await command.run(arguments, on: terminal)
            return CommandHome.Answer(code: code, output: terminal.output, errors: terminal.errors)
        }
    }

    @Test("It reads what is in force and writes what the declarations take")
    func values() async throws {
        let program = try await Program()
        #expect(await program.run("get", "limits.count").output == "3\n")
        #expect(await program.run("set", "limits.count", "5").code == 0)
        #expect(await program.run("get", "limits.count").output == "5\n")
        let group = try await program.store.group(App.self)
        #expect(group.limits.count == 5)
        let refused = await program.run("set", "limits.count", "21")
        #expect(refused.code == 65 && refused.errors.contains("0...20"))
        #expect(await program.run("set", "limits.cuont", "1").errors.contains("Did you mean “limits.count”?"))
        #expect(await program.run("get", "nothing").code == 1)
        #expect(await program.run("reset", "limits.count").code == 0 && group.limits.count == 3)
        #expect(await program.run("set", "limits.name", "-string", "5").code == 0 && group.limits.name == "5")
        #expect(await program.run("domains").code == 64)
    }

    @Test("A setting that the file has under a name with dots is read once, at its path")
    func dottedName() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app.json")
        try Data(#"{"limits.count": 5}"#.utf8).write(to: file)
        let store = try await SettingsStore.open(at: file)
        let terminal = RecordingTerminal()
        #expect(await SettingsCommand(store, groups: App.self).run(["read", "--json"], on: terminal) == 0)
        #expect(terminal.output.contains("\"count\": 5") && !terminal.output.contains("limits.count"))
        try await store.close()
    }

    @Test("A number that no property list holds is shown, and keeps nothing else from being read and written")
    func exactNumber() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app.json")
        try Data(#"{"pi": 3.14159265358979323846, "limits": {"count": 5}}"#.utf8).write(to: file)
        let store = try await SettingsStore.open(at: file)
        let command = SettingsCommand(store, groups: App.self, name: "app settings")
        for (arguments, output) in [
            (["get", "limits.count"], "5\n"), (["get", "pi"], "3.14159265358979323846\n"),
            (["set", "limits.count", "6"], ""),
        ] {
            let terminal = RecordingTerminal()
            #expect(await command.run(arguments, on: terminal) == 0, "\(terminal.errors)")
            #expect(terminal.output == output)
        }
        try await store.close()
    }

    @Test("A setting of the secret store is refused like a locked one, alone and among others")
    func secretStore() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let command = SettingsCommand(store, groups: Apart.self, name: "app settings")
        let set = RecordingTerminal()
        #expect(await command.run(["set", "token", "hunter2"], on: set) == 77)
        #expect(set.errors.contains("secret store") && !set.errors.contains("hunter2"), "\(set.errors)")
        let document = RecordingTerminal(input: #"{"name": "y", "token": "hunter2"}"#)
        #expect(await command.run(["import", "-"], on: document) == 77)
        #expect(!document.errors.contains("hunter2"), "\(document.errors)")
        #expect(try await store.group(Apart.self).name == "x")
    }

    @Test("The list has the order of declaration, the titles of groups, and what is not declared at the end")
    func order() async throws {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(at: folder.url.appending(path: "app.json"))
        try store.keys.setValue(1, forKey: "another")
        try store.keys.setValue(1, forKey: "shown.alpha")
        let terminal = RecordingTerminal()
        let command = SettingsCommand(store, groups: Ordered.self, name: "app settings")
        #expect(await command.run(["list"], on: terminal) == 0)
        let lines = terminal.output.split(separator: "\n")
        #expect(
            lines.map { $0.split(separator: " ").first.map(String.init) ?? "" }
                == ["last", "shown", "zoom", "colour", "alpha", "first", "another"])
        #expect(lines.dropFirst().first?.hasSuffix("What is shown") == true, "\(terminal.output)")
    }

    @Test("A check names variables that may be misspelt, and not those of the program")
    func misspeltVariables() async throws {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(
            at: folder.url.appending(path: "app.json"),
            searching: [
                .environment(prefix: "APP", variables: ["APP_LIMITS_CUONT": "5", "APP_HOME": "/srv"]), .application,
            ])
        try await store.commit { try store.keys.setValue(1, forKey: "another") }
        let terminal = RecordingTerminal()
        let command = SettingsCommand(store, groups: App.self, name: "app settings")
        #expect(await command.run(["check"], on: terminal) == 0)
        #expect(terminal.output.contains("healthy"))
        #expect(terminal.errors.contains("APP_LIMITS_CUONT"))
        #expect(terminal.errors.contains("Did you mean “APP_LIMITS_COUNT”?"))
        #expect(!terminal.errors.contains("APP_HOME"))
        let document = RecordingTerminal()
        #expect(await command.run(["check", "--json"], on: document) == 0)
        guard case .dictionary(let json) = try SettingValue(json: Data(document.output.utf8)),
            case .array(let remarks)? = json["remarks"], case .string(let remark)? = remarks.first
        else {
            Issue.record("There is no remark: \(document.output)")
            return
        }
        #expect(json["problems"] == .array([]))
        #expect(remarks.count == 1 && remark.contains("APP_LIMITS_CUONT"))
    }

    @Test("A check names an unconfirmed change beside variables that may be misspelt")
    func misspeltAndUnconfirmed() async throws {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(
            at: folder.url.appending(path: "app.json"),
            searching: [.environment(prefix: "APP", variables: ["APP_LIMITS_CUONT": "5"]), .application])
        try await store.commit(confirmWithin: .seconds(600)) { try store.keys.setValue(1, forKey: "another") }
        let terminal = RecordingTerminal()
        let command = SettingsCommand(store, groups: App.self, name: "app settings")
        #expect(await command.run(["check"], on: terminal) == 0)
        #expect(terminal.errors.contains("APP_LIMITS_CUONT"))
        #expect((terminal.output + terminal.errors).contains("another"))
        try await store.close()
    }

    @Test("Insertions at the same time are all stored")
    func insertions() async throws {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(at: folder.url.appending(path: "app.json"))
        let lists = try await store.group(Lists.self)
        let command = SettingsCommand(store, groups: Lists.self, name: "app settings")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let terminal = RecordingTerminal()
                    let code = await command.run(["insert", "numbers.0", "\(number)"], on: terminal)
                    #expect(code == 0, "\(terminal.errors)")
                }
            }
        }
        #expect(lists.numbers.sorted() == Array(0..<20))
        try await store.close()
    }

    @Test("An owner's settings are shown and not written, nor are locked ones")
    func owners() async throws {
        let program = try await Program(managed: SettingTree(["limits": .dictionary(["count": .integer(9)])]))
        let group = try await program.store.group(App.self)
        #expect(await program.run("list").output.contains("attempts"))
        for arguments in [
            ["set", "owned.attempts", "0"], ["set", "limits.count", "1"], ["delete", "owned.attempts"],
        ] {
            let terminal = RecordingTerminal()
            let code = await program.command.run(arguments, on: terminal)
            #expect(code == 77, "\(arguments) \(terminal.errors)")
        }
        #expect(group.owned.attempts == 7 && group.limits.count == 9)
        #expect(await program.run("explain", "limits.count").output.contains("managed"))
    }

    @Test(
        "A trial of a replacement ends as the import does if it would remove a locked setting",
        arguments: [#"{"limits": {"count": 5}}"#, "{}"])
    func lockedRemovals(document: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app.json")
        try Data(document.utf8).write(to: file)
        let administrator = ManualDomainSource(
            DomainContents(SettingTree(["limits": .dictionary(["count": .integer(9)])])))
        let store = try await SettingsStore.open(
            at: file, searching: [.source(.managed, administrator, locksKeys: true), .application])
        let command = SettingsCommand(store, groups: App.self, name: "app settings")
        for options in [["--dry-run"], []] {
            let terminal = RecordingTerminal(input: "{}")
            #expect(await command.run(["import", "-", "--replace"] + options, on: terminal) == 77)
            #expect(terminal.errors.contains("limits.count"), "\(terminal.errors)")
        }
        try await store.close()
    }

    @Test("A dictionary for a group obeys each setting's rule, and leaves secrets and owners alone")
    func groups() async throws {
        let program = try await Program()
        let group = try await program.store.group(App.self)
        try await group.commit { (group.limits.token, group.limits.name) = (Secret("mine"), "y") }
        for (value, code) in [(["-dict", "count", "-int", "99"], 65), (["-dict", "cuont", "1"], 65), (["5"], 65)] {
            let terminal = RecordingTerminal()
            #expect(await program.command.run(["set", "limits"] + value, on: terminal) == code, "\(terminal.errors)")
            #expect(group.limits.count == 3 && group.limits.name == "y")
        }
        #expect(await program.run("set", "limits", "-dict", "count", "-int", "9").code == 0)
        #expect(group.limits.count == 9 && group.limits.name == "x" && group.limits.token.revealed == "mine")
        #expect(await program.run("set", "owned", "-dict", "attempts", "-int", "0").code == 77)
        #expect(await program.run("set", "owned", "-dict").code == 77)
        #expect(group.owned.attempts == 7)
        let answer = await program.run("explain", "limits")
        #expect(!"\(answer)".contains("mine"), "\(answer)")
        try await program.store.close()
    }

    @Test("A part of a dictionary is written and removed with the rest of it, by the rule of the whole")
    func partOfDictionary() async throws {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(at: folder.url.appending(path: "app.json"))
        let maps = try await store.group(Maps.self)
        let command = SettingsCommand(store, groups: Maps.self, name: "app settings")
        let steps: [(arguments: [String], code: Int32, routes: [String: Int])] = [
            (["set", "routes.a", "1"], 0, ["a": 1]), (["set", "routes.b", "2"], 0, ["a": 1, "b": 2]),
            (["set", "routes.c", "3"], 65, ["a": 1, "b": 2]), (["delete", "routes.a"], 0, ["b": 2]),
            (["delete", "routes.b"], 0, [:]),
        ]
        for step in steps {
            let terminal = RecordingTerminal()
            #expect(await command.run(step.arguments, on: terminal) == step.code, "\(step) \(terminal.errors)")
            #expect(maps.routes == step.routes)
        }
        try await store.close()
    }

    @Test("Parts of a dictionary that are written at once are all stored, of a secret one, too")
    func partsAtOnce() async throws {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(at: folder.url.appending(path: "app.json"))
        let parts = try await store.group(Parts.self)
        let command = SettingsCommand(store, groups: Parts.self, name: "app settings")
        let all = Dictionary(uniqueKeysWithValues: (0..<10).map { ("k\($0)", $0) })
        for name in ["plain", "secret"] {
            await withDiscardingTaskGroup { tasks in
                for (key, value) in all {
                    tasks.addTask {
                        let terminal = RecordingTerminal()
                        let code = await command.run(["set", "\(name).\(key)", "\(value)"], on: terminal)
                        #expect(code == 0, "\(terminal.errors)")
                    }
                }
            }
        }
        #expect(parts.plain == all && parts.secret.revealed == all)
        try await store.close()
    }

    @Test("The settings of a group are reset together, with what else is in it")
    func resetGroup() async throws {
        let program = try await Program()
        let group = try await program.store.group(App.self)
        try await group.commit {
            (group.limits.count, group.limits.token) = (5, Secret("mine"))
            try program.store.keys.setValue(1, forKey: "limits.other")
        }
        let answer = await program.run("reset", "limits")
        #expect(answer.code == 0, "\(answer)")
        #expect(group.limits.count == 3 && group.limits.token.revealed == "hunter2")
        #expect(program.store.keys["limits.other"] == nil)
        #expect(await program.run("reset", "limits").code == 1)
        #expect(await program.run("reset", "owned").code == 77)
        try await program.store.close()
    }

    @Test("The history is told and undone")
    func history() async throws {
        let program = try await Program()
        _ = await program.run("set", "--by", "alice", "limits.count", "5")
        _ = await program.run("set", "limits.count", "6")
        let told = await program.run("history", "limits.count")
        #expect(told.output.contains("limits.count: 5 → 6") && told.output.contains("by “alice”"), "\(told)")
        #expect(await program.run("undo").output == "limits.count is as it was before.\n")
        #expect(await program.run("get", "limits.count").output == "5\n")
        #expect(await program.run("undo", "--last-by", "alice").code == 0)
        #expect(await program.run("get", "limits.count").output == "3\n")
        let entries = try SettingValue(json: Data(await program.run("history", "--json", "--limit", "2").output.utf8))
        guard case .array(let list) = entries else { return #expect(Bool(false), "\(entries)") }
        #expect(list.count == 2)
        try await program.store.close()
    }

    @Test("Changes are told as they come, one JSON line each, and go on after a token")
    func watch() async throws {
        let program = try await Program()
        let group = try await program.store.group(App.self)
        try await group.commit { group.limits.name = "before" }
        let terminal = RecordingTerminal()
        let watching = Task { await program.command.run(["watch", "limits", "--json"], on: terminal) }
        try await eventually("watch follows the store") { program.store.statistics.subscribers > 0 }
        try await group.commit(author: "bob") { group.limits.count = 4 }
        try await eventually("the first change is printed") { terminal.output.contains("\n") }
        try await group.commit { group.limits.token = Secret("other") }
        try await program.store.close()
        #expect(await watching.value == 0)
        let lines = terminal.output.split(separator: "\n")
        #expect(lines.count == 2 && !terminal.output.contains("other"))
        guard case .dictionary(let first) = try SettingValue(json: Data(lines[0].utf8)) else { return }
        #expect(first["author"] == .string("bob"))
        #expect(
            first["changes"]
                == .array([
                    .dictionary(["key": .string("limits.count"), "oldValue": .integer(3), "newValue": .integer(4)])
                ]))
        guard case .string(let token)? = first["token"] else { return #expect(Bool(false), "no token") }
        #expect(ChangeToken(token) != nil)
    }
}
