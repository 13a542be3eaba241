import Settle
import SettleTesting
import Testing

private enum ChoiceGroup: SettingsGroup {
    case plain
    init() { self = .plain }
}

private enum FilledGroup: SettingsGroup {
    case filled(CounterSettings)
    init() { self = .filled(CounterSettings()) }
}

/// The compiler refuses a class that leaves `access` to the library.
///
/// Sendable: settings can be used from any thread, and the property that holds one is never written.
private final class ClassGroup: SettingsGroup, @unchecked Sendable {
    static let access = SettingsAccess.open
    @Setting var count = 0
}

private struct AroundGroup: SettingsGroup {
    @Setting var title = ""
    let inner = ChoiceGroup()
}

// Sendable, like the two below: its variable is never written.
private final class MutableModel: Codable, @unchecked Sendable {
    var x = 0
}

private class ModelBase: @unchecked Sendable {
    var y = 0
}

private final class InheritingModel: ModelBase, Codable, @unchecked Sendable {
    override init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {}
}

private final class ImmutableModel: Codable, Sendable {
    let x: Int
    init(x: Int = 0) { self.x = x }
}

private struct ModelGroup: SettingsGroup {
    @Setting("model") var m = MutableModel()
}

private struct ContainedModelsGroup: SettingsGroup {
    @Setting var maybe: MutableModel?
    @Setting var list: [MutableModel] = []
    @Setting var table: [String: [MutableModel]?] = [:]
    @Setting var inheriting = InheritingModel()
}

private struct FineGroup: SettingsGroup {
    @Setting var model = ImmutableModel()
    @Setting var models: Set<String> = []
    @Setting(codec: .standard) var vouched = MutableModel()
}

private struct ReplaceableGroup: SettingsGroup {
    var inner = CounterSettings()
}

private struct ObservedGroup: SettingsGroup {
    @Setting var count = 0 {
        didSet { runs.withLock { $0 += 1 } }
    }
    let runs = LockedValue(0)
}

/// What a group and a setting's values may be.
@Suite(.timeLimit(.minutes(10))) struct GroupTypesTests {
    private func error<Group: SettingsGroup>(opening type: Group.Type) async throws -> SettingsError? {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return await #expect(throws: SettingsError.self) { _ = try await store.group(type) }
    }

    @Test("An enum or a class as a group is refused, also within another group") func notStructs() async throws {
        let error = try await error(opening: ChoiceGroup.self)
        #expect(error?.code.description == "invalidType")
        #expect(
            error?.description == "ChoiceGroup is an enum, so it can't be a group of settings: declare it as a struct.")
        #expect(try await self.error(opening: FilledGroup.self)?.description.contains("is an enum") == true)
        #expect(try await self.error(opening: AroundGroup.self)?.description == error?.description)
        #expect(
            try await self.error(opening: ClassGroup.self)?.description
                == "ClassGroup is a class, so it can't be a group of settings: declare it as a struct.")
    }

    @Test("A setting whose values are of a class with variables is refused") func mutableClasses() async throws {
        let error = try await error(opening: ModelGroup.self)
        #expect(error?.code.description == "invalidType" && error?.key == "model")
        #expect(
            error?.description
                == "ModelGroup.m can't have values of the class MutableModel: changing its x would not write the "
                + "setting, and the change would never be saved. Make MutableModel a struct, or a final class with "
                + "`let` properties only."
        )
        let problems = try await self.error(opening: ContainedModelsGroup.self)?.problems ?? []
        #expect(problems.map(\.key) == ["maybe", "list", "table", "inheriting"])
        #expect(problems.last?.description.contains("changing its y") == true)
    }

    @Test("An immutable class is a value, and a codec of the declaration's own vouches for any class")
    func acceptedClasses() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let group = try await store.group(FineGroup.self)
        group.model = ImmutableModel(x: 3)
        try await store.flush()
        #expect(storage.tree["model.x"] == .integer(3) && group.vouched.x == 0)
    }

    @Test("A group that replaces one within a copy is another group, which no store has opened")
    func replacedGroup() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        var copy = try await store.group(ReplaceableGroup.self)
        copy.inner.count = 1
        copy.inner = CounterSettings()
        copy.inner.count = 2
        try await store.flush()
        #expect(storage.tree["inner.count"] == .integer(1))
        await #expect(throws: SettingsError.self) { try await copy.inner.commit { copy.inner.count = 3 } }
    }

    @Test("A property observer runs for assignments to the property only") func propertyObserver() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let group = try await store.group(ObservedGroup.self)
        group.count = 1
        group.count += 1
        #expect(group.runs.withLock { $0 } == 2)
        try group.$count.set(3)
        try store.keys.setValue(4, forKey: "count")
        try group.reset()
        #expect(group.runs.withLock { $0 } == 2 && group.count == 0)
    }
}
