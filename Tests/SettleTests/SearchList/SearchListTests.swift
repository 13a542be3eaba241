import Settle
import SettleTesting
import Testing

/// Which domain's value is in force, and what is told of it.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SearchListTests {
    let storage = InMemoryStorage()

    private func open(_ domains: SearchList.Domain...) async throws -> SettingsStore {
        try await SettingsStore.open(storage: storage, searching: SearchList(domains))
    }

    /// The next value of a sequence that must come.
    private func next(_ iterator: inout Changes.Iterator) async throws -> Change {
        try #require(await iterator.next())
    }

    @Test("The first domain with a value wins; a removal falls through and names the next holder") func order()
        async throws
    {
        let (high, low) = (TestDomain(["count": 7]), TestDomain(["count": 3, "name": "low"]))
        let store = try await open(.source("high", high), .application, .source("low", low))
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.count == 7 && settings.name == "low" && !settings.isOn)
        #expect(settings.$count.domains.current == "high" && settings.$count.domains.isCovered)
        #expect(settings.$count.domains.origin == .domain)
        #expect(settings.$name.domains.current == "low" && !settings.$name.domains.isCovered)
        #expect(!settings.$name.isDefault)
        #expect(settings.$isOn.domains.current == .declaration && settings.$isOn.isDefault)

        var changes = settings.changes.makeAsyncIterator()
        high.set([:])
        let change = try await next(&changes)
        #expect(change.origin == .domain && change.domain == "high" && change.mutations.count == 1)
        #expect(change.mutations[0].key == "count" && change.mutations[0].domain == "low")
        #expect(change.mutations[0].newValue as? Int == 3 && settings.count == 3)
        low.set([:])
        let last = try await next(&changes)
        #expect(last.mutations.map(\.key) == ["count", "name"] && settings.count == 1 && settings.name == "default")
        #expect(last.mutations.allSatisfy { $0.domain == .application })
    }

    @Test("An array or a set whose argument is repeated has the elements of all; of a number, the last one counts")
    func repeatedArguments() async throws {
        let store = try await open(
            .arguments([
                "--list", "1", "--list=2,3", "--days=4", "--days=4", "--count", "5", "--count=6", "--late", "a",
                "--late=b", "--words=x",
            ]), .application, .registration)
        var issues = store.issues.makeAsyncIterator()
        let settings = try await store.group(RepeatedGroup.self)
        #expect(settings.list == [1, 2, 3] && settings.days == [4] && settings.words == ["x"] && settings.count == 6)
        let issue = try #require(await issues.next())
        #expect(
            issue.description.contains(
                "argument 8, `--count` was given before, as argument 6, `--count`; the last one counts."), "\(issue)")
        try store.domains.register(["late": ["none"]])
        #expect(try store.keys.value(forKey: "late", as: [String].self) == ["a", "b"])
        try await store.close()
    }

    @Test("A covered write is stored and saved, is no event, and is told to followers of the application's domain")
    func covered() async throws {
        let high = TestDomain(["count": 7])
        let store = try await open(.source("high", high), .application)
        let settings = try await store.group(LayeredGroup.self)
        var effective = settings.changes.makeAsyncIterator()
        var own = store.domains[.application].changes().makeAsyncIterator()
        var issues = store.issues.makeAsyncIterator()
        let before = store.revision
        settings.count = 40
        #expect(settings.count == 7 && settings.$count.domains.stored == 40 && store.revision == before + 1)
        let change = try await next(&own)
        #expect(change.mutations.map(\.key) == ["count"] && change.mutations[0].newValue as? Int == 40)
        #expect(change.mutations[0].domain == "high" && change.origin == .local)
        let issue = try #require(await issues.next())
        #expect(issue.code == .covered && issue.key == "count" && issue.description.contains("the test's count"))
        settings.name = "x"
        #expect(try await next(&effective).mutations.map(\.key) == ["name"])
        #expect(try await next(&own).mutations.map(\.key) == ["name"])
        try await store.flush()
        #expect(storage.tree["count"] == .integer(40))
        high.set([:])
        #expect(try await next(&effective).mutations[0].newValue as? Int == 40)
        #expect(settings.count == 40 && !settings.$count.domains.isCovered && settings.$count.domains.origin == .local)
    }

    @Test("A covered write that is undone is not reported, nor is a removal") func undoneCovered() async throws {
        let store = try await open(
            .source("high", TestDomain(["count": 7, "name": "high"])), .application, .registration)
        try store.domains.register(["count": 5])
        let settings = try await store.group(LayeredGroup.self)
        var issues = store.issues.makeAsyncIterator()
        #expect(throws: TestFailure.self) {
            try settings.update {
                settings.count = 40
                throw TestFailure()
            }
        }
        try settings.$count.reset()
        try await store.domains[.registration].update { try settings.$count.reset() }
        settings.name = "x"
        settings.count = 41
        #expect(await issues.next()?.key == "name")
        #expect(await issues.next()?.key == "count")
    }

    @Test("A change in place begins with what the application's domain and those below give") func inPlace()
        async throws
    {
        let (high, low) = (TestDomain(["count": 70, "list": [9]]), TestDomain(["count": 20]))
        let store = try await open(.source("high", high), .application, .source("low", low))
        let settings = try await store.group(LayeredGroup.self)
        settings.count += 1
        settings.list.append(1)
        #expect(settings.$count.domains.stored == 21 && settings.$list.domains.stored == [1] && settings.count == 70)
        settings.count += 1
        try settings.update { settings.count += 1 }
        try settings.$count.modify { $0 += 1 }
        #expect(settings.$count.domains.stored == 24)
        // A key path reads and writes separately.
        let path: ReferenceWritableKeyPath<LayeredGroup, Int> = \.count
        settings[keyPath: path] += 1
        #expect(settings.$count.domains.stored == 71)
        settings.count = 24
        try await store.flush()
        #expect(storage.tree == plainTree(["count": 24, "list": [1]]))
    }

    @Test("A write that equals what a lower domain gives pins the value without an event") func pin() async throws {
        let low = TestDomain(["count": 3])
        let store = try await open(.application, .source("low", low))
        let settings = try await store.group(LayeredGroup.self)
        var changes = settings.changes.makeAsyncIterator()
        settings.count = 3
        #expect(settings.$count.domains.stored == 3 && settings.$count.domains.current == .application)
        low.set(["count": 8, "name": "moved"])
        let change = try await next(&changes)
        #expect(change.mutations.map(\.key) == ["name"] && settings.count == 3)
        try settings.$count.reset()
        #expect(settings.count == 8 && settings.$count.domains.stored == nil)
        try await store.flush()
        #expect(storage.tree == SettingTree())
    }

    @Test("A value that can't be used is skipped with an issue, and the next domain is asked") func unusable()
        async throws
    {
        let high = TestDomain(["count": 101, "name": ["x": 1]])
        let store = try await open(.source("high", high), .application, .source("low", TestDomain(["count": 4])))
        let settings = try await store.group(LayeredGroup.self)
        var issues = store.issues.makeAsyncIterator()
        #expect(settings.count == 4 && settings.name == "default")
        let first = try #require(await issues.next())
        #expect(first.code == .unusableValue && first.key == "count" && first.rule == "in 0...100")
        #expect(first.description.contains("the test's count (high)"))
        #expect(try #require(await issues.next()).key == "name")
    }

    @Test("A locked key can't be written in any way, and a bad locked value never lets the user's in") func locked()
        async throws
    {
        let managed = TestDomain(["count": 5, "inner": ["level": 0.25]])
        let store = try await open(.source("managed", managed, locksKeys: true), .application)
        let settings = try await store.group(LayeredGroup.self)
        try #require(settings.count == 5 && settings.$count.domains.isLocked && !settings.$name.domains.isLocked)
        let names = ["the test's count", "managed"]
        #expect { try settings.$count.set(6) } throws: { error in
            let error = error as? SettingsError
            return error?.code == .locked && names.allSatisfy { error?.description.contains($0) == true }
        }
        #expect(throws: SettingsError.self) { try settings.$count.reset() }
        #expect(throws: SettingsError.self) { try store.keys.setValue(6, forKey: "count") }
        #expect(throws: SettingsError.self) { try store.keys.removeValue(forKey: "inner.level") }
        #expect(throws: SettingsError.self) { try settings.update { settings.inner.level = 1 } }
        await #expect(throws: SettingsError.self) { try await settings.commit { settings.count += 1 } }
        try settings.reset()
        #expect(settings.count == 5 && settings.inner.level == 0.25 && settings.$count.domains.stored == nil)
        var counts = settings.$count.makeAsyncIterator()
        #expect(await counts.next() == 5)
        managed.set(["count": 6])
        #expect(await counts.next() == 6)
        managed.set(["count": 101])
        var issues = store.issues.makeAsyncIterator()
        while let issue = await issues.next(), issue.code != .unusableValue {}
        #expect(settings.count == 6 && settings.$count.domains.isLocked)
    }

    @Test(
        "A lock at a path locks the name with dots, and the other way round, declared or not",
        arguments: [false, true], [false, true])
    func lockedSpellings(isPath: Bool, isDeclared: Bool) async throws {
        let storage = InMemoryStorage(SettingTree(["inner.level": .real(0.75)]))
        let managed = TestDomain(isPath ? ["inner": ["level": 0.25]] : ["inner.level": 0.25])
        let store = try await SettingsStore.open(
            storage: storage, searching: SearchList([.source("managed", managed, locksKeys: true), .application]))
        let settings = isDeclared ? try await store.group(LayeredGroup.self) : nil
        for key in ["inner.level", "inner\\.level"] {
            for value in [SettingValue.real(1), nil] {
                let error = #expect(throws: SettingsError.self) {
                    if let value {
                        try store.keys.setValue(value, forKey: key)
                    } else {
                        try store.keys.removeValue(forKey: key)
                    }
                }
                #expect(error?.code == .locked, "\(key)")
            }
        }
        #expect(settings?.inner.level ?? 0.25 == 0.25)
        try store.keys.setValue(1, forKey: "inner\\.other")
        try await store.flush()
        #expect(storage.tree == SettingTree(["inner.level": .real(0.75), "inner.other": .integer(1)]))
    }

    @Test(
        "A value under an earlier name is followed, whether the name is a path or has dots", arguments: [true, false])
    func renamed(isPath: Bool) async throws {
        let values = { (level: Double) -> [String: Any] in
            isPath ? ["old": ["level": level]] : ["old.level": level]
        }
        let low = TestDomain(values(0.25))
        let store = try await SettingsStore.open(
            storage: storage, searching: [.application, .source("low", low)],
            migrations: [.rename("old.level", to: "inner.level")])
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.inner.level == 0.25)
        low.set(values(0.75))
        try await store.reload()
        #expect(settings.inner.level == 0.75)
        low.set([:])
        try await store.reload()
        #expect(settings.inner.level == 0.5 && settings.inner.$level.isDefault)
    }

    @Test("A single key in a dictionary under an earlier name is followed") func renamedDictionary() async throws {
        let store = try await SettingsStore.open(
            storage: storage, searching: [.application, .registration], migrations: [.rename("old", to: "routes")])
        let settings = try await store.group(RoutesGroup.self)
        try store.domains.register(["old.a": 1])
        #expect(settings.routes == ["a": 1])
        try await store.close()
    }

    @Test("An owner's settings have the application's value or the default") func owner() async throws {
        let high = TestDomain(["attempts": 0, "lock": ["attempts": 0]])
        let store = try await open(.source("high", high), .application, .source("low", TestDomain(["attempts": 9])))
        let lock = try await store.group(OwnedLayeredGroup.self)
        #expect(lock.attempts == 0)
        lock.attempts += 3
        #expect(lock.attempts == 3 && lock.$attempts.domains.current == .application)
        high.set(["attempts": 1])
        try await store.flush()
        #expect(lock.attempts == 3 && storage.tree["attempts"] == .integer(3))
    }

    @Test("A domain that fails keeps its last good values and reports once") func failing() async throws {
        let domain = TestDomain(["count": 7])
        let store = try await open(.source("high", domain), .application)
        let settings = try await store.group(LayeredGroup.self)
        var issues = store.issues.makeAsyncIterator()
        domain.fail(StorageError(.unreadable, "gone"))
        let issue = try #require(await issues.next())
        #expect(issue.code == .domain && issue.description.contains("high") && settings.count == 7)
        var counts = settings.$count.makeAsyncIterator()
        #expect(await counts.next() == 7)
        domain.set(["count": 8])
        #expect(await counts.next() == 8)
    }
}

private struct RoutesGroup: SettingsGroup {
    @Setting var routes: [String: Int] = [:]
}

private struct RepeatedGroup: SettingsGroup {
    @Setting var list: [Int] = []
    @Setting var days: Set<Int> = []
    @Setting var words: [String]?
    @Setting var count = 1
}
