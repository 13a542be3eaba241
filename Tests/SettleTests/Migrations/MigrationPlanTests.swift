import SettleTestSupport
import Testing

@testable import Settle

/// What steps make of values, without a storage.
@Suite(.timeLimit(.minutes(10))) struct MigrationPlanTests {
    private func tree(_ json: String) throws -> SettingTree {
        try FileFormat.json.decode([UInt8](json.utf8))
    }

    private func migrate(_ json: String, _ list: [SettingsMigration]) throws -> SettingTree {
        var tree = try tree(json)
        let record = MigrationRecord(takenFrom: &tree)
        return try MigrationPlan(list, recorded: record).apply(to: tree)
    }

    /// The values afterwards, without the record.
    private func values(_ json: String, _ list: SettingsMigration...) throws -> SettingTree {
        var tree = try migrate(json, list)
        _ = MigrationRecord(takenFrom: &tree)
        return tree
    }

    private func failure(_ json: String, _ list: SettingsMigration...) -> MigrationFailure? {
        do {
            _ = try migrate(json, list)
            return nil
        } catch {
            return error as? MigrationFailure
        }
    }

    // MARK: Steps

    @Test("A renamed key keeps its value, and one that has the new name already wins") func rename() throws {
        let step = SettingsMigration.rename("theme", to: "look.theme")
        #expect(try values(#"{"theme": "dark", "a": 1}"#, step) == tree(#"{"look": {"theme": "dark"}, "a": 1}"#))
        #expect(try values(#"{"theme": 1, "look": {"theme": 2}}"#, step) == tree(#"{"look": {"theme": 2}}"#))
        #expect(try values(#"{"a": {"b": 1}}"#, .rename("a.b", to: "a")) == tree(#"{"a": 1}"#))
        #expect(try values(#"{"a": 1}"#, .rename("a", to: "a.b")) == tree(#"{"a": {"b": 1}}"#))
        #expect(try values(#"{"a": 1}"#, .rename("a", to: "a")) == tree(#"{"a": 1}"#))
    }

    @Test("A group moves with everything in it, and key by key what is there already wins") func move() throws {
        let step = SettingsMigration.move("user", to: "accounts.main")
        let moved = try values(
            #"{"user": {"name": "a", "age": {"years": 3}}, "accounts": {"main": {"name": "b"}}}"#, step)
        #expect(try moved == tree(#"{"accounts": {"main": {"name": "b", "age": {"years": 3}}}}"#))
        #expect(try values(#"{"a": {"b": 1}}"#, .move("a", to: "a.c")) == tree(#"{"a": {"c": {"b": 1}}}"#))
    }

    @Test("Removing takes a key or a whole group") func remove() throws {
        #expect(
            try values(#"{"a": {"b": 1, "c": 2}, "d": 3}"#, .remove("a.b"), .remove("d")) == tree(#"{"a": {"c": 2}}"#))
        #expect(try values(#"{"a": {"b": 1}}"#, .remove("a")) == SettingTree())
    }

    @Test("A converted value has the other type, and one of the wrong type fails, naming step and key")
    func convert() throws {
        let step = SettingsMigration.convert("pause", from: Int.self, to: Duration.self) { .milliseconds($0) }
        let expected = try SettingCodec<Duration>.standard.encode(.milliseconds(1500))
        #expect(try values(#"{"pause": 1500}"#, step)["pause"] == expected)
        let failure = try #require(self.failure(#"{"pause": "secret"}"#, step))
        #expect(failure.step == "convert pause" && failure.key == "pause")
        #expect(!failure.description.contains("secret") && failure.description.contains("string of 6 characters"))
    }

    @Test("What a closure throws fails its step, and names the key where that is known") func throwing() throws {
        struct Wrong: Error {}
        let convert = SettingsMigration.convert("a", from: Int.self, to: Int.self) { _ in throw Wrong() }
        #expect(failure(#"{"a": 1}"#, convert)?.key == "a" && failure(#"{"b": 1}"#, convert) == nil)
        let any = SettingsMigration("any") { _ in throw Wrong() }
        #expect(failure("{}", any).map { $0.key == nil && $0.step == "any" && $0.underlying is Wrong } == true)
        let typed = SettingsMigration("typed") { _ = try $0.value(Bool.self, forKey: "x.y") }
        #expect(failure(#"{"x": {"y": 3}}"#, typed)?.key == "x.y")
    }

    @Test("A value is split into several, and several are merged into one") func splitAndMerge() throws {
        let split = SettingsMigration.split("size", from: [Int].self) { ["width": $0[0], "box.height": "\($0[1])"] }
        #expect(try values(#"{"size": [3, 4]}"#, split) == tree(#"{"width": 3, "box": {"height": "4"}}"#))
        let merge = SettingsMigration.merge(["first", "last"], to: "name") { tree in
            let names = [try tree.value(String.self, forKey: "first"), try tree.value(String.self, forKey: "last")]
            return names.compactMap { $0 }.joined(separator: " ")
        }
        #expect(try values(#"{"first": "A", "last": "B"}"#, merge) == tree(#"{"name": "A B"}"#))
        #expect(try values(#"{"last": "B"}"#, merge) == tree(#"{"name": "B"}"#))
        #expect(try values("{}", merge, split) == SettingTree())
        #expect(failure(#"{"first": 1}"#, merge)?.key == "first")
    }

    @Test("Every step finds a value under a name with dots, as the settings do") func dottedNames() throws {
        #expect(try values(#"{"a.b": 7}"#, .rename("a.b", to: "c.d")) == tree(#"{"c": {"d": 7}}"#))
        #expect(try values(#"{"a": 7, "c.d": 8}"#, .rename("a", to: "c.d")) == tree(#"{"c.d": 8}"#))
        #expect(try values(#"{"x": {"a.b": 7}}"#, .rename("x.a.b", to: "y")) == tree(#"{"y": 7}"#))
        let convert = SettingsMigration.convert("a.b", from: Int.self, to: String.self) { "\($0)" }
        #expect(try values(#"{"a.b": 7}"#, convert) == tree(#"{"a.b": "7"}"#))
        let split = SettingsMigration.split("a.b", from: Int.self) { ["x": $0, "c.d": $0 + 1] }
        #expect(try values(#"{"a.b": 7, "c.d": 0}"#, split) == tree(#"{"x": 7, "c.d": 8}"#))
        let merge = SettingsMigration.merge(["a.b", "c"], to: "sum") { tree in
            try (tree.value(Int.self, forKey: "a.b") ?? 0) + (tree.value(Int.self, forKey: "c") ?? 0)
        }
        #expect(try values(#"{"a.b": 7}"#, merge) == tree(#"{"sum": 7}"#))
        #expect(try values(#"{"a.b": 7, "a": {"b": 1}}"#, .remove("a.b")) == SettingTree())
    }

    @Test("A group that moves or goes takes what is stored under names with dots along") func dottedGroups() throws {
        let json = #"{"user.name": "a", "user": {"age": 3, "x": 1}, "user.x": 2, "users.y": 4, "user.a.b": 5}"#
        let moved = try values(json, .move("user", to: "main.user"))
        #expect(try moved == tree(#"{"main": {"user": {"name": "a", "age": 3, "x": 2, "a.b": 5}}, "users.y": 4}"#))
        #expect(try values(json, .remove("user")) == tree(#"{"users.y": 4}"#))
        let inner = #"{"all": {"a.name": "a", "b": 1}}"#
        #expect(try values(inner, .move("all.a", to: "a")) == tree(#"{"all": {"b": 1}, "a": {"name": "a"}}"#))
        #expect(try values(#"{"a.b": {"c": 1}}"#, .move("a.b", to: "d")) == tree(#"{"d": {"c": 1}}"#))
        #expect(try values(#"{"a": {"c": 1}, "d.c": 2}"#, .move("a", to: "d")) == tree(#"{"d": {"c": 2}}"#))
    }

    @Test("What a group's new path has already wins, in whichever way the two spell a key within the group")
    func dottedNamesWithin() throws {
        let step = SettingsMigration.move("g", to: "h")
        #expect(
            try values(#"{"g": {"a.b": 1, "a.c": 2}, "h": {"a": {"b": 3}}}"#, step)
                == tree(#"{"h": {"a": {"b": 3}, "a.c": 2}}"#))
        #expect(
            try values(#"{"g": {"a": {"b": 1, "c": 2}, "d": {}}, "h.a.b": 3}"#, step)
                == tree(#"{"h": {"a": {"c": 2}, "a.b": 3, "d": {}}}"#))
        #expect(try values(#"{"g": {"a.b": 1}, "h": {"a": {"b": 3}}}"#, step) == tree(#"{"h": {"a": {"b": 3}}}"#))
        #expect(try values(#"{"g": 1, "h": {"a": 3}}"#, step) == tree(#"{"h": {"a": 3}}"#))
    }

    @Test("What can't be stored fails its step") func unstorable() throws {
        let step = SettingsMigration("nan") { $0["a"] = .number("x") }
        let plan = try MigrationPlan([step], recorded: MigrationRecord())
        let error = #expect(throws: MigrationFailure.self) {
            try plan.apply(to: SettingTree()) { key, value in throw StorageError(.unsupportedValue, "No \(key).") }
        }
        #expect(error?.step == "nan" && error?.key == "a")
    }

    // MARK: Which and when

    @Test("Steps run in their order, each once, and are recorded") func order() throws {
        let list: [SettingsMigration] = [.rename("a", to: "b"), .rename("b", to: "c")]
        let first = try migrate(#"{"a": 1}"#, list)
        let record = #""$settle": {"migrations": ["rename a to b", "rename b to c"]}"#
        #expect(try first == tree("{\(record), \"c\": 1}"))
        let again = try migrate("{\(record), \"a\": 2, \"c\": 1}", list + [.remove("d")])
        #expect(again["a"] == .integer(2) && again["c"] == .integer(1))
        #expect(MigrationRecord(in: again).names == ["rename a to b", "rename b to c", "remove d"])
    }

    @Test("A step that was put between others still runs, once") func inserted() throws {
        let json = #"{"$settle": {"migrations": ["remove a", "remove c"]}, "a": 1, "b": 2, "c": 3}"#
        let result = try migrate(json, [.remove("a"), .remove("b"), .remove("c")])
        #expect(result["a"] != nil && result["b"] == nil && result["c"] != nil)
    }

    private func record(_ names: String...) throws -> MigrationRecord {
        var record = MigrationRecord()
        record.add(names)
        return record
    }

    @Test("Nothing runs on what a newer program has migrated") func ahead() throws {
        let record = try record("remove a", "new")
        #expect(try MigrationPlan([.remove("a")], recorded: record).due.isEmpty)
        #expect(try MigrationPlan([], recorded: record).due.isEmpty)
        #expect(record.foreignStep(besides: ["remove a"]) == "new")
        #expect(record.foreignStep(besides: ["remove a", "new"]) == nil)
    }

    private struct Pinned: Codable, Sendable {}
    private struct Pin: Codable, Sendable {}

    @Test("A default name has no type in it, so that a renamed type changes no name") func renamedType() {
        let (old, new) = (Pinned.self, Pin.self)
        #expect(
            SettingsMigration.convert("a.b", from: old, to: old) { $0 }.name
                == SettingsMigration.convert("a.b", from: new, to: new) { $0 }.name)
        #expect(SettingsMigration.split("a", from: old) { ["b": $0] }.name == "split a")
    }

    @Test("A conversion that is recorded with its types, as earlier versions did, has been made")
    func oldSpelling() throws {
        let convert = SettingsMigration.convert("a", from: Int.self, to: Double.self) { Double($0) / 2 }
        let other = SettingsMigration.convert("a.b", from: Int.self, to: Int.self) { $0 }
        let old = try record("convert a from Int to Pinned<String>")
        #expect(try MigrationPlan([convert, other], recorded: old).due.map(\.name) == ["convert a.b"])
        #expect(old.foreignStep(besides: [convert.name]) == nil && old.foreignStep(besides: [other.name]) != nil)
        // A step that has the recorded name goes before one that would be known by it, and none is known twice.
        let both = try record("convert a from Int to Double", "convert a from Double to String")
        let second = SettingsMigration("convert a from Double to String") { _ in }
        #expect(try MigrationPlan([convert, second], recorded: both).due.isEmpty)
        #expect(both.foreignStep(besides: [convert.name, second.name]) == nil)
        #expect(both.foreignStep(besides: [convert.name]) == second.name)
        let lost = #expect(throws: MigrationFailure.self) {
            try MigrationPlan([convert, SettingsMigration("to text") { _ in }], recorded: both)
        }
        #expect(lost?.reason.contains("“convert a from Double to String”") == true)
    }

    @Test("A list that has lost, renamed or moved a step is refused, with the step's name and what to do")
    func lost() throws {
        let list: [SettingsMigration] = [.remove("a"), .remove("b"), .remove("c")]
        func reason(_ record: MigrationRecord, _ list: [SettingsMigration]) -> String? {
            #expect(throws: MigrationFailure.self) { try MigrationPlan(list, recorded: record) }?.reason
        }
        let dropped = try reason(record("remove a", "remove b", "remove c"), [list[0], list[2]])
        #expect(dropped?.contains("“remove b”") == true && dropped?.contains("“remove c”") == true, "\(dropped ?? "")")
        // A newer program would have made all steps of this list first.
        let renamed = try reason(record("remove a", "remove b"), [list[0], list[2]])
        #expect(renamed?.contains("“remove b”") == true && renamed?.contains("“remove c”") == true, "\(renamed ?? "")")
        #expect(renamed?.contains("Put it back") == true)
        #expect(try MigrationPlan(list.reversed(), recorded: record("remove a", "remove b", "remove c")).due.isEmpty)
    }

    @Test("Two steps of one name, and a record that is no list of names, are refused")
    func refused() throws {
        #expect(failure("{}", .remove("a"), .remove("a"))?.description.contains("“remove a”") == true)
        for record in [#""x""#, #"{"migrations": "x"}"#, #"{"migrations": [1]}"#] {
            #expect(failure("{\"$settle\": \(record), \"a\": 1}", .remove("a"))?.key == "$settle", "\(record)")
        }
        let kept = try migrate(#"{"$settle": {"other": 1}}"#, [.remove("a")])
        #expect(try kept == tree(#"{"$settle": {"other": 1, "migrations": ["remove a"]}}"#))
    }

    @Test("A record that is no list of names forbids every program with a list to save", arguments: [true, false])
    func unreadable(isFile: Bool) async throws {
        let fixture = try FileStorageFixture()
        for record in [#""x""#, #"{"migrations": "x"}"#, #"{"migrations": ["a", 1]}"#] {
            let tree = try tree("{\"$settle\": \(record)}")
            #expect(MigrationRecord(in: tree).refusal(within: ["a"])?.code == .migrated, "\(record)")
            let storage: any Storage = isFile ? fixture.storage() : InMemoryStorage()
            _ = try await storage.load()
            let values = tree.root.map { (SettingKey.path($0), SettingValue?.some($1)) }
            _ = try await storage.append(
                StorageBatch(revision: 1, values: Dictionary(uniqueKeysWithValues: values)), durability: .buffered)
            var batch = StorageBatch(revision: 2, values: ["b": .integer(1)])
            batch.conditions = [.migrated(within: ["a"])]
            let error = await #expect(throws: StorageError.self) {
                try await storage.append(batch, durability: .buffered)
            }
            #expect(error?.code == .migrated && error?.description.contains("list of names") == true, "\(record)")
            batch.conditions = []
            _ = try await storage.append(batch, durability: .buffered)
            await storage.close()
        }
    }

    @Test("No step sees or changes the record") func reserved() throws {
        let seen = SettingsMigration("look") { tree in
            if tree["$settle"] != nil { throw StorageError(.unreadable, "seen") }
            tree["$settle"] = .integer(1)
        }
        let result = try migrate(#"{"$settle": {"migrations": ["old"]}}"#, [SettingsMigration("old") { _ in }, seen])
        #expect(MigrationRecord(in: result).names == ["old", "look"])
    }

    @Test("A hundred thousand keys are renamed in a moment") func growth() throws {
        var tree = SettingTree()
        tree["old"] = .dictionary(.init(uniqueKeysWithValues: (0..<100_000).map { ("k\($0)", .integer($0)) }))
        let plan = try MigrationPlan([.move("old", to: "new")], recorded: MigrationRecord())
        var result: SettingTree?
        let start = secondsOnProcessor()
        result = try plan.apply(to: tree)
        #expect(result?["new.k99999"] == .integer(99_999) && secondsOnProcessor() - start < 5)
    }

    // MARK: Old names

    @Test("Old names lead to the newest, through renamed keys and moved groups") func newNames() {
        let list: [SettingsMigration] = [
            .rename("theme", to: "look.theme"), .remove("x"), .move("look", to: "design.look"),
            .rename(#"a\.b"#, to: #"c\.d"#),
        ]
        #expect(list.newName(of: "theme") == "design.look.theme" && list.newName(of: "look.font") == "design.look.font")
        #expect(list.newName(of: #"a\.b.e\.f"#) == #"c\.d.e\.f"#)
        #expect(list.newName(of: "x") == nil && list.newName(of: "themes") == nil && list.newName(of: "design") == nil)
        #expect([SettingsMigration.rename("a", to: "b"), .rename("b", to: "a", name: "back")].newName(of: "a") == nil)
    }

    @Test("A key has all names that lead to it, the last one first, and none that another key has by now")
    func oldNames() {
        func oldNames(_ list: [SettingsMigration], of key: SettingKey) -> [SettingKey] {
            RenamedKeys(list).oldNames(of: key)
        }
        #expect(oldNames([.rename("a", to: "c"), .rename("b", to: "c")], of: "c") == ["b", "a"])
        #expect(oldNames([.rename("a", to: "b"), .rename("b", to: "c")], of: "c") == ["b", "a"])
        #expect(oldNames([.rename("x", to: "c"), .rename("c", to: "d"), .rename("b", to: "c")], of: "c") == ["b"])
        #expect(
            oldNames([.rename("x", to: "c"), .rename("c", to: "d"), .rename("b", to: "c")], of: "d") == ["c", "x"])
        #expect(oldNames([.move("g", to: "h"), .rename("a", to: "h.k")], of: "h.k") == ["a", "g.k"])
        #expect(oldNames([.rename("a", to: "b")], of: "a") == [])
    }
}
