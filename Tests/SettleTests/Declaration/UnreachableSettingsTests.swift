import Settle
import SettleTesting
import Testing

private struct Item: SettingsGroup {
    @Setting var number = 0
}

private struct Plain: Sendable {
    @Setting var number = 0
    var name = ""
}

private struct Around: Sendable {
    var item = Item()
}

private enum Choice: Sendable {
    case none, item(Item)
}

private struct Shelf: SettingsGroup {
    @Setting var title = ""
    let items = [Item(), Item()]
}

private struct Empty: SettingsGroup {
    var items: [Item] = []
    var others: [String: [any SettingsGroup]] = [:]
}

private struct Several: SettingsGroup {
    let byName = ["a": Item()]
    let maybe: [Item]? = nil
    let pair = (Item(), 1)
    let plain = Plain()
    let around = Around()
    let deep = [[Around()]]
    let choice = Choice.item(Item())
}

private struct Outer: SettingsGroup {
    let shelf = Shelf()
}

private final class Model: Sendable {
    let item = Item()
}

/// A group without any unreachable group.
private struct Fine: SettingsGroup {
    @Setting var title = ""
    let item = Item()
    let perhaps: Item? = Item()
    let nothing: Item? = nil
    let id = "x"
    let list = [1, 2, 3]
    let names: [String: [String]?] = ["a": ["b"]]
    let model = Model()
    let action: @Sendable () -> Void = {}
    let choice = Choice.none
    var computed: [Item] { [item] }
}

/// Groups and settings that a store can't reach are refused.
@Suite(.timeLimit(.minutes(10))) struct UnreachableSettingsTests {
    private func error<Group: SettingsGroup>(opening type: Group.Type) async throws -> SettingsError? {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return await #expect(throws: SettingsError.self) { _ = try await store.group(type) }
    }

    @Test("Groups in an array are an error that says what to do") func groupsArrayError() async throws {
        let error = try await error(opening: Shelf.self)
        #expect(error?.code.description == "unreachable")
        #expect(
            error?.description
                == "Shelf.items[0], a group of the type Item, would never be saved: groups in a collection are not found. "
                + "Open each at a path of its own: `store.group(Item.self, at: .path(\"items\", id))`.")
        // They are refused the next time too, and within another group.
        #expect(try await self.error(opening: Shelf.self)?.code == error?.code)
        #expect(try await self.error(opening: Outer.self)?.description == error?.description)
    }

    @Test("A collection of groups is an error also while it is empty") func collectionGroupsError() async throws {
        let problems = try await error(opening: Empty.self)?.problems ?? []
        #expect(problems.count == 2)
        #expect(problems.first?.description.hasPrefix("Empty.items, a collection of groups of the type Item,") == true)
    }

    @Test("Groups and settings in tuples, plain structs, enums and optionals of arrays are errors")
    func groupsSettingsTuples() async throws {
        let problems = try await error(opening: Several.self)?.problems.map(\.description) ?? []
        #expect(problems.count == 7)
        let beginnings = [
            "Several.byName[\"a\"], a group of the type Item,",
            "Several.maybe, a collection of groups of the type Item,",
            "Several.pair.0, a group of the type Item,",
            "Several.plain.number, a setting,",
            "Several.around.item, a group of the type Item,",
            "Several.deep[0][0].item, a group of the type Item,",
            "Several.choice.item, a group of the type Item,",
        ]
        for (problem, beginning) in zip(problems, beginnings) {
            #expect(problem.hasPrefix(beginning + " would never be saved: "))
        }
        #expect(problems.contains { $0.hasSuffix("Make Plain conform to `SettingsGroup`.") })
        #expect(problems.contains { $0.hasSuffix("Make Around conform to `SettingsGroup`.") })
    }

    @Test("Other properties of a group may be of any type") func otherPropertiesGroup() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for path in ["a", "b"] {
            let settings = try await store.group(Fine.self, at: path)
            settings.item.number = 1
            #expect(settings.perhaps?.$number.key == "\(path).perhaps.number")
        }
    }
}
