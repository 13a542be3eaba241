import Foundation
import SettleTesting
import Testing

@testable import Settle
@testable import SettleInterchange

private enum Theme: String, Codable, CaseIterable, Sendable { case dark, light }
private struct Point: Codable, Sendable, Equatable { var x = 1, y = 2 }

private struct WideSettings: SettingsGroup {
    @Setting(in: 0...20, title: "A", help: "Help.", unit: "guesses") var a = 0
    @Setting(in: 0..<1, help: "A share") var b = 0.5
    @Setting(in: Date(timeIntervalSince1970: 0)...) var c: Date?
    @Setting(.oneOf(["de", "en"])) var d: String?
    @Setting(.count(1..<4)) var e = "app"
    @Setting(.matching("[a-z]+(-[a-z]+)*")) var f: String?
    @Setting(.matching("\\d+")) var g = "1"
    @Setting(.count(1...2)) var h = [Theme.dark]
    @Setting(.count(...2)) var i: [String: Double?] = [:]
    @Setting var j: Theme?
    @Setting var k = Data([1])
    @Setting var l = URL(filePath: "/a b/ü")
    @Setting var m: UUID?
    @Setting var n: Duration = .milliseconds(1500)
    @Setting var o = UInt64.max
    @Setting var p = Point()
    @Setting(.range(0...), .range(...5), .oneOf([1, 2, 3])) var q = 1
    @Setting("deep.er.a.b", title: "Deep") var r = true
    @Setting(#"dotted\.name"#) var s: Set<Int8> = [1, -1]
    @Setting var t: Secret<String>? = Secret("marker")
    @Setting var u = Double.infinity
    @Setting(codec: .init(encode: { .integer(-Int64($0)) }, decode: { _ in 3 }), rules: [.range(0...9)]) var v = 3
}

private struct OwnSettings: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var count = 0
}

private struct SeenSettings: SettingsGroup {
    static let category = SettingsCategory.state
    @Setting var last: Date?
    @Setting("times.count") var count = 0
}

private struct DocumentSettings: SettingsGroup {
    @Setting var name = ""
    let seen = SeenSettings()
}

@Suite(.timeLimit(.minutes(10))) struct SettingsSchemaTests {
    private func member(_ names: String..., of value: SettingValue) -> SettingValue? { member(names, of: value) }

    private func member(_ names: [String], of value: SettingValue) -> SettingValue? {
        names.reduce(value) { value, name in
            if case .dictionary(let entries)? = value { entries[name] } else { nil }
        }
    }

    @Test("Editors do not suggest state, nor what has nothing else in it") func editorsSuggestState() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        #expect(
            member("type", of: store.file.schema().jsonSchema) == .string("object"), "also of a store without groups")
        let group = try await store.group(DocumentSettings.self, at: "document")
        let schema = withExtendedLifetime(group) { store.file.schema() }
        #expect(
            schema.settings.filter { $0.category == .state }.map(\.key)
                == ["document.seen.last", "document.seen.times.count"])
        func isSuggested(_ names: String...) -> Bool {
            let place = names.flatMap { ["properties", $0] } + ["doNotSuggest"]
            return member(place, of: schema.jsonSchema) != .bool(true)
        }
        #expect(isSuggested("document") && isSuggested("document", "name"))
        #expect(!isSuggested("document", "seen") && !isSuggested("document", "seen", "last"))
        #expect(!isSuggested("document", "seen", "times") && !isSuggested("document", "seen", "times", "count"))
        let again = try await store.group(SeenSettings.self, at: "seen")
        let listed = withExtendedLifetime(again) { store.settings.filter { $0.category == .state }.count }
        #expect(listed == 4)
    }

    @Test("The schema is nested like the file, sorted, and the same whatever the order of opening")
    func schemaNestedLike() async throws {
        func schema(_ open: (SettingsStore) async throws -> [any SettingsGroup]) async throws -> SettingsSchema {
            let store = try await SettingsStore.open(storage: InMemoryStorage())
            let groups = try await open(store)
            return withExtendedLifetime(groups) { store.file.schema() }
        }
        let one = try await schema {
            [try await $0.group(WideSettings.self), try await $0.group(OwnSettings.self, at: "own")]
        }
        let two = try await schema {
            [try await $0.group(OwnSettings.self, at: "own"), try await $0.group(WideSettings.self)]
        }
        #expect(one == two && one.settings.map(\.key) == one.settings.map(\.key).sorted())
        let json = one.jsonSchema
        #expect(try json.json() == two.jsonSchema.json())
        #expect(member("$schema", of: json) == .string("https://json-schema.org/draft/2020-12/schema"))
        #expect(
            member("properties", "a", of: json)
                == .dictionary([
                    "type": .string("integer"), "minimum": .integer(0), "maximum": .integer(20),
                    "title": .string("A"), "description": .string("Help. It must be in 0...20."),
                    "x-unit": .string("guesses"), "x-type": .string("Int"), "default": .integer(0),
                    "propertyOrder": .integer(0),
                ]))
        let deep = member("properties", "deep", of: json)
        #expect(member("type", of: try #require(deep)) == .string("object"))
        #expect(
            member("properties", "er", "properties", "a", "properties", "b", "title", of: try #require(deep))
                == .string("Deep"))
        #expect(member("properties", "dotted.name", "items", "minimum", of: json) == .integer(-128))
        #expect(member("properties", "own", "properties", "count", "readOnly", of: json) == .bool(true))
        #expect(member("properties", "g", "pattern", of: json) == nil)
        #expect(member("properties", "f", "pattern", of: json) == .string("^(?:[a-z]+(-[a-z]+)*)$"))
        #expect(member("properties", "v", "minimum", of: json) == nil, "a codec may turn the order around")
        #expect(member("properties", "b", "exclusiveMaximum", of: json) == .real(1))
        let words = try #require(member("properties", "b", "description", of: json))
        #expect("\(words)".contains("A share. It must be"))
        #expect(member("properties", "d", "enum", of: json) == .array([.string("de"), .string("en"), .null]))
        #expect(member("properties", "e", "maxLength", of: json) == nil)
    }

    @Test("The schema has the declared keys, whatever names with dots a file has") func declaredKeys() async throws {
        func schema(_ tree: SettingTree) async throws -> SettingsSchema {
            let store = try await SettingsStore.open(storage: InMemoryStorage(tree))
            let group = try await store.group(DocumentSettings.self, at: "document")
            return withExtendedLifetime(group) { store.file.schema() }
        }
        let nested = try await schema(SettingTree())
        let flat = try await schema(SettingTree(["document.name": .string("x")]))
        #expect(flat == nested && flat.settings.map(\.key).contains("document.name"))
    }

    @Test("A secret has no default, in data and in JSON") func secretDefaultData() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(WideSettings.self)
        settings.t = Secret("another marker")
        let schema = store.file.schema()
        let texts = [try JSONEncoder().encode(schema), try schema.jsonSchema.json()]
        for text in texts { #expect(!String(decoding: text, as: UTF8.self).contains("marker")) }
        #expect(!"\(schema)".contains("marker"))
        #expect(member("properties", "t", "writeOnly", of: schema.jsonSchema) == .bool(true))
        withExtendedLifetime(settings) {}
    }

    @Test("The schema survives a coder") func schemaSurvivesCoder() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(OwnSettings.self, at: "own")
        let schema = store.file.schema()
        let copy = try JSONDecoder().decode(SettingsSchema.self, from: JSONEncoder().encode(schema))
        #expect(copy == schema && copy.settings.first?.access == .owner)
        withExtendedLifetime(settings) {}
    }

    @Test("A saved file fits the schema written beside it") func savedFileFits() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "app/settings.json")
        let store = try await SettingsStore.open(at: file)
        let settings = try await store.group(WideSettings.self)
        let written = try await store.file.writeSchema()
        #expect(written.lastPathComponent == "settings.schema.json")
        let schema = try SettingValue(json: Data(contentsOf: written))
        func check() async throws -> [String] {
            try await store.file.flush()
            return SchemaValidator().mistakes(in: try SettingValue(json: Data(contentsOf: file)), against: schema)
        }
        try settings.update {
            settings.a = 20
            settings.b = 0
            settings.c = Date(timeIntervalSince1970: 1e13)
            settings.d = "de"
            settings.e = "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧"
            settings.f = "abc-d"
            settings.g = "١٢"
            settings.h = [.dark, .light]
            settings.i = ["": nil, "a": .nan]
            settings.j = .light
            settings.m = UUID()
            settings.n = .seconds(-90)
            settings.o = 0
            settings.p.x = 5
            settings.q = 3
            settings.r = false
            settings.s = []
            settings.u = .nan
            settings.v = 9
        }
        #expect(try await check() == [])
        try settings.update {
            (settings.c, settings.d, settings.f, settings.j, settings.m, settings.t) = (nil, nil, nil, nil, nil, nil)
            settings.k = Data()
            settings.l = URL(filePath: "/x")
            settings.u = -2.5
            settings.o = .max - 1
        }
        #expect(try await check() == [])
        // What the store refuses, the schema refuses too where it can.
        for (key, value) in [
            ("a", SettingValue.integer(21)), ("a", .string("1")), ("b", .integer(1)), ("d", .string("fr")),
            ("e", .string("")), ("f", .string("A")), ("h", .array([])), ("h", .array([.string("x")])),
            ("i", .dictionary(["a": .bool(true)])), ("j", .string("x")), ("o", .integer(-1)), ("q", .integer(4)),
            ("deep", .dictionary(["er": .integer(1)])), ("dotted.name", .array([.integer(128)])),
        ] {
            let tree = SettingValue.dictionary([key: value])
            #expect(!SchemaValidator().mistakes(in: tree, against: schema).isEmpty, "\(key): \(value) fits")
        }
        withExtendedLifetime(settings) {}
        try await store.close()
    }

    @Test("An unchanged schema is not written again, and a changed one replaces it")
    func unchangedSchemaWritten() async throws {
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(at: folder.url.appending(path: "settings.json"))
        let own = try await store.group(OwnSettings.self, at: "own")
        let file = try await store.file.writeSchema()
        func number() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
        }
        let (first, text) = (try number(), try Data(contentsOf: file))
        try await store.file.writeSchema()
        #expect(try number() == first)
        let wide = try await store.group(WideSettings.self)
        try await store.file.writeSchema()
        let more = try Data(contentsOf: file)
        #expect(more.count > text.count && more.last == UInt8(ascii: "\n"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.hasSuffix(".tmp") })
        withExtendedLifetime((own, wide)) {}
        try await store.close()
        await #expect(throws: SettingsError.self) { try await store.file.writeSchema() }
    }

    @Test("The schema of the guide is written beside the file") func schemaGuideWritten() async throws {
        struct PasscodeSettings: SettingsGroup {
            @Setting(in: 0...20, title: "Wrong guesses", help: "How many guesses in a row were wrong.")
            var attemptCount = 0
            @Setting("nextCheck", title: "Next check", help: "When the next guess is allowed.") var nextCheckDate: Date?
            @Setting(title: "Pause", unit: "seconds") var checkInterval: TimeInterval = 60
        }
        let folder = try TemporaryFolder()
        let store = try await SettingsStore.open(at: folder.url.appending(path: "settings.json"))
        let settings = try await store.group(PasscodeSettings.self)
        let text = String(decoding: try Data(contentsOf: try await store.file.writeSchema()), as: UTF8.self)
        #expect(text.contains("\"description\": \"How many guesses in a row were wrong. It must be in 0...20.\""))
        #expect(store.file.schema().settings.map(\.title) == ["Wrong guesses", "Pause", "Next check"])
        withExtendedLifetime(settings) {}
        try await store.close()
    }

    @Test("Only settings in a file have a schema beside them") func settingsFileSchema() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let error = await #expect(throws: SettingsError.self) { try await store.file.writeSchema() }
        #expect(error?.description.contains("the settings are not in a file") == true)
    }

    @Test("Patterns are portable only if they mean the same elsewhere") func patternsPortableThey() {
        for pattern in [
            "[a-z]+", "a|b", "(?:ab)?c{1,3}", "[a-zA-Z0-9._-]{1,64}", ".*", ".+?x", #"\.\["#, #"[\-\]]"#, "",
        ] {
            #expect(PortablePattern.contains(pattern), "\(pattern)")
        }
        for pattern in [
            #"\d"#, #"\w"#, ".", ".{3}", "[^a]", "(?i)a", "a++", "a*+", "(?<n>a)", "(?=a)", "é", "[a&&b]", "[[a]b]",
            "[a--b]", "[a~~b]", "(", "a)", "[", #"\"#, "a{,2}", "^a", "a$", "*", #"\-"#, "a\nb", "{", "a{2}{3}", "[]a]",
        ] {
            #expect(!PortablePattern.contains(pattern), "\(pattern)")
        }
    }

    @Test("A schema has room for many settings") func schemaRoomMany() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        var groups: [OwnSettings] = []
        for number in 0..<20_000 {
            groups.append(try await store.group(OwnSettings.self, at: .path("all", "\(number)")))
        }
        let schema = store.file.schema()
        let json = schema.jsonSchema
        #expect(schema.settings.count == 20_000)
        #expect(
            member("properties", "all", "properties", "19999", "properties", "count", "default", of: json)
                == .integer(0))
        withExtendedLifetime(groups) {}
    }
}
