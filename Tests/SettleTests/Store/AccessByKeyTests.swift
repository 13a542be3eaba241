import Foundation
import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct AccessByKeyTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let stored: SettingValue?
        /// By the name in the table's head. `nil` for a dash.
        let cells: [String: String?]
        let testDescription: String
    }

    static func rows() throws -> [Row] {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Settle/Settle.docc/AccessByKey.md").standardizedFileURL
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
            _ column: String, _ coercion: SettingCoercion<Value>, _ found: Value?, or fallback: Value? = nil,
            _ parse: (String) throws -> Value?
        ) throws {
            let cell = try #require(row.cells[column], "\(column)")
            if let cell {
                let expected = try #require(try parse(cell), "\(column): \(cell)")
                #expect(found == expected, "\(column)")
                #expect(try store.value(forKey: "a.b", coercedTo: coercion) == expected, "\(column)")
            } else {
                #expect(found == fallback, "\(column)")
                if isAbsent {
                    #expect(try store.value(forKey: "a.b", coercedTo: coercion) == nil)
                } else {
                    #expect(throws: SettingsError.self, "\(column)") {
                        try store.value(forKey: "a.b", coercedTo: coercion)
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
        let key = "a.b"
        try expect("string", .string, store.string(forKey: key)) { try String(settingValue: json($0)) }
        try expect("bool", .bool, store.bool(forKey: key), or: false, Bool.init)
        try expect("integer", .integer, store.integer(forKey: key), or: 0) { Int($0) }
        try expect("double", .double, store.double(forKey: key), or: 0, Double.init)
        try expect("double", .float, store.float(forKey: key), or: 0) { Double($0).map(Float.init) }
        try expect("date", .date, store.date(forKey: key)) { try Date(settingValue: json($0)) }
        try expect("data", .data, store.data(forKey: key)) { try Data(settingValue: json($0)) }
        try expect("url", .url, store.url(forKey: key)) { path($0) }
        try expect("array", .array, store.array(forKey: key)) { try SettingCoercion.array.convert(json($0)) }
        try expect("stringArray", .stringArray, store.stringArray(forKey: key)) { try [String](settingValue: json($0)) }
        try expect("dictionary", .dictionary, store.dictionary(forKey: key)) {
            try SettingCoercion.dictionary.convert(json($0))
        }
        #expect(store.object(forKey: key) == (isAbsent ? nil : row.stored))
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

    @Test("What a setter writes, the getter of its name reads") func setters() async throws {
        let store = try await open(nil)
        let date = Date(timeIntervalSince1970: 978_307_200.25)
        let url = try #require(URL(string: "https://a.b/c?d#e"))
        try store.setString("x", forKey: "string")
        try store.setBool(true, forKey: "bool")
        try store.setInteger(-7, forKey: "integer")
        try store.setFloat(0.1, forKey: "float")
        try store.setDouble(.infinity, forKey: "double")
        try store.setDate(date, forKey: "date")
        try store.setData(Data([0, 255]), forKey: "data")
        try store.setURL(url, forKey: "url")
        try store.setURL(URL(filePath: "/a b"), forKey: "path")
        try store.setArray([.integer(1), .null], forKey: "array")
        try store.setStringArray(["a", "b"], forKey: "strings")
        try store.setDictionary(["x": .real(1.5)], forKey: "dictionary")
        try store.setObject(.integer(3), forKey: "object")
        #expect(
            store.string(forKey: "string") == "x" && store.bool(forKey: "bool")
                && store.integer(forKey: "integer") == -7)
        #expect(store.float(forKey: "float") == 0.1 && store.object(forKey: "float") == .real(0.1))
        #expect(store.double(forKey: "double") == .infinity && store.date(forKey: "date") == date)
        #expect(store.data(forKey: "data") == Data([0, 255]) && store.url(forKey: "url") == url)
        #expect(store.url(forKey: "path") == URL(filePath: "/a b"))
        #expect(
            store.array(forKey: "array") == [.integer(1), .null] && store.stringArray(forKey: "strings") == ["a", "b"])
        #expect(
            store.dictionary(forKey: "dictionary") == ["x": .real(1.5)] && store.double(forKey: "dictionary.x") == 1.5)
        #expect(store.object(forKey: "object") == .integer(3))
    }

    @Test("Writing nil removes the value, and the author is told") func removal() async throws {
        let store = try await open(.integer(1))
        var changes = store.changes.makeAsyncIterator()
        try store.setInteger(nil, forKey: "a.b", by: "tool")
        #expect(store.object(forKey: "a.b") == nil)
        #expect(await changes.next()?.author == "tool")
        try store.setBool(nil, forKey: "a.b")
        try store.setStringArray(nil, forKey: "a.b")
        #expect(store.revision == 1)
    }

    struct Declared: SettingsGroup {
        @Setting(in: 0...20) var count = 5
        @Setting var next: Date?
        @Setting var home = URL(filePath: "/a")
        @Setting var token: Secret<Int>?
    }

    @Test("A declared setting is read with its value, and keeps its type and its rule") func declared() async throws {
        let store = try await open(nil)
        let settings = try await store.group(Declared.self)
        #expect(
            store.integer(forKey: "count") == 5 && store.string(forKey: "count") == "5" && store.bool(forKey: "count"))
        #expect(store.date(forKey: "next") == nil && store.url(forKey: "home") == URL(filePath: "/a"))
        settings.count = 7
        #expect(store.double(forKey: "count") == 7)
        #expect(throws: SettingsError.self) { try store.setInteger(21, forKey: "count") }
        #expect(throws: SettingsError.self) { try store.setString("6", forKey: "count") }
        try store.setString("2001-01-01T00:00:00Z", forKey: "next")
        try store.setURL(URL(string: "file:///b"), forKey: "home")
        #expect(settings.next == Date(timeIntervalSince1970: 978_307_200) && settings.home == URL(filePath: "/b"))
        try store.setInteger(nil, forKey: "count")
        #expect(settings.count == 5)
    }

    @Test("Why a value does not convert is said with key and type, and without a secret") func reasons() async throws {
        let store = try await open(.string("hush"))
        let error = #expect(throws: SettingsError.self) { try store.value(forKey: "a.b", coercedTo: .integer) }
        #expect(
            error?.description == "“a.b” is not Int: expected one that converts to Int, found a string of 4 characters."
        )
        let settings = try await store.group(Declared.self)
        settings.token = Secret(4711)
        #expect(store.integer(forKey: "token") == 4711)
        let hidden = try #require(
            #expect(throws: SettingsError.self) { try store.value(forKey: "token", coercedTo: .array) })
        #expect(!"\(hidden)".contains("4711") && hidden.value == nil && hidden.underlying == nil)
    }

    @Test("Names with dots are keys too") func names() async throws {
        let store = try await open(nil)
        try store.setValue(.integer(1), forKey: .path("a", "b.c"))
        #expect(try store.value(forKey: .path("a", "b.c"), coercedTo: .string) == "1")
        #expect(
            store.integer(forKey: #"a.b\.c"#) == 1 && store.integer(forKey: "") == 0
                && store.integer(forKey: "a..b") == 0)
    }

    @Test("Inside its own transaction a thread reads what it has written") func transaction() async throws {
        let store = try await open(.integer(1))
        try store.update {
            try store.setInteger(2, forKey: "a.b")
            #expect(store.integer(forKey: "a.b") == 2)
        }
    }
}
