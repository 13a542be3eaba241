import Settle
import SettleTesting
import Synchronization
import Testing

/// A value that runs foreign code in one of its methods.
private final class HostileValue: Codable, Sendable, Hashable {
    /// Where foreign code runs.
    enum Position: CaseIterable, Sendable { case equality, hash, encoding, decoding, release }

    let number: Int

    init(_ number: Int) { self.number = number }

    deinit { Hostility.run(.release) }

    convenience init(from decoder: any Decoder) throws {
        Hostility.run(.decoding)
        self.init(try decoder.singleValueContainer().decode(Int.self))
    }

    func encode(to encoder: any Encoder) throws {
        Hostility.run(.encoding)
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    static func == (first: HostileValue, second: HostileValue) -> Bool {
        Hostility.run(.equality)
        return first.number == second.number
    }

    func hash(into hasher: inout Hasher) {
        Hostility.run(.hash)
        hasher.combine(number)
    }
}

/// What the current task's foreign code does.
private final class Hostility: Sendable {
    @TaskLocal static var current: Hostility?

    let position: HostileValue.Position?
    let action: @Sendable () -> Void
    private let isRunning = LockedValue(false)
    private let runs = Atomic(0)

    var count: Int { runs.load(ordering: .relaxed) }

    init(_ position: HostileValue.Position?, _ action: @escaping @Sendable () -> Void) {
        self.position = position
        self.action = action
    }

    static func run(_ position: HostileValue.Position) {
        guard let current, current.position == position else { return }
        // The foreign code must not run itself again.
        guard
            current.isRunning.withLock({ isRunning in
                defer { isRunning = true }; return !isRunning
            })
        else { return }
        current.action()
        current.runs.add(1, ordering: .relaxed)
        current.isRunning.withLock { $0 = false }
    }
}

private struct HostileSettings: SettingsGroup {
    @Setting var value = HostileValue(0)
    @Setting var values: Set<HostileValue> = []
    @Setting(.check("anything") { _ in HostileRule.run() }) var ruled = 0
    @Setting var count = 0
    @Setting var total = 0
    @Setting var name = ""
    @Setting(in: 0...10) var bounded = 0
}

private enum HostileRule {
    @TaskLocal static var action: (@Sendable () -> Void)?
    static func run() -> Bool {
        guard let action else { return true }
        // The foreign code must not run itself again.
        $action.withValue(nil) { action() }
        return true
    }
}

/// A group whose rule writes another setting, on whichever thread it runs.
private struct WritingRuleSettings: SettingsGroup {
    @Setting(.check("anything") { _ in WritingRuleSettings.rule.withLock { $0 }?() ?? true }) var ruled = 0
    @Setting var count = 0

    static let rule = LockedValue<(@Sendable () -> Bool)?>(nil)
}

/// The same with a rule that overwrites a setting merged together with it.
private struct OverwritingRuleSettings: SettingsGroup {
    @Setting var count = 0
    @Setting(.check("anything") { _ in OverwritingRuleSettings.rule.withLock { $0 }?() ?? true }) var ruled = 0

    static let rule = LockedValue<(@Sendable () -> Bool)?>(nil)
}

/// A group whose rule runs foreign code that can't fail.
private struct RefusingRuleSettings: SettingsGroup {
    @Setting(.check("anything") { _ in RefusingRuleSettings.check() }) var ruled = 0
    @Setting(in: 0...10) var bounded = 0

    static let action = LockedValue<(@Sendable () -> Void)?>(nil)

    private static func check() -> Bool {
        action.withLock { $0 }?()
        return true
    }
}

/// Foreign code at every point of a write.
@Suite(.timeLimit(.minutes(10))) struct HostileWriteTests {
    @Test("An assignment that is refused while values are compared undoes the transaction") func refusedLate() throws {
        let settings = HostileSettings()
        let hostility = Hostility(.equality) { settings.bounded = 11 }
        Hostility.$current.withValue(hostility) {
            let error = #expect(throws: SettingsError.self) {
                try settings.update { settings.value = HostileValue(2) }
            }
            #expect(error?.code == .invalidValue && error?.key == "bounded")
        }
        #expect(hostility.count == 1 && settings.value.number == 0)
    }

    @Test("An assignment that is refused while others' changes are merged is reported, and undoes nothing")
    func refusedInMerge() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(RefusingRuleSettings.self)
        let (values, issues) = (ChangeRecorder(settings.$ruled), ChangeRecorder(store.issues))
        RefusingRuleSettings.action.withLock { $0 = { settings.bounded = 11 } }
        storage.simulateExternalChange(["ruled": .integer(5)])
        #expect(await values.until { $0.last == 5 }.last == 5)
        #expect(await issues.until { !$0.isEmpty }.last?.key == "bounded")
        RefusingRuleSettings.action.withLock { $0 = nil }
        #expect(settings.bounded == 0)
        try await store.close()
    }

    /// All ways of writing a value.
    private func writes(
        _ settings: HostileSettings, _ store: SettingsStore
    ) -> [(name: String, write: @Sendable (Int) throws -> Void)] {
        [
            ("assignment", { settings.value = HostileValue($0) }),
            ("equal assignment", { _ in settings.value = HostileValue(settings.value.number) }),
            ("set", { try settings.$value.set(HostileValue($0)) }),
            ("modify", { number in try settings.$value.modify { $0 = HostileValue(number) } }),
            ("update", { number in try settings.update { settings.value = HostileValue(number) } }),
            (
                "update of an equal value",
                { _ in try settings.update { settings.value = HostileValue(settings.value.number) } }
            ),
            (
                "update that replaces what it has staged",
                { number in
                    try settings.update {
                        settings.value = HostileValue(-number)
                        settings.value = HostileValue(number)
                    }
                }
            ),
            (
                "nested updates",
                { number in
                    try settings.update {
                        settings.value = HostileValue(-1)
                        try settings.update { settings.value = HostileValue(number) }
                    }
                }
            ),
            (
                "undone inner update",
                { number in
                    try settings.update {
                        settings.value = HostileValue(number)
                        try? settings.update {
                            settings.value = HostileValue(-number)
                            throw TestFailure()
                        }
                    }
                }
            ),
            (
                "undone update",
                { number in
                    try? settings.update {
                        settings.value = HostileValue(number)
                        throw TestFailure()
                    }
                }
            ),
            ("element of a set", { settings.values.insert(HostileValue($0)) }),
            ("reset", { _ in try settings.$value.reset() }),
            ("by key", { try store.keys.setValue($0, forKey: "value") }),
            ("with a rule", { settings.ruled = $0 }),
        ]
    }

    @Test("Foreign code's writes are published and saved, lose nothing and hang nothing")
    func everywhere() async throws {
        for position in HostileValue.Position.allCases {
            let storage = InMemoryStorage()
            let store = try await SettingsStore.open(storage: storage)
            let settings = try await store.group(HostileSettings.self)
            for (name, write) in writes(settings, store) {
                let hostility = Hostility(position) {
                    settings.count += 1
                    try? settings.update { settings.total += 1 }
                    settings.name = "\(store.revision)"
                    _ = settings.snapshot { $0.count }
                    _ = settings.snapshot()
                }
                let before = settings.count
                try Hostility.$current.withValue(hostility) {
                    for number in 1...20 { try write(number) }
                }
                #expect(
                    settings.count == before + hostility.count && settings.total == settings.count,
                    "\(name) with foreign code in \(position)")
                settings.count += 1
                settings.total += 1
                try #require(settings.$count.value == before + hostility.count + 1, "stuck after \(name), \(position)")
            }
            try await store.flush()
            #expect(storage.tree["count"] == .integer(Int64(settings.count)), "\(position)")
            #expect(storage.tree["total"] == .integer(Int64(settings.total)), "\(position)")
            try await store.close()
        }
    }

    @Test("A comparison that writes its own setting ends, and the outer write wins")
    func comparisonThatWritesItself() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(HostileSettings.self)
        let hostility = Hostility(.equality) { settings.value = HostileValue(100) }
        try Hostility.$current.withValue(hostility) {
            settings.value = HostileValue(1)
            #expect(settings.$value.value.number == 1)
            try settings.update { settings.value = HostileValue(2) }
        }
        #expect(hostility.count > 0)
        settings.value = HostileValue(3)
        #expect(settings.value.number == 3)
        // Even if the value was equal before the comparison.
        Hostility.$current.withValue(hostility) {
            settings.value = HostileValue(3)
            #expect(settings.$value.value.number == 3)
        }
    }

    @Test("A rule may write other settings, in every way of writing")
    func rules() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(HostileSettings.self)
        let action: @Sendable () -> Void = {
            settings.count += 1
            try? settings.update { settings.total += 1 }
        }
        try HostileRule.$action.withValue(action) {
            settings.ruled = 1
            settings.ruled += 1
            try settings.$ruled.set(3)
            try settings.$ruled.modify { $0 += 1 }
            try settings.update { settings.ruled = 5 }
            try store.keys.setValue(6, forKey: "ruled")
        }
        #expect(settings.ruled == 6 && settings.count == settings.total && settings.count >= 6)
        try await store.flush()
        #expect(storage.tree["count"] == .integer(Int64(settings.count)))
    }

    @Test("A deinit's write during a rollback is a write of its own")
    func writeAtUndo() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(HostileSettings.self)
        // Only a plain write, which neither begins nor ends a transaction.
        let hostility = Hostility(.release) { settings.count += 1 }
        Hostility.$current.withValue(hostility) {
            for number in 1...3 {
                try? settings.update {
                    settings.value = HostileValue(number)
                    throw TestFailure()
                }
                #expect(settings.count == 2 * number - 1)
                try? settings.update {
                    try? settings.update {
                        settings.value = HostileValue(number)
                        throw TestFailure()
                    }
                }
                #expect(settings.count == 2 * number)
            }
        }
        #expect(hostility.count == 6 && settings.count == 6 && settings.value.number == 0)
    }

    @Test("A change has the values in force even if every comparison writes another one")
    func comparisonThatAlwaysWrites() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(HostileSettings.self)
        let recorder = ChangeRecorder(store.changes)
        let hostility = Hostility(.equality) { settings.count += 1 }
        try Hostility.$current.withValue(hostility) {
            try settings.update {
                // Written before the value, so that it is examined before the comparison.
                settings.count = 0
                settings.value = HostileValue(1)
            }
        }
        let change = try #require(await recorder.next())
        let told = change.mutations.first { $0.key == "count" }
        #expect(hostility.count > 1 && settings.count == hostility.count)
        #expect(told?.newValue as? Int == settings.count && settings.value.number == 1)
    }

    @Test("A rule's writes while an external change is merged are saved, and the external values are not saved again")
    func duringExternalChange() async throws {
        let storage = InMemoryStorage()
        let recording = RecordingStorage(storage)
        let store = try await SettingsStore.open(storage: recording)
        let settings = try await store.group(WritingRuleSettings.self)
        WritingRuleSettings.rule.withLock { rule in
            rule = {
                if settings.count == 0 { settings.count = 7 }
                return true
            }
        }
        defer { WritingRuleSettings.rule.withLock { $0 = nil } }
        storage.simulateExternalChange(["ruled": .integer(5)])
        for await ruled in settings.$ruled where ruled == 5 { break }
        #expect(settings.count == 7)
        try await store.flush()
        #expect(storage.tree["count"] == .integer(7) && storage.tree["ruled"] == .integer(5))
        #expect(recording.batches.allSatisfy { $0.values["ruled"] == nil })
    }

    @Test("A rule's write or reset over a value of the same external change is saved")
    func overExternalChange() async throws {
        let storage = InMemoryStorage(SettingTree(["count": .integer(4)]))
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(OverwritingRuleSettings.self)
        defer { OverwritingRuleSettings.rule.withLock { $0 = nil } }
        OverwritingRuleSettings.rule.withLock { rule in
            rule = {
                if settings.count == 3 { settings.count = 7 }
                return true
            }
        }
        storage.simulateExternalChange(["count": .integer(3), "ruled": .integer(5)])
        for await ruled in settings.$ruled where ruled == 5 { break }
        #expect(settings.count == 7)
        try await store.flush()
        #expect(storage.tree.root == ["count": .integer(7), "ruled": .integer(5)])
        OverwritingRuleSettings.rule.withLock { rule in
            rule = {
                try? settings.$count.reset()
                return true
            }
        }
        // Equal to the default, but stored.
        storage.simulateExternalChange(["count": .integer(0)])
        for await count in settings.$count where count == 0 { break }
        storage.simulateExternalChange(["ruled": .integer(6)])
        for await ruled in settings.$ruled where ruled == 6 { break }
        #expect(settings.count == 0)
        try await store.flush()
        #expect(storage.tree.root == ["ruled": .integer(6)])
    }
}
