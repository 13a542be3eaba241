import Settle
import SettleTesting
import Testing

private struct Corner: Codable, Sendable, Equatable {
    var x = 0
    var y = 0
}

private struct Frame: Codable, Sendable, Equatable {
    var width = 80
    var height = 24
    var origin = Corner()
    var value = 1
    var title: String?
    var area: Int { width * height }
}

/// Not equatable, although its parts are.
private struct Loose: Codable, Sendable {
    var left = 1
    var right = 1
}

private struct User: Codable, Sendable, Equatable {
    var name = "Carol"
}

private struct WindowSettings: SettingsGroup {
    @Setting(.check("wide") { $0.width > 0 }) var frame = Frame()
    @Setting var loose = Loose()
    @Setting var user: User?
    @Setting var list = [1, 2, 3]
    @Setting var table = ["a": 1]
    @Setting var count = 0
}

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct SettingPartTests {
    private func opened() async throws -> (SettingsStore, WindowSettings) {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        return (store, try await store.group(WindowSettings.self, at: "window"))
    }

    @Test("A part is read and written by itself, and the setting as a whole") func partReadWritten() async throws {
        let (store, settings) = try await opened()
        let width: SettingPart<Int> = settings.$frame.width
        let area: ReadOnlySetting<Int> = settings.$frame.area
        #expect(width.value == 80 && area.value == 1_920 && width.key == "window.frame" && width.defaultValue == 80)
        try width.set(100)
        width.value += 1
        try width.modify { $0 *= 2 }
        settings.$frame[\.origin].x.value = 7
        #expect(settings.frame == Frame(width: 202, origin: Corner(x: 7)) && area.value == 202 * 24)
        #expect(store.revision == 4)
        try width.set(202)
        width.value = 202
        #expect(store.revision == 4)
        try settings.$frame[\.origin].reset()
        let changes = ChangeRecorder(store.changes)
        settings.frame.width = 203
        try settings.$frame.width.reset(author: "test")
        #expect(settings.frame == Frame())
        let reset = await changes.until { $0.count == 2 }.last
        #expect(reset?.origin == .reset && reset?.author == "test" && !settings.$frame.isDefault)
    }

    @Test("Names of the setting's own are found by key path") func namesSettingOwn() async throws {
        let (_, settings) = try await opened()
        let frame: Frame = settings.$frame.value
        let value: SettingPart<Int> = settings.$frame[\.value]
        let origin: SettingPart<Corner> = settings.$frame[\.origin]
        #expect(frame == Frame() && value.value == 1 && origin.value == Corner() && settings.$frame.origin == origin)
        #expect(settings.$frame.domains.origin == .default)
        value.value = 5
        origin.x.value = 3
        #expect(settings.frame.value == 5 && settings.frame.origin.x == 3)
    }

    @Test("A part's sequence gives only what differs") func partSequenceGives() async throws {
        let (store, settings) = try await opened()
        var widths = settings.$frame.width.makeAsyncIterator()
        #expect(await widths.next() == 80)
        for width in 100..<400 {
            settings.$frame.height.value += 1
            async let next = widths.next()
            await Task.yield()
            settings.frame.width = width
            #expect(await next == width)
        }
        settings.frame.width = 91
        settings.frame.width = 92
        #expect(await widths.next() == 92)
        try await store.close()
        #expect(await widths.next() == nil)
    }

    @Test("A part of a value that is not equatable publishes only when it changes")
    func partValueEquatable() async throws {
        let (store, settings) = try await opened()
        settings.$loose.left.value = 1
        try settings.$loose.left.set(1)
        #expect(store.revision == 0)
        settings.$loose.left.value = 2
        #expect(store.revision == 1 && settings.loose.right == 1)
    }

    @Test("N tasks that change parts in place lose nothing") func nTasksChange() async throws {
        let (_, settings) = try await opened()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let (x, y) = (settings.$frame[\.origin].x, settings.$frame[\.origin].y)
                    for _ in 0..<5_000 { if task.isMultiple(of: 2) { x.value += 1 } else { try? y.modify { $0 += 1 } } }
                    for _ in 0..<5_000 { settings.$count.value += 1 }
                }
            }
        }
        #expect(settings.frame.origin == Corner(x: 20_000, y: 20_000) && settings.count == 40_000)
    }

    @Test("The setting's rule holds for its parts") func settingRuleHolds() async throws {
        let (store, settings) = try await opened()
        let error = #expect(throws: SettingsError.self) { try settings.$frame.width.set(0) }
        #expect(error?.rule == "wide" && error?.key == "window.frame")
        settings.$frame.width.value = -1
        settings.$frame.width.value -= 100
        #expect(settings.frame.width == 80 && store.revision == 0)
        var issues = store.issues.makeAsyncIterator()
        #expect(await issues.next()?.rule == "wide")
        #expect(throws: SettingsError.self) {
            try settings.update {
                settings.count = 1
                settings.$frame.width.value = 0
            }
        }
        #expect(settings.count == 0)
    }

    @Test("In a transaction a part is a part of it") func transactionPartPart() async throws {
        let (store, settings) = try await opened()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try settings.update {
                settings.$frame.width.value = 5
                #expect(settings.$frame.width.value == 5 && settings.frame.width == 5)
                throw Stop()
            }
        }
        #expect(settings.frame.width == 80 && store.revision == 0)
        #expect(throws: Stop.self) {
            try settings.$frame.width.modify { width in
                width = 6
                throw Stop()
            }
        }
        #expect(settings.frame.width == 80)
    }

    @Test("An element is nil outside of the bounds, and goes when nil is written")
    func elementNilOutside() async throws {
        let (_, settings) = try await opened()
        let second = settings.$list[1]
        let sixth = settings.$list[5]
        #expect(second.value == 2 && sixth.value == nil && settings.$list[-1].value == nil)
        second.value = 20
        #expect(settings.list == [1, 20, 3])
        try second.set(nil)
        #expect(settings.list == [1, 3] && second.value == 3)
        try sixth.set(nil)
        let error = #expect(throws: SettingsError.self) { try sixth.set(6) }
        #expect(error?.code == .missingPart && error?.key == "window.list")
        #expect(error?.description.contains("“window.list[5]” can't be written") == true)
        #expect(settings.list == [1, 3])
    }

    @Test("The value of a dictionary's key comes and goes") func valueDictionaryKey() async throws {
        let (_, settings) = try await opened()
        let entry = settings.$table["b"]
        #expect(entry.value == nil && settings.$table["a"].value == 1)
        entry.value = 2
        #expect(settings.table == ["a": 1, "b": 2])
        entry.value = nil
        #expect(settings.table == ["a": 1])
        var values = entry.makeAsyncIterator()
        #expect(await values.next() == .some(nil))
        settings.table["b"] = 3
        #expect(await values.next() == 3)
    }

    @Test("What was in an optional is not brought back") func optionalBroughtBack() async throws {
        let (store, settings) = try await opened()
        #expect(settings.$user.unwrapped() == nil)
        settings.user = User()
        let user = try #require(settings.$user.unwrapped())
        var names = user.name.makeAsyncIterator()
        #expect(await names.next() == "Carol")
        try user.name.set("Dan")
        #expect(settings.user?.name == "Dan")
        #expect(await names.next() == "Dan")
        settings.user = nil
        #expect(user.name.value == "Carol")
        let error = #expect(throws: SettingsError.self) { try user.name.set("Eve") }
        #expect(error?.code == .missingPart)
        #expect(throws: SettingsError.self) { try user.set(User(name: "Eve")) }
        user.name.value = "Eve"
        #expect(settings.user == nil)
        #expect(throws: SettingsError.self) { try user.reset() }
        settings.user = User(name: "Fay")
        #expect(await names.next() == "Fay")
        try await store.close()
        #expect(await names.next() == nil)
    }

    @Test("References and parts are hashable by what they are of") func referencesPartsHashable() async throws {
        let (store, settings) = try await opened()
        let again = try await store.group(WindowSettings.self, at: "window")
        let other = try await store.group(WindowSettings.self, at: "other")
        #expect(settings.$count == again.$count && settings.$count != other.$count)
        #expect(Set([settings.$frame.width, again.$frame.width, settings.$frame.height]).count == 2)
        #expect(settings.$frame.width == settings.$frame[\.width] && settings.$list[1] != settings.$list[2])
        #expect(settings.$frame.width.readOnly == again.$frame.readOnly.width)
        #expect(settings.$frame.width != other.$frame.width)
        #expect(Set([settings.$count, again.$count, other.$count]).count == 2)
    }

    @Test("A read-only form follows the same values") func readFormFollows() async throws {
        let (_, settings) = try await opened()
        let count = settings.$count.readOnly
        let title: ReadOnlySetting<String?> = settings.$frame.readOnly.title
        var counts = count.makeAsyncIterator()
        #expect(await counts.next() == 0 && title.value == nil && count.key == "window.count")
        settings.count = 4
        settings.frame.title = "x"
        #expect(await counts.next() == 4 && title.value == "x" && count.defaultValue == 0)
        #expect(settings.$list.count.value == 3 && settings.$list.readOnly[0].value == 1)
        #expect(settings.$table.readOnly["a"].value == 1 && title.unwrapped()?.count.value == 1)
    }

    @Test("A part has bodies that follow the newest value") func partBodiesFollow() async throws {
        let (store, settings) = try await opened()
        let (seen, continuation) = AsyncStream.makeStream(of: Int.self)
        async let following: Void = settings.$frame.width.forEachLatest { continuation.yield($0) }
        var widths = seen.makeAsyncIterator()
        #expect(await widths.next() == 80)
        settings.frame.height = 30
        settings.frame.width = 81
        #expect(await widths.next() == 81)
        try await store.close()
        await following
    }

    @Test("`value` of a reference is assigned and changed in place like the property")
    func valueReferenceAssigned() async throws {
        let (store, settings) = try await opened()
        settings.$count.value = 5
        settings.$count.value += 1
        settings.$table.value["z"] = 26
        #expect(settings.count == 6 && settings.table["z"] == 26 && store.revision == 3)
        settings.$count.value = 6
        #expect(store.revision == 3)
    }
}
