import Foundation
import SettleTesting
import Testing

@testable import Settle
@testable import SettleInterchange

@Suite(.timeLimit(.minutes(10))) struct CoercionTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let stored: SettingValue?
        /// By the name in the table's head. `nil` for a dash.
        let cells: [String: String?]
        let testDescription: String
    }

    static func rows() throws -> [Row] {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/SettleInterchange/SettleInterchange.docc/Coercions.md").standardizedFileURL
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("|") }
        let table = lines.map { line in
            line.dropFirst(2).dropLast(2).components(separatedBy: " | ").map { $0 == "–" ? nil : content(of: $0) }
        }
        let names = try #require(table.first?.dropFirst()).compactMap { $0 }
        return try table.dropFirst(2).map { cells in
            let text = try #require(cells[0])
            #expect(cells.count == names.count + 1)
            return Row(
                stored: try stored(text), cells: Dictionary(uniqueKeysWithValues: zip(names, cells.dropFirst())),
                testDescription: text)
        }
    }

    private static func content(of cell: String) -> String {
        cell.hasPrefix("`") ? String(cell.dropFirst().dropLast()) : cell
    }

    private static func stored(_ text: String) throws -> SettingValue? {
        let word = text.split(separator: " ").last.map(String.init) ?? ""
        if text == "absent" { return nil }
        if text.hasPrefix("date ") { return .date(try Date(word, strategy: .iso8601)) }
        if text.hasPrefix("data ") { return .data(try #require(Data(base64Encoded: word))) }
        return try SettingValue(json: Data(text.utf8))
    }

    private func open(_ value: SettingValue?) async throws -> SettingsStore {
        let storage = InMemoryStorage(value.map { SettingTree(["a": .dictionary(["b": $0])]) } ?? SettingTree())
        return try await SettingsStore.open(storage: storage)
    }

    @Test("Each row of the guide's table holds", arguments: try rows()) func row(_ row: Row) async throws {
        let store = try await open(row.stored)
        let isAbsent = row.stored == nil || row.stored == .null
        func expect<Value: Equatable>(
            _ column: String, _ coercion: SettingCoercion<Value>, _ parse: (String) throws -> Value?
        ) throws {
            let cell = try #require(row.cells[column], "\(column)")
            if let cell {
                let expected = try #require(try parse(cell), "\(column): \(cell)")
                #expect(try store.keys.value(forKey: "a.b", coercedTo: coercion) == expected, "\(column)")
            } else {
                if isAbsent {
                    #expect(try store.keys.value(forKey: "a.b", coercedTo: coercion) == nil)
                } else {
                    #expect(throws: SettingsError.self, "\(column)") {
                        try store.keys.value(forKey: "a.b", coercedTo: coercion)
                    }
                }
            }
        }
        func json(_ text: String) throws -> SettingValue { try SettingValue(json: Data(text.utf8)) }
        func path(_ text: String) -> URL? {
            let home =
                ProcessInfo.processInfo.environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
            if text == "~" { return URL(filePath: home, directoryHint: .isDirectory) }
            if text.hasPrefix("~/") { return URL(filePath: home + text.dropFirst()) }
            return text.contains("://") ? URL(string: text) : URL(filePath: text)
        }
        try expect("string", .string) { try String(settingValue: json($0)) }
        try expect("bool", .bool, Bool.init)
        try expect("integer", .integer) { Int($0) }
        try expect("double", .double, Double.init)
        try expect("double", .float) { Double($0).map(Float.init) }
        try expect("date", .date) { try Date(settingValue: json($0)) }
        try expect("data", .data) { try Data(settingValue: json($0)) }
        try expect("url", .url) { path($0) }
        try expect("array", .array) { try SettingCoercion.array.convert(json($0)) }
        try expect("stringArray", .stringArray) { try [String](settingValue: json($0)) }
        try expect("dictionary", .dictionary) {
            try SettingCoercion.dictionary.convert(json($0))
        }
        #expect(store.keys["a.b"] == (isAbsent ? nil : row.stored))
    }

    @Test("The table has values of each kind and a result in each column") func table() throws {
        let rows = try Self.rows()
        #expect(rows.count >= 40)
        for name in [
            "string", "bool", "integer", "double", "date", "data", "url", "array", "stringArray", "dictionary",
        ] {
            #expect(rows.contains { $0.cells[name].map { $0 != nil } ?? false }, "\(name)")
            #expect(rows.contains { $0.cells[name].map { $0 == nil } ?? false }, "\(name)")
        }
    }

    @Test("What is written by key is read by key, converted to its own type") func writing() async throws {
        let store = try await open(nil)
        let date = Date(timeIntervalSince1970: 978_307_200.25)
        let url = try #require(URL(string: "https://a.b/c?d#e"))
        func expect<Value: Codable & Equatable & Sendable>(_ value: Value, _ coercion: SettingCoercion<Value>) throws {
            try store.keys.setValue(value, forKey: "a")
            #expect(try store.keys.value(forKey: "a", coercedTo: coercion) == value)
        }
        try expect("x", .string)
        try expect(true, .bool)
        try expect(-7, .integer)
        try expect(Float(0.1), .float)
        #expect(store.keys["a"] == .real(0.1))
        try expect(Double.infinity, .double)
        try expect(date, .date)
        try expect(Data([0, 255]), .data)
        try expect(url, .url)
        try expect(URL(filePath: "/a b"), .url)
        try expect([.integer(1), .null], .array)
        try expect(["a", "b"], .stringArray)
        try store.keys.setValue(.dictionary(["x": .real(1.5)]), forKey: "a")
        #expect(try store.keys.value(forKey: "a", coercedTo: .dictionary) == ["x": .real(1.5)])
        #expect(try store.keys.value(forKey: "a.x", coercedTo: .double) == 1.5)
        try store.keys.setValue(.integer(3), forKey: "a")
        #expect(store.keys["a"] == .integer(3))
    }

    struct Declared: SettingsGroup {
        @Setting(in: 0...20) var count = 5
        @Setting var home = URL(filePath: "/a")
        @Setting var token: Secret<Int>?
    }

    @Test("A declared setting converts like a stored value") func declared() async throws {
        let store = try await open(nil)
        let settings = try await store.group(Declared.self)
        let keys = store.keys
        #expect(try keys.value(forKey: "count", coercedTo: .string) == "5")
        #expect(try keys.value(forKey: "count", coercedTo: .bool) == true)
        #expect(try keys.value(forKey: "home", coercedTo: .url) == URL(filePath: "/a"))
        settings.count = 7
        #expect(try keys.value(forKey: "count", coercedTo: .double) == 7)
    }

    @Test("Text in place of a registered default is read as the type that is asked for") func registeredText()
        async throws
    {
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            searching: [
                .arguments(["--port", "81", "--verbose"]), .environment(prefix: "APP", variables: ["APP_HOST": "h"]),
                .application, .registration,
            ])
        try store.domains.register(["port": "80", "host": "x", "verbose": false])
        #expect(try store.keys.value(forKey: "port", coercedTo: .integer) == 81)
        #expect(try store.keys.value(forKey: "host", coercedTo: .string) == "h")
        #expect(try store.keys.value(forKey: "verbose", coercedTo: .bool) == true)
    }

    @Test("Names with dots are keys too") func names() async throws {
        let store = try await open(nil)
        try store.keys.setValue(.integer(1), forKey: .path("a", "b.c"))
        #expect(try store.keys.value(forKey: .path("a", "b.c"), coercedTo: .string) == "1")
        #expect(try store.keys.value(forKey: #"a.b\.c"#, coercedTo: .integer) == 1)
    }

    @Test("Why a value does not convert is said with key and type, and without a secret") func reasons() async throws {
        let store = try await open(.string("hush"))
        let error = #expect(throws: SettingsError.self) { try store.keys.value(forKey: "a.b", coercedTo: .integer) }
        #expect(
            error?.description == "“a.b” is not Int: expected one that converts to Int, found a string of 4 characters."
        )
        let settings = try await store.group(Declared.self)
        settings.token = Secret(4711)
        #expect(try store.keys.value(forKey: "token", coercedTo: .integer) == 4711)
        let hidden = try #require(
            #expect(throws: SettingsError.self) { try store.keys.value(forKey: "token", coercedTo: .array) })
        #expect(!"\(hidden)".contains("4711") && hidden.value == nil && hidden.underlying == nil)
    }
}
