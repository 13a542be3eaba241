import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private struct PIN: SecretValue, Codable, Equatable {
    var digits: String
}

private struct Unspellable: Codable, Equatable {
    func encode(to encoder: any Encoder) throws { throw TestFailure() }
}

private enum Mode: String, Codable, CaseIterable {
    case slow, fast
}

private struct ModeSettings: SettingsGroup {
    @Setting(.check("fast enough") { $0 != .slow }) var mode = Mode.fast
}

private struct LimitSettings: SettingsGroup {
    @Setting(.range(0...100), .check("even") { $0.isMultiple(of: 2) }) var perSecond = 10
    @Setting var until: Date?
    @Setting var names: [String: [Int]] = [:]
}

private struct ListedSettings: SettingsGroup {
    @Setting var title = "a"
    @Setting var pin: PIN?
    @Setting var odd = Unspellable()
    let limits = LimitSettings()
}

private struct OwnedSettings: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var count = 0
    let counter = CounterSettings()
}

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct ListingTests {
    @Test("A stored value that can't be used is listed with what is in force, until it can or is written")
    func storedValueUsed()
        async throws
    {
        let loaded = SettingTree([
            "limits": .dictionary(["perSecond": .string("many")]), "pin": .integer(4), "title": .string("b"),
        ])
        let storage = InMemoryStorage(loaded)
        let store = try await SettingsStore.open(storage: storage, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(ListedSettings.self)
        #expect(store.settings.filter { $0.problem != nil }.map(\.key) == ["limits.perSecond", "pin"])
        let atFirst = try #require(store.keys.setting(forKey: "limits.perSecond"))
        #expect(atFirst.value == .integer(10) && atFirst.problem?.stored == .string("many"))
        #expect(atFirst.problem?.description.contains("The default is used instead") == true)
        let secret = try #require(store.keys.setting(forKey: "pin")?.problem)
        #expect(secret.stored == nil && !secret.description.contains("4"))

        storage.simulateExternalChange(["limits.perSecond": .integer(20)])
        try await settings.commit {}
        #expect(store.keys.setting(forKey: "limits.perSecond")?.problem == nil && settings.limits.perSecond == 20)
        storage.simulateExternalChange(["limits.perSecond": .integer(21)])
        try await settings.commit {}
        let edited = try #require(store.keys.setting(forKey: "limits.perSecond"))
        #expect(edited.value == .integer(20) && edited.problem?.stored == .integer(21))
        #expect(edited.problem?.rule == "even")
        #expect(edited.problem?.description.contains("The last good value, 20, stays in force") == true)
        // Edited back to the value in force, which is no change.
        storage.simulateExternalChange(["limits.perSecond": .integer(20)])
        try await settings.commit {}
        #expect(store.keys.setting(forKey: "limits.perSecond")?.problem == nil)
        storage.simulateExternalChange(["limits.perSecond": .integer(21)])
        try await settings.commit {}
        try store.update {
            settings.limits.perSecond = 30
            #expect(store.keys.setting(forKey: "limits.perSecond")?.problem == nil)
        }
        #expect(store.keys.setting(forKey: "limits.perSecond")?.problem == nil)
        try await store.flush()
        #expect(store.settings.filter { $0.problem != nil }.map(\.key) == ["pin"])
    }

    @Test("Every declared setting is listed by key, with its type, value, default, rules and origin")
    func listing() async throws {
        let storage = InMemoryStorage(SettingTree(["title": .string("b"), "undeclared": .bool(true)]))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(ListedSettings.self)
        try store.keys.setValue(1, forKey: "alsoUndeclared")
        settings.limits.perSecond = 20
        let listed = store.settings
        #expect(listed.map(\.key) == ["limits.names", "limits.perSecond", "limits.until", "odd", "pin", "title"])
        #expect(listed.map(\.type) == ["[String: [Int]]", "Int", "Date?", "Unspellable", "PIN?", "String"])
        #expect(
            listed.map(\.value) == [.dictionary([:]), .integer(20), .null, nil, nil, .string("b")])
        #expect(
            listed.map(\.defaultValue) == [.dictionary([:]), .integer(10), .null, nil, nil, .string("a")])
        #expect(listed[1].rules.map(\.description) == ["in 0...100", "even"] && listed[0].rules == [])
        #expect(listed.map(\.origin) == [.default, .local, .default, .default, .default, .loaded])
        #expect(listed.map(\.isDefault) == [true, false, true, true, true, false])
        #expect(listed.map(\.isSecret) == [false, false, false, false, true, false])
        #expect(listed.allSatisfy { $0.access == .open })
        withExtendedLifetime(settings) {}
    }

    @Test("An enumeration's cases are listed as the first rule of its setting")
    func cases() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(ModeSettings.self)
        #expect(store.settings.map { $0.rules.map(\.description) } == [["one of \"slow\", \"fast\"", "fast enough"]])
        withExtendedLifetime(settings) {}
    }

    @Test("A declared setting is found by its key, an undeclared one is not") func single() async throws {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(SettingTree(["stored": .integer(1)])))
        let settings = try await store.group(OuterSettings.self)
        #expect(store.keys.setting(forKey: "inner.count") == store.settings.first { $0.key == "inner.count" })
        #expect(store.keys.setting(forKey: "inner.count")?.value == .integer(0))
        #expect(store.keys.setting(forKey: "inner") == nil)
        #expect(store.keys.setting(forKey: "stored") == nil)
        withExtendedLifetime(settings) {}
    }

    @Test("A declaration stays until it is released, even if the group is no longer in use")
    func letGo() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        _ = try await store.group(CounterSettings.self, at: "a")
        #expect(store.settings.count == 5)
        #expect(throws: SettingsError.self) { try store.keys.setValue("x", forKey: "a.count") }
        try await store.release(at: "a")
        #expect(store.settings.isEmpty)
    }

    @Test("An owner's group is listed with owner access, and so are the groups within it") func access() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let owned = try await store.group(OwnedSettings.self, at: "owned")
        let open = try await store.group(CounterSettings.self, at: "open")
        #expect(store.keys.setting(forKey: "owned.count")?.access == .owner)
        #expect(store.keys.setting(forKey: "owned.counter.name")?.access == .owner)
        #expect(store.keys.setting(forKey: "open.name")?.access == .open)
        withExtendedLifetime((owned, open)) {}
    }

    @Test("A transaction sees its own writes in the list, and other threads do not before it ends")
    func insideTransaction() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(CounterSettings.self)
        settings.other = 5
        try settings.update {
            settings.count = 3
            try settings.$other.reset()
            let count = try #require(store.keys.setting(forKey: "count"))
            #expect(count.value == .integer(3) && !count.isDefault && count.origin == .local)
            let other = try #require(store.keys.setting(forKey: "other"))
            #expect(other.value == .integer(0) && other.isDefault)
        }
        let seen = try await onThreadWhileWriting(settings) { store.keys.setting(forKey: "count")?.value }
        #expect(seen == .integer(3))
    }

    /// What another thread sees while this transaction has written 99 and not ended.
    private func onThreadWhileWriting<Result: Sendable>(
        _ settings: CounterSettings, _ look: @escaping @Sendable () -> Result
    ) async throws -> Result {
        let gate = Gate()
        async let writer: Void = onThread {
            try? settings.update {
                settings.count = 99
                gate.pass()
            }
        }
        await gate.waitUntilReached()
        let seen = await onThread(look)
        gate.open()
        await writer
        return seen
    }

    @Test("A list never shows half of a transaction") func atomicity() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let balance = try await store.group(BalanceSettings.self)
        async let writing: Void = onThread {
            for number in 0..<3_000 {
                try? balance.update {
                    balance.left -= number % 7
                    balance.right += number % 7
                }
            }
        }
        let sums = await onThread {
            (0..<3_000).map { _ in
                store.settings.reduce(Int64(0)) { sum, info in
                    if case .integer(let value)? = info.value { sum + value } else { sum }
                }
            }
        }
        await writing
        #expect(sums.allSatisfy { $0 == 1_000 })
    }

    // MARK: Writing values from JSON

    @Test("A value from JSON is converted to its setting's type") func writing() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(ListedSettings.self)
        try store.keys.setValue(
            SettingValue(json: Data("\"2001-01-01T00:00:10Z\"".utf8)), forKey: "limits.until", author: "me")
        #expect(settings.limits.until == Date(timeIntervalSinceReferenceDate: 10))
        try store.keys.setValue(SettingValue(json: Data("{\"a\": [1, 2.0]}".utf8)), forKey: "limits.names")
        #expect(settings.limits.names == ["a": [1, 2]])
        try store.keys.setValue(.array([.null]), forKey: "undeclared")
        #expect(try store.keys.value(forKey: "undeclared", as: [Int?].self) == [nil])
    }

    @Test("A value that does not fit is refused with a sentence that names the key and the expected type")
    func refusals() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(ListedSettings.self)
        func refusal(_ value: SettingValue, _ key: String) -> SettingsError? {
            #expect(throws: SettingsError.self) { try store.keys.setValue(value, forKey: key) }
        }
        let wrongType = refusal(.string("abc"), "limits.perSecond")
        #expect(wrongType?.code == .unusableValue && wrongType?.key == "limits.perSecond")
        #expect(wrongType?.value as? SettingValue == .string("abc"))
        #expect(
            wrongType?.description
                == "“limits.perSecond” can't be \"abc\": expected an integer, "
                + "found a string of 3 characters.")
        let long = refusal(.string(String(repeating: "x", count: 60)), "limits.until")
        #expect(
            long?.description.hasPrefix("“limits.until” can't be a string of 60 characters: expected a date") == true)
        #expect(
            refusal(.dictionary(["a": .array([.bool(true)])]), "limits.names")?.description.contains(" at a.0,") == true
        )
        let broken = refusal(.integer(101), "limits.perSecond")
        #expect(broken?.code == .invalidValue && broken?.rule == "in 0...100")
        #expect(refusal(.integer(1), "")?.code == .invalidKey)
        #expect(refusal(.integer(1), "limits")?.code == .duplicateKey)
        #expect(settings.limits.perSecond == 10 && store.revision == 0)
        let generic = #expect(throws: SettingsError.self) { try store.keys.setValue("abc", forKey: "limits.perSecond") }
        #expect(generic?.description == wrongType?.description && generic?.value as? String == "abc")
        let asked = #expect(throws: SettingsError.self) { try store.keys.value(forKey: "title", as: Int.self) }
        #expect(asked?.description.hasPrefix("“title” is not Int: expected an integer") == true)
    }
}
