import Testing

@testable import Settle

private struct Frame {
    var width: Int? = 3
    var name: String?
    var token = Secret("marker")
}

private enum Shape {
    case point
    case circle(radius: Double?)
    case named(String?, Int)
    case tag(String?)
}

@Suite struct RedactedTests {
    private func spelled(_ value: Any) -> String { "\(Redacted(value, isSecret: false))" }

    @Test("Optionals are spelled as what is in them, texts in quotation marks, secrets never")
    func optionalsSpelledThem() {
        #expect(spelled(11) == "11")
        #expect(spelled(Optional(11) as Any) == "11")
        #expect(spelled(Optional(Optional(11)) as Any) == "11")
        #expect(spelled(Int?.none as Any) == "nil")
        #expect(spelled("a\n") == #""a\n""#)
        #expect(spelled(Optional("") as Any) == #""""#)
        #expect(Redacted(typed: [Optional("de"), nil]).list() == "de, nil")
        #expect(spelled([1, nil]) == "[1, nil]")
        #expect(spelled(["b": nil, "a": 1]) == #"["a": 1, "b": nil]"#)
        #expect(spelled(Set(["b", "a"])) == #"["a", "b"]"#)
        #expect(spelled([String: Int]()) == "[:]")
        #expect(spelled(Frame()) == "Frame(width: 3, name: nil, token: ••••)")
        #expect(spelled(Secret("marker")) == "••••")
        #expect(spelled([Secret("marker")]) == "••••")
        #expect(spelled((1, Optional("x"))) == #"(1, "x")"#)
        #expect(spelled(Shape.point) == "point")
        #expect(spelled(Shape.circle(radius: 2)) == "circle(radius: 2.0)")
        #expect(spelled(Shape.named("a", 1)) == #"named("a", 1)"#)
        #expect(spelled(Shape.tag(nil)) == "tag(nil)")
    }

    @Test("An error cuts a long value") func errorCutsLong() {
        let long = String(repeating: "x", count: 1_000_000)
        #expect(Redacted(long, isSecret: false).short.utf8.count < 250)
        #expect(
            SettingsError.invalidValue(key: "a", value: Redacted(typed: long), rule: "short").description.utf8.count
                < 400)
    }

    @Test("A secret shows nothing, in whatever form it is asked for") func secretShowsNothing() {
        let said = Redacted("marker", isSecret: true)
        #expect(said.shown == nil && "\(said)" == "••••" && said.short == "••••" && "\(said.reflected)" == "••••")
        let typed = Redacted(typed: [Secret("marker")])
        #expect(typed.isSecret && typed.list() == nil && "\(typed)" == "••••")
        #expect(
            Redacted(typed: Secret<Int>?.none).isSecret && Redacted(Secret("marker") as Any, isSecret: false).isSecret)
        let stored = Redacted(SettingValue.string("marker"), isSecret: true)
        #expect(stored.summary == "••••" && stored.literal == "••••")
        #expect(Redacted(typed: Hidden.one...Hidden.two).range() == nil)
    }

    @Test("Stored values are spelled as in a file if they are short") func storedValuesSpelled() {
        func stored(_ value: SettingValue) -> Redacted<SettingValue> { Redacted(value, isSecret: false) }
        #expect(stored(.real(1000)).literal == "1000" && stored(.string("a")).literal == #""a""#)
        #expect(stored(.string("a")).summary == #""a""# && stored(.integer(3)).summary == "the integer 3")
        #expect(stored(.string(String(repeating: "x", count: 60))).literal == "a string of 60 characters")
    }
}

private enum Hidden: Int, SecretValue, Comparable {
    case one, two

    static func < (left: Hidden, right: Hidden) -> Bool { left.rawValue < right.rawValue }
}
