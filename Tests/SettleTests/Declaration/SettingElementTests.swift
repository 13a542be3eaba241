import Settle
import SettleTesting
import Testing

private struct User: Codable, Sendable, Equatable {
    var name = "Carol"
    var nickname: String?
    var tags: [String] = []
    var ports: [String: Int] = [:]
    var initial: Character? { name.first }
    var length: Int { name.count }

    enum CodingKeys: CodingKey { case name, nickname, tags, ports }
}

private struct Lists: SettingsGroup {
    @Setting var names: [String] = []
    @Setting var users: [User] = []
    @Setting var grid: [[Int]] = []
    @Setting var ports: [String: Int] = [:]
    @Setting var people: [String: User] = [:]
    @Setting var owner: User?
    @Setting("shelf.books") var books: [String] = []
    @Setting(in: 0...5) var small = 0
    @Setting("low", in: 0...5) var low = 0
}

/// Elements of collections, and parts of values that may be missing.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SettingElementTests {
    private func opened() async throws -> (SettingsStore, Lists) {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return (store, try await store.group(Lists.self, at: "lists"))
    }

    @Test("Writing an element that is missing throws") func writingElementMissing() async throws {
        let (store, settings) = try await opened()
        let error = #expect(throws: SettingsError.self) { try settings.$names[0].set("first") }
        #expect(error?.code == .missingPart && error?.key == "lists.names")
        #expect(error?.description.hasPrefix("“lists.names[0]” can't be written") == true)
        #expect(throws: SettingsError.self) { try settings.$names[0].modify { $0 = "x" } }
        #expect(store.revision == 0)
        settings.names = ["a"]
        try settings.$names[0].set("b")
        try settings.$names[0].modify { $0 = ($0 ?? "") + "c" }
        settings.$names[0].value? += "d"
        #expect(settings.names == ["bcd"])
    }

    @Test("An assignment to an element that is missing is reported, and fails a transaction")
    func assignmentElementMissing() async throws {
        let (store, settings) = try await opened()
        var issues = store.issues.makeAsyncIterator()
        settings.$names[0].value = "x"
        #expect(await issues.next()?.code == .missingPart)
        #expect(settings.names.isEmpty)
        #expect(throws: SettingsError.self) {
            try settings.update {
                settings.small = 1
                settings.$names[0].value = "x"
            }
        }
        #expect(settings.small == 0 && settings.names.isEmpty)
    }

    @Test("A part of an element is nil while that is missing, and is written in it")
    func partElementNil() async throws {
        let (store, settings) = try await opened()
        let name = settings.$users[0].name
        #expect(name.value == nil && settings.$users[0].length.value == nil)
        let error = #expect(throws: SettingsError.self) { try name.set("Dan") }
        #expect(error?.code == .missingPart && error?.description.contains("“lists.users[0]?.name”") == true)
        name.value = "Dan"
        #expect(store.revision == 0)
        settings.users = [User()]
        #expect(name.value == "Carol" && settings.$users[0].length.value == 5)
        try name.set("Dan")
        settings.$users[0].name.value? += "a"
        #expect(settings.users == [User(name: "Dana")])
    }

    @Test("Parts of parts of elements lead through everything that may be missing")
    func partsPartsElements() async throws {
        let (_, settings) = try await opened()
        #expect(settings.$users[0].tags[0].value == nil && settings.$grid[0][0].value == nil)
        #expect(settings.$people["x"].name.value == nil && settings.$users[0].ports["x"].value == nil)
        #expect(throws: SettingsError.self) { try settings.$users[0].tags[0].set("x") }
        #expect(throws: SettingsError.self) { try settings.$grid[0][0].set(1) }
        #expect(throws: SettingsError.self) { try settings.$people["x"].name.set("x") }
        #expect(throws: SettingsError.self) { try settings.$users[0].ports["x"].set(1) }
        settings.users = [User(tags: ["a", "b"])]
        settings.grid = [[], [1, 2]]
        settings.people["x"] = User()
        try settings.$users[0].tags[1].set("c")
        try settings.$users[0].ports["http"].set(80)
        try settings.$grid[1][0].set(nil)
        settings.$people["x"].name.value = "Eve"
        #expect(throws: SettingsError.self) { try settings.$grid[0][0].set(1) }
        #expect(settings.users == [User(tags: ["a", "c"], ports: ["http": 80])])
        #expect(settings.grid == [[], [2]] && settings.people == ["x": User(name: "Eve")])
        #expect(settings.$users[0].tags.count.value == 2)
    }

    @Test("A part of an element is followed while elements come and go") func partElementFollowed() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(Lists.self)
        settings.users = [User()]
        var names = settings.$users[0].name.makeAsyncIterator()
        #expect(await names.next() == "Carol")
        try await store.flush()
        storage.simulateExternalChange(SettingTree(["users": .array([])]))
        #expect(await names.next() == .some(nil) && settings.users.isEmpty)
        settings.users = [User(name: "Dan")]
        #expect(await names.next() == "Dan")
        try await store.close()
    }

    @Test("Parts of an optional setting lead through it") func partsOptionalSetting() async throws {
        let (_, settings) = try await opened()
        #expect(settings.$owner.name.value == nil && settings.$owner.readOnly.tags[0].value == nil)
        #expect(throws: SettingsError.self) { try settings.$owner.name.set("x") }
        settings.owner = User(nickname: "C", tags: ["a"])
        #expect(settings.$owner.nickname.value == "C" && settings.$owner.readOnly.tags[0].value == "a")
        try settings.$owner.nickname.set(nil)
        try settings.$owner.name.set("Dan")
        #expect(settings.owner == User(name: "Dan", tags: ["a"]))
        #expect(settings.$owner.initial.value == "D" && settings.$owner.readOnly.name.value == "Dan")
    }

    @Test("A part that is no optional can't be nil") func partOptionalNil() async throws {
        let (store, settings) = try await opened()
        try settings.$owner.name.set(nil)
        #expect(store.revision == 0)
        settings.owner = User()
        let error = #expect(throws: SettingsError.self) { try settings.$owner.name.set(nil) }
        #expect(error?.code == .invalidValue && error?.key == "lists.owner" && settings.owner == User())
        #expect(error?.description.hasPrefix("“lists.owner?.name” can't be nil") == true)
    }

    @Test("A hidden name of an element is found by key path") func hiddenNameElement() async throws {
        let (_, settings) = try await opened()
        settings.users = [User()]
        try settings.$users[0][\.name].set("Dan")
        settings.$users[0][\.nickname].value = "D"
        let length: ReadOnlySetting<Int?> = settings.$users[0][\.length]
        #expect(settings.users == [User(name: "Dan", nickname: "D")] && length.value == 3)
        let name: SettingPart<String?> = settings.$users[0].name
        #expect(name == settings.$users[0][\.name])
        let readOnly: ReadOnlySetting<String?> = settings.$users.readOnly[0].name
        #expect(readOnly == name.readOnly)
    }

    @Test("A part of a group that no store has opened is named in errors") func partGroupStore() {
        let settings = Lists()
        let part = #expect(throws: SettingsError.self) { try settings.$names[0].set("x") }
        #expect(part?.description.hasPrefix("The part [0] of a setting whose group no store has opened can't") == true)
        let keyed = #expect(throws: SettingsError.self) { try settings.$books[3].set("x") }
        #expect(keyed?.description.hasPrefix("“shelf.books[3]” can't be written") == true)
        let refused = #expect(throws: SettingsError.self) { try settings.$small.set(7) }
        #expect(refused?.description.hasPrefix("A setting whose group no store has opened can't be 7: it") == true)
        let low = #expect(throws: SettingsError.self) { try settings.$low.set(7) }
        #expect(low?.description.hasPrefix("“low” can't be 7") == true)
    }
}
