import Testing

@testable import Settle

/// What steps make of values, without a storage.
@Suite struct MigrationPlanTests {
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
        #expect(failure.step == "convert pause from Int to Duration" && failure.key == "pause")
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

    @Test("Nothing runs on what a newer program has migrated") func ahead() throws {
        let record = MigrationRecord(in: try tree(#"{"$settle": {"migrations": ["new"]}}"#))
        #expect(try MigrationPlan([.remove("a")], recorded: record).due.isEmpty)
        #expect(record.foreignStep(besides: ["remove a"]) == "new" && record.foreignStep(besides: ["new"]) == nil)
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
        let time = try ContinuousClock().measure { result = try plan.apply(to: tree) }
        #expect(result?["new.k99999"] == .integer(99_999) && time < .seconds(5))
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
