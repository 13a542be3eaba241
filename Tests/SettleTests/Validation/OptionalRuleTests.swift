import Settle
import Testing

private struct OptionalSettings: SettingsGroup {
    @Setting(in: 1...5) var level: Int?
    @Setting("lowest", in: ..<5) var low: Int? = 3
    @Setting(.oneOf(["de", "en"])) var language: String?
    @Setting(.matching(/[a-z]+/)) var name: String?
    @Setting(.count(1...3)) var title: String?
    @Setting(.check("an even number") { $0.isMultiple(of: 2) }) var width: Int?
    @Setting(.check("more than 5, or nothing") { ($0 ?? 7) > 5 }) var height: Int?
    @Setting(.range(0...), .check("short") { $0 < 100 }) var depth: Int?
    @Setting(.unlessNil(.range(0...))) var area: Int?
}

private struct CountedSettings: SettingsGroup {
    @Setting(.count(1...4)) var name = "app"
    @Setting("words", .count(...2)) var list: [String] = []
    @Setting(.count(..<3)) var ports: [String: Int] = [:]
    @Setting(.count(1...)) var days: Set<Int> = [1]
    @Setting(.count(8...)) var token = Secret("long enough")
}

@Suite(.timeLimit(.minutes(10))) struct OptionalRuleTests {
    @Test("An optional with a rule is nil by default, and nil passes") func optionalRuleNil() throws {
        let settings = OptionalSettings()
        #expect(settings.level == nil && settings.language == nil && settings.name == nil && settings.title == nil)
        #expect(settings.width == nil && settings.depth == nil && settings.low == 3)
        try settings.update {
            settings.level = 5
            settings.low = nil
            settings.language = "de"
            settings.name = "abc"
            settings.title = "ab"
            settings.width = 4
            settings.height = 6
            settings.depth = 99
            settings.area = 1
        }
        try settings.update {
            settings.level = nil
            settings.language = nil
            settings.name = nil
            settings.title = nil
            settings.width = nil
            settings.height = nil
            settings.depth = nil
            settings.area = nil
        }
        #expect(settings.level == nil && settings.width == nil && settings.area == nil)
    }

    @Test("A value of an optional follows the rule, which names no optional") func valueOptionalFollows() throws {
        let settings = OptionalSettings()
        func rule(_ write: () throws -> Void) -> String? { (thrown(by: write) as? SettingsError)?.rule }
        #expect(rule { try settings.$level.set(6) } == "in 1...5")
        #expect(rule { try settings.$low.set(5) } == "in ..<5")
        #expect(rule { try settings.$language.set("fr") } == "one of de, en")
        #expect(rule { try settings.$name.set("A") } == "a match of its pattern")
        #expect(rule { try settings.$title.set("") } == "of 1 to 3 characters")
        #expect(rule { try settings.$width.set(3) } == "an even number")
        #expect(rule { try settings.$height.set(5) } == "more than 5, or nothing")
        #expect(rule { try settings.$depth.set(100) } == "short")
        #expect(rule { try settings.$area.set(-1) } == "in 0...")
        let error = thrown(by: { try settings.$level.set(11) }) as? SettingsError
        #expect(error?.description.contains("can't be 11: it must be in 1...5.") == true)
        let long = thrown(by: { try settings.$title.set("long") }) as? SettingsError
        #expect(long?.description.contains("can't be \"long\": it must have 1 to 3 characters.") == true)
    }

    @Test("`count` speaks of characters, elements, entries and secrets") func countSpeaksCharacters() {
        let settings = CountedSettings()
        func rule(_ write: () throws -> Void) -> String? { (thrown(by: write) as? SettingsError)?.rule }
        #expect(rule { try settings.$name.set("") } == "of 1 to 4 characters")
        #expect(rule { try settings.$name.set("abcde") } == "of 1 to 4 characters")
        #expect(rule { try settings.$list.set(["a", "b", "c"]) } == "of at most 2 elements")
        #expect(rule { try settings.$ports.set(["a": 1, "b": 2, "c": 3]) } == "of at most 2 entries")
        #expect(rule { try settings.$days.set([]) } == "of at least 1 element")
        #expect(rule { try settings.$token.set(Secret("short")) } == "of at least 8 characters")
        #expect(rule { try settings.$name.set("äöü😀") } == nil)
    }
}
