import Foundation
import Settle
import Testing

private enum Theme: String, Codable, CaseIterable, Sendable { case dark, light }
private enum Hidden: String, Codable, CaseIterable, SecretValue { case marker, other }
private struct PIN: SecretValue, Codable, Comparable {
    var digits = 1234

    static func < (left: PIN, right: PIN) -> Bool { left.digits < right.digits }
}

private struct RuledSettings: SettingsGroup {
    @Setting(in: 0...20) var a = 0
    @Setting(in: 0..<1) var b = 0.5
    @Setting(in: ...Date(timeIntervalSince1970: 0)) var c: Date?
    @Setting(.oneOf(["de", "en"])) var d: String?
    @Setting(.count(..<64)) var e = "app"
    @Setting(.matching("[a-z]+")) var f: String?
    @Setting(.matching(/[a-z]+/)) var g = "app"
    @Setting(.check("positive") { $0 > 0 }) var h = 1
    @Setting var i: Theme?
    @Setting(in: "a"..., codec: .init(encode: { .string("<\($0)>") }, decode: { "\($0)" })) var j = "b"
}

extension Setting where Value == String {
    fileprivate init(wrappedValue: String, in range: PartialRangeFrom<String>, codec: SettingCodec<String>) {
        self.init(wrappedValue: wrappedValue, codec: codec, rules: [.range(range)])
    }
}

private enum Volume: String, Codable, CaseIterable, TitledChoice {
    case low, high
    var choiceTitle: String { self == .low ? "Quiet" : "Loud" }
}

private struct WordedRules: SettingsGroup {
    @Setting(.oneOf(["de": "Deutsch", "en": "English"])) var a = "en"
    @Setting(.oneOf([1: "One"])) var b: Int?
    @Setting var c: Volume?
    @Setting(.oneOf([Volume.high])) var d = Volume.high
    @Setting(.matching("[a-z]+", "a word in lowercase letters")) var e = "x"
    @Setting(.matching(/[a-z]+/, "another word")) var f: String?
    @Setting(.check { $0 > 0 }) var g = 1
}

private struct SecretRules: SettingsGroup {
    @Setting(in: PIN(digits: 7)...PIN(digits: 9999)) var a = PIN()
    @Setting(.oneOf([PIN(digits: 42), PIN(digits: 43)])) var b: PIN?
    @Setting(.count(8...)) var c = Secret("long enough")
    @Setting var d = Hidden.other
    @Setting(.unlessNil(.oneOf([.other]))) var e: Hidden?
}

private struct BadPattern: SettingsGroup {
    @Setting(.matching("[a-z")) var name = "app"
    @Setting(.matching("(")) var other: String?
    @Setting(in: 1...2) var size = 1
}

@Suite(.timeLimit(.minutes(10))) struct RuleDescriptionTests {
    private func rules<Group: SettingsGroup>(of group: Group.Type) async throws -> [RuleDescription] {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(group)
        return withExtendedLifetime(settings) { store.settings.flatMap(\.rules) }
    }

    @Test("Each rule is data: bounds, cases and patterns as they are stored") func eachRuleData() async throws {
        let rules = try await rules(of: RuledSettings.self)
        #expect(
            rules.map(\.kind) == [
                .range, .range, .range, .oneOf, .count, .pattern, .pattern, .check, .oneOf, .range,
            ])
        #expect(rules[0].lowerBound?.value == .integer(0) && rules[0].lowerBound?.isIncluded == true)
        #expect(rules[0].upperBound?.value == .integer(20) && rules[0].upperBound?.isIncluded == true)
        #expect(rules[1].lowerBound?.value == .real(0) && rules[1].upperBound?.value == .real(1))
        #expect(rules[1].upperBound?.isIncluded == false)
        #expect(rules[2].lowerBound == nil && rules[2].upperBound?.value == .date(Date(timeIntervalSince1970: 0)))
        #expect(rules[3].cases == [.string("de"), .string("en")])
        #expect(rules[4].lowerBound == nil && rules[4].upperBound?.value == .integer(64))
        #expect(rules[5].pattern == "[a-z]+" && rules[5].description == "a match of the pattern [a-z]+")
        #expect(rules[6].pattern == nil && rules[6].description == "a match of its pattern")
        #expect(rules[7].description == "positive")
        #expect(rules[8].cases == [.string("dark"), .string("light")])
        #expect(rules[9].lowerBound?.value == .string("<a>"), "the declaration's codec spells the bounds")
    }

    @Test("Rules of secrets have neither bounds nor cases") func rulesSecretsNeither() async throws {
        let rules = try await rules(of: SecretRules.self)
        #expect(
            rules.map(\.description) == [
                "in a range", "one of 2 values", "of at least 8 characters", "one of 1 values",
            ])
        #expect(rules.allSatisfy { $0.cases == nil })
        #expect(rules.filter { $0.kind != .count }.allSatisfy { $0.lowerBound == nil && $0.upperBound == nil })
        let text = String(decoding: try JSONEncoder().encode(rules), as: UTF8.self) + "\(rules)"
        for part in ["42", "43", "9999", "marker", "other"] { #expect(!text.contains(part), "\(part) shows") }
    }

    @Test("Choices have the titles of the rule or of the type, and patterns the text of the declaration")
    func words() async throws {
        let rules = try await rules(of: WordedRules.self)
        #expect(
            rules.map(\.titles) == [
                ["Deutsch", "English"], ["One"], ["Quiet", "Loud"], ["Quiet", "Loud"], ["Loud"], nil, nil, nil,
            ])
        #expect(rules[0].cases == [.string("de"), .string("en")] && rules[4].cases == [.string("high")])
        #expect(rules.suffix(3).map(\.text) == ["a word in lowercase letters", "another word", nil])
        #expect(rules[5].pattern == "[a-z]+")
        let decoded = try JSONDecoder().decode([RuleDescription].self, from: JSONEncoder().encode(rules))
        #expect(decoded == rules)
        let settings = WordedRules()
        let error = #expect(throws: SettingsError.self) { try settings.$e.set("X") }
        #expect(error?.description.contains("it must be a word in lowercase letters.") == true)
    }

    @Test("Rules survive a coder") func rulesSurviveCoder() async throws {
        let rules = try await rules(of: RuledSettings.self)
        let plain = [rules[0]] + rules[3...9]
        let decoded = try JSONDecoder().decode([RuleDescription].self, from: JSONEncoder().encode(plain))
        #expect(decoded == plain)
    }

    @Test("A pattern given as text is the rule, and the whole value has to match") func patternGivenText() throws {
        let settings = RuledSettings()
        try settings.$f.set("abc")
        for value in ["", "ABC", "abc ", "a\nb"] {
            #expect(throws: SettingsError.self) { try settings.$f.set(value) }
        }
        #expect(settings.f == "abc")
        try settings.$f.set(nil)
    }

    @Test("Opening a group names all patterns that are no regular expressions") func openingGroupNames() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let error = await #expect(throws: SettingsError.self) { try await store.group(BadPattern.self) }
        #expect(error?.problems.map(\.key) == ["name", "other"])
        #expect(error?.problems.allSatisfy { $0.code == .invalidRule } == true)
        #expect(
            error?.description.contains("BadPattern.name has a rule that no value can satisfy: “[a-z” is not") == true)
    }
}
