import Foundation
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct AccessByKeyTests {
    private func open(_ value: SettingValue?) async throws -> SettingsStore {
        let storage = InMemoryStorage(value.map { SettingTree(["a": .dictionary(["b": $0])]) } ?? SettingTree())
        return try await SettingsStore.open(storage: storage)
    }

    @Test("What is written by key is read by key") func writing() async throws {
        let store = try await open(nil)
        let date = Date(timeIntervalSince1970: 978_307_200.25)
        let url = try #require(URL(string: "https://a.b/c?d#e"))
        func expect<Value: Codable & Equatable & Sendable>(_ value: Value) throws {
            try store.keys.setValue(value, forKey: "a")
            #expect(try store.keys.value(forKey: "a", as: Value.self) == value)
        }
        try expect("x")
        try expect(true)
        try expect(-7)
        try expect(Float(0.1))
        #expect(store.keys["a"] == .real(0.1))
        try expect(Double.infinity)
        try expect(date)
        try expect(Data([0, 255]))
        try expect(url)
        try expect(URL(filePath: "/a b"))
        try expect([SettingValue.integer(1), .null])
        try expect(["a", "b"])
        try store.keys.setValue(.dictionary(["x": .real(1.5)]), forKey: "a")
        #expect(try store.keys.value(forKey: "a", as: [String: Double].self) == ["x": 1.5])
        #expect(try store.keys.value(forKey: "a.x", as: Double.self) == 1.5)
        try store.keys.setValue(.integer(3), forKey: "a")
        #expect(store.keys["a"] == .integer(3))
    }

    @Test("Removing a value tells the author, and is no change where there is none") func removal() async throws {
        let store = try await open(.integer(1))
        var changes = store.changes.makeAsyncIterator()
        try store.keys.removeValue(forKey: "a.b", author: "tool")
        #expect(store.keys["a.b"] == nil)
        #expect(await changes.next()?.author == "tool")
        try store.keys.removeValue(forKey: "a.b")
        #expect(store.revision == 1)
    }

    struct Declared: SettingsGroup {
        @Setting(in: 0...20) var count = 5
        @Setting var next: Date?
        @Setting var home = URL(filePath: "/a")
    }

    @Test("A declared setting is read with its value, and keeps its type and its rule") func declared() async throws {
        let store = try await open(nil)
        let settings = try await store.group(Declared.self)
        let keys = store.keys
        #expect(keys["count"] == .integer(5) && keys["next"] == nil)
        #expect(try keys.value(forKey: "home", as: URL.self) == URL(filePath: "/a"))
        settings.count = 7
        #expect(try keys.value(forKey: "count", as: Int.self) == 7)
        #expect(throws: SettingsError.self) { try keys.setValue(21, forKey: "count") }
        #expect(throws: SettingsError.self) { try keys.setValue("6", forKey: "count") }
        try keys.setValue("2001-01-01T00:00:00Z", forKey: "next")
        try keys.setValue(URL(filePath: "/b"), forKey: "home")
        #expect(settings.next == Date(timeIntervalSince1970: 978_307_200) && settings.home == URL(filePath: "/b"))
        try keys.removeValue(forKey: "count")
        #expect(settings.count == 5)
    }

    @Test("Names with dots are keys too") func names() async throws {
        let store = try await open(nil)
        try store.keys.setValue(.integer(1), forKey: .path("a", "b.c"))
        #expect(try store.keys.value(forKey: .path("a", "b.c"), as: Int.self) == 1)
        #expect(try store.keys.value(forKey: #"a.b\.c"#, as: Int.self) == 1)
        #expect(store.keys[""] == nil && store.keys["a..b"] == nil)
    }

    @Test("Inside its own transaction a thread reads what it has written") func transaction() async throws {
        let store = try await open(.integer(1))
        try store.update {
            try store.keys.setValue(2, forKey: "a.b")
            #expect(store.keys["a.b"] == .integer(2))
        }
    }
}
