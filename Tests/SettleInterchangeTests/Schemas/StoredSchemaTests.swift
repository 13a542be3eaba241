import Foundation
import Settle
import SettleTesting
import Testing

@testable import SettleInterchange

private struct LimitSettings: SettingsGroup {
    @Setting(in: 0...10_000) var requests = 100
    @Setting var burst = 20
}

private struct ServiceSettings: SettingsGroup {
    @Setting(.oneOf(["dark", "light"])) var theme = "dark"
    @Setting(.count(...2)) var routes: [String: Int] = [:]
    @Setting(.matching("[a-z]+")) var name = "a"
    @Setting var key: Secret<String>?
    let limits = LimitSettings()
}

private struct OwnedSettings: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var count = 0
}

@Suite(.timeLimit(.minutes(10))) struct StoredSchemaTests {
    private func schema() async throws -> StoredSchema {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let groups: [any SettingsGroup] = [
            try await store.group(ServiceSettings.self), try await store.group(OwnedSettings.self, at: "own"),
        ]
        // As it comes back from a file or a cluster.
        let json = try withExtendedLifetime(groups) { try store.file.schema().jsonSchema.json() }
        return try StoredSchema(SettingValue(json: json))
    }

    private func schema(_ json: String) throws -> StoredSchema { try StoredSchema(SettingValue(json: Data(json.utf8))) }

    private func problem(_ json: String) -> String? {
        do {
            _ = try schema(json)
            return nil
        } catch {
            let error = error as? SettingsError
            #expect(error?.code == .unusableSchema)
            return error?.description
        }
    }

    @Test("A broken rule is named with its key") func brokenRuleNamed() async throws {
        let schema = try await schema()
        let nothing = SettingTree()
        let valid: [SettingKey: SettingValue?] = ["limits.requests": .integer(10_000), "theme": .string("light")]
        #expect(schema.problems(with: valid, over: nothing) == [])
        let problems = schema.problems(
            with: ["limits.requests": .integer(10_001), "theme": .string("blue"), "name": .string("A")], over: nothing)
        #expect(problems.count == 3)
        // A rule is stated once; but a pattern needs the words of its declaration.
        #expect(problems[0] == "“limits.requests” can't be 10001: it must be in 0...10000.")
        #expect(problems[1].hasPrefix("“name” can't be \"A\": it does not match its pattern. It must"))
        #expect(problems[2] == "“theme” can't be \"blue\": it must be one of dark, light.")
        let type = schema.problems(with: ["limits.burst": .string("20")], over: nothing)
        #expect(type.count == 1 && type[0].contains("it must be a whole number"))
        let secret = schema.problems(with: ["key": .integer(4_711)], over: nothing)
        #expect(secret.count == 1 && !secret[0].contains("4711"))
    }

    @Test("A group is not replaced by a value, and a key that is not declared is refused")
    func groupReplacedValue() async throws {
        let schema = try await schema()
        let stored = SettingTree(["limits": .dictionary(["burst": .integer(3)])])
        #expect(
            schema.problems(with: ["limits": .integer(3)], over: stored)
                == ["“limits” is a group of settings, and 3 would replace all of them."])
        #expect(schema.problems(with: ["limits": .dictionary(["burst": .integer(4)])], over: stored) == [])
        #expect(schema.problems(with: ["limits": .dictionary(["burst": .bool(true)])], over: stored).count == 1)
        #expect(
            schema.problems(with: ["limits.reqests": .integer(3)], over: stored)
                == ["There is no setting “limits.reqests” in the schema."])
        // What is removed needs no declaration.
        #expect(schema.problems(with: ["limits.reqests": nil, "limits": nil], over: stored) == [])
        for value in [SettingValue?.some(.integer(1)), nil] {
            #expect(schema.problems(with: ["own.count": value], over: stored).first?.contains("owner") == true)
        }
    }

    @Test("A value that is given to a group with a secret is not shown") func groupWithSecret() throws {
        let schema = try schema(
            #"{"properties": {"account": {"properties": {"token": {"type": "string", "writeOnly": true}}}}}"#)
        let problems = schema.problems(with: ["account": .string("hunter2")], over: SettingTree())
        #expect(problems == ["“account” is a group of settings, and •••• would replace all of them."])
    }

    @Test("A key that is one name with dots is that of the declared setting") func nameWithDots() async throws {
        let schema = try await schema()
        func problems(_ key: SettingKey, _ value: Int64) -> [String] {
            schema.problems(with: [key: .integer(value)], over: SettingTree())
        }
        #expect(problems("limits\\.requests", 5) == [])
        #expect(problems("limits\\.requests", 10_001).first?.hasPrefix("“limits.requests” can't be") == true)
        #expect(problems("own\\.count", 1).first?.contains("owner") == true)
    }

    @Test("A part of a value is checked with the rest of it") func partValueChecked() async throws {
        let schema = try await schema()
        let stored = SettingTree(["routes": .dictionary(["a": .integer(1), "b": .integer(2)])])
        #expect(schema.problems(with: ["routes.a": .integer(3)], over: stored) == [])
        let problems = schema.problems(with: ["routes.c": .integer(3), "routes.d": .integer(3)], over: stored)
        #expect(problems.count == 1 && problems[0].hasPrefix("“routes” can't be"))
        #expect(problems[0].hasSuffix(": it must have at most 2 keys."))
        #expect(schema.problems(with: ["routes.c": .integer(3), "routes.a": nil], over: stored) == [])
        #expect(schema.problems(with: ["routes.a": .string("x")], over: stored).count == 1)
    }

    @Test("Only what is written is checked") func writtenChecked() async throws {
        let stored = SettingTree(["limits": .dictionary(["requests": .integer(-1)]), "theme": .integer(1)])
        #expect(try await schema().problems(with: ["limits.burst": .integer(1)], over: stored) == [])
    }

    @Test("Unknown keywords are ignored, and a schema by hand needs no types of Swift")
    func unknownKeywordsIgnored() throws {
        let json = #"""
            {"$ref": "#/x", "if": 3, "properties": {"a": {"type": "integer", "minimum": 1, "multipleOf": "x", "not": {}},
             "g": {"type": "object", "properties": {"b": {"enum": [1, null]}}}}}
            """#
        let schema = try schema(json)
        #expect(schema.problems(with: ["a": .integer(1), "g.b": .null], over: SettingTree()) == [])
        let wrong: [SettingKey: SettingValue?] = ["a": .integer(0), "g.b": .integer(2), "h": .null]
        #expect(schema.problems(with: wrong, over: SettingTree()).count == 3)
        #expect(try self.schema("{}").problems(with: ["a": .integer(0)], over: SettingTree()) == [])
    }

    @Test(
        "A broken schema is an error with the location",
        arguments: [
            ("[]", "“#” is not an object"), ("null", "“#” is not an object"),
            (#"{"properties": []}"#, "“#/properties” is not an object"),
            (#"{"properties": {"a": 3}}"#, "“#/properties/a” is not an object"),
            (#"{"properties": {"a": {"type": "strnig"}}}"#, "“#/properties/a/type” is not a type"),
            (#"{"type": []}"#, "“#/type” is not a list of types"),
            (#"{"type": [1]}"#, "“#/type” is not a list of types"),
            (#"{"minimum": "1"}"#, "“#/minimum” is not a number"),
            (#"{"maxItems": 1.5}"#, "“#/maxItems” is not a whole number"),
            (#"{"enum": {}}"#, "“#/enum” is not a list"), (#"{"anyOf": []}"#, "“#/anyOf” is empty"),
            (#"{"allOf": [{}, {"anyOf": [1]}]}"#, "“#/allOf/1/anyOf/0” is not an object"),
            (#"{"items": [{}]}"#, "“#/items” is not a schema"),
            (#"{"items": {"pattern": 1}}"#, "“#/items/pattern” is not a text"),
            (#"{"pattern": "("}"#, "“#/pattern” is not a regular expression"),
        ])
    func brokenSchemaError(_ json: String, _ expected: String) {
        #expect(problem(json)?.contains("The schema can't be used: \(expected).") == true)
    }

    @Test("Single values of other types, parts of texts, and anything") func singleValuesOther() throws {
        let schema = try schema(
            #"""
            {"properties": {
              "limit": {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf"]}]},
              "address": {"type": "string", "pattern": "^https://"}, "name": {"type": "string", "pattern": "^[a-z]$"},
              "age": {"minimum": 0, "description": "It must be at least 0."},
              "share": {"minimum": 0, "exclusiveMaximum": 1}, "any": true,
              "password": {"type": "string", "writeOnly": true}}}
            """#)
        func problems(_ key: SettingKey, _ value: SettingValue) -> [String] {
            schema.problems(with: [key: value], over: SettingTree())
        }
        #expect(problems("limit", .string("inf")) == [] && problems("limit", .integer(1)) == [])
        #expect(problems("limit", .string("none")) == ["“limit” can't be \"none\": it must be a number."])
        #expect(problems("address", .string("https://example.com")) == [])
        #expect(problems("address", .string("http://example.com")).count == 1)
        #expect(problems("name", .string("a")) == [] && problems("name", .string("a\n")).count == 1)
        #expect(problems("any", .array([.null])) == [] && problems("other", .null).count == 1)
        #expect(schema.isSecret("password") && !schema.isSecret("name"))
        // One bound alone, and both.
        #expect(problems("age", .integer(-1)) == ["“age” can't be -1: it must be at least 0."])
        #expect(problems("share", .integer(1)) == ["“share” can't be 1: it must be in 0..<1."])
    }

    @Test("Depth and patterns have bounds") func depthPatternsBounds() throws {
        func nested(_ depth: Int, _ opening: String, _ closing: String) -> String {
            String(repeating: opening, count: depth) + "{}" + String(repeating: closing, count: depth)
        }
        #expect(problem(nested(63, #"{"items": "#, "}")) == nil)
        #expect(problem(nested(64, #"{"items": "#, "}"))?.contains("more than 64 levels deep") == true)
        #expect(problem(nested(60, #"{"anyOf": ["#, "]}")) == nil)
        // A value that was not read from JSON has no limit of its own.
        var value = SettingValue.dictionary([:])
        for _ in 0..<10_000 { value = .dictionary(["items": value]) }
        #expect(throws: SettingsError.self) { try StoredSchema(value) }
        for pattern in [
            String(repeating: "a", count: 1_001), String(repeating: "(", count: 65) + String(repeating: ")", count: 65),
            String(repeating: #"(\)"#, count: 65) + String(repeating: ")", count: 65),
        ] {
            #expect(throws: SettingsError.self) { try StoredSchema(.dictionary(["pattern": .string(pattern)])) }
        }
        // Alternatives within alternatives are tried once each.
        let deep = try schema(#"{"properties": {"a": "# + nested(40, #"{"anyOf": [{"type": "null"}, "#, "]}") + "}}")
        #expect(deep.problems(with: ["a": .integer(1)], over: SettingTree()) == [])
    }
}
