import Settle
import SettleInterchange
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The order of declaration, and the texts of groups and choices, in a schema.
@Suite(.timeLimit(.minutes(10))) struct DeclarationOrderTests {
    private struct Inner: SettingsGroup {
        static let presentation = GroupPresentation.section(title: "Inside", footer: "Deep.")
        @Setting var z = 1
        @Setting var a = 2
    }

    private struct Outer: SettingsGroup {
        @Setting(.count(1...40)) var last = "x"
        let inner = Inner()
        @Setting("keyed.b") var keyed = 1
        @Setting(.oneOf(["de": "Deutsch", "en": "English"])) var first: String?
    }

    private enum Volume: String, Codable, CaseIterable, Sendable, TitledChoice {
        case low, high
        var choiceTitle: String { self == .low ? "Quiet" : "Loud" }
    }

    private struct Listed: SettingsGroup {
        @Setting var all: [Volume] = []
        @Setting var some: [String: Volume?] = [:]
        @Setting var one: Volume?
        @Setting var hidden = Secret([Volume.low])
    }

    private struct Other: SettingsGroup {
        @Setting var b = 1
    }

    private func schema(_ open: (SettingsStore) async throws -> [any SettingsGroup]) async throws -> SettingsSchema {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let groups = try await open(store)
        return withExtendedLifetime(groups) { store.file.schema() }
    }

    @Test("A schema has the order of declaration, whatever the order of opening") func order() async throws {
        let one = try await schema {
            [
                try await $0.group(Outer.self), try await $0.group(Other.self, at: "c"),
                try await $0.group(Inner.self, at: "inner"),
            ]
        }
        let two = try await schema {
            [
                try await $0.group(Inner.self, at: "inner"), try await $0.group(Other.self, at: "c"),
                try await $0.group(Outer.self),
            ]
        }
        let keys: [SettingKey] = ["last", "inner.z", "inner.a", "keyed.b", "first", "c.b"]
        #expect(one.settings.sorted { $0.order < $1.order }.map(\.key) == keys.map(\.description))
        for declared in [DeclaredSettings(one), DeclaredSettings(jsonSchema: one.jsonSchema)] {
            #expect(declared.inOrder.map(\.key) == keys)
            #expect(
                declared.sorted(["c.x", "inner.b", "x", "inner.a", "first"] + keys.prefix(2)).map(\.description)
                    == ["last", "inner.z", "inner.a", "inner.b", "first", "c.x", "x"])
            let group = declared.group("inner")
            #expect(group?.title == "Inside" && group?.footer == "Deep." && group?.isSection == true)
        }
        #expect(one == two)
        #expect(one.groups.map(\.key) == ["inner"] && one.groups.first?.presentation == Inner.presentation)
    }

    @Test("Titles of choices and rules without a keyword survive a JSON Schema") func rules() async throws {
        let schema = try await schema { [try await $0.group(Outer.self)] }
        let declared = DeclaredSettings(jsonSchema: try SettingValue(json: schema.jsonSchema.json()))
        let choices = declared["first"]?.check.titledChoices ?? []
        #expect(choices.map(\.value) == [.string("de"), .string("en")])
        #expect(choices.map(\.title) == ["Deutsch", "English"])
        let rule = try #require(declared["last"]?.rules.first)
        #expect(rule.kind == .count && rule.lowerBound?.value == .integer(1) && rule.upperBound?.value == .integer(40))
        #expect(declared["last"]?.rules.count == 1 && rule.description == "of 1 to 40 characters")
    }

    @Test("The entries of lists and dictionaries have the titles of their type, except secrets")
    func listedChoices() async throws {
        let schema = try await schema { [try await $0.group(Listed.self)] }
        let text = try schema.jsonSchema.json()
        let declared = DeclaredSettings(jsonSchema: try SettingValue(json: text))
        for check in [declared["all"]?.check.element, declared["some"]?.check.element, declared["one"]?.check] {
            let choices = check?.titledChoices ?? []
            #expect(choices.map(\.value) == [.string("low"), .string("high")])
            #expect(choices.map(\.title) == ["Quiet", "Loud"])
        }
        let secret = try #require(declared["hidden"]?.check)
        #expect(secret.types == ["array"] && secret.element?.titledChoices == nil)
    }

    @Test("Editors that order properties find the order of a schema by hand, too") func byHand() throws {
        let text = #"{"properties": {"a": {"propertyOrder": 2}, "b": {"propertyOrder": 1, "properties": {"x": {}}}}}"#
        let declared = DeclaredSettings(jsonSchema: try SettingValue(json: Data(text.utf8)))
        #expect(declared.inOrder.map(\.key) == ["b.x", "a"])
    }

    @Test("A described bundle has sections and the titles of choices, in the order of declaration")
    func bundle() async throws {
        let bundle = SettingsBundle(describing: try await schema { [try await $0.group(Outer.self)] })
        #expect(bundle.panes.map(\.file) == ["Root", "keyed"])
        #expect(
            bundle.root.specifiers.map { $0.key ?? $0.title } == [
                "last", "Inside", "inner.z", "inner.a", nil, "Keyed", "first",
            ])
        #expect(bundle.root.sections.map(\.footer) == [nil, "Deep.", nil])
        guard case .multiValue(let menu)? = bundle.root.specifiers.last?.kind else {
            Issue.record("There is no menu.")
            return
        }
        #expect(menu.choices.map(\.title) == ["Deutsch", "English"])
    }
}
