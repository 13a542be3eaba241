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

@Suite struct ValueSpellingTests {
    @Test func `optionals are spelled as what is in them, texts in quotation marks, secrets never`() {
        #expect(spelling(ofValue: 11) == "11")
        #expect(spelling(ofValue: Optional(11) as Any) == "11")
        #expect(spelling(ofValue: Optional(Optional(11)) as Any) == "11")
        #expect(spelling(ofValue: Int?.none as Any) == "nil")
        #expect(spelling(ofValue: "a\n") == #""a\n""#)
        #expect(spelling(ofValue: Optional("") as Any) == #""""#)
        #expect(unwrappedSpelling(of: Optional("de") as Any) == "de")
        #expect(spelling(ofValue: [1, nil]) == "[1, nil]")
        #expect(spelling(ofValue: ["b": nil, "a": 1]) == #"["a": 1, "b": nil]"#)
        #expect(spelling(ofValue: Set(["b", "a"])) == #"["a", "b"]"#)
        #expect(spelling(ofValue: [String: Int]()) == "[:]")
        #expect(spelling(ofValue: Frame()) == "Frame(width: 3, name: nil, token: ••••)")
        #expect(spelling(ofValue: Secret("marker")) == "••••")
        #expect(spelling(ofValue: [Secret("marker")]) == "••••")
        #expect(spelling(ofValue: (1, Optional("x"))) == #"(1, "x")"#)
        #expect(spelling(ofValue: Shape.point) == "point")
        #expect(spelling(ofValue: Shape.circle(radius: 2)) == "circle(radius: 2.0)")
        #expect(spelling(ofValue: Shape.named("a", 1)) == #"named("a", 1)"#)
        #expect(spelling(ofValue: Shape.tag(nil)) == "tag(nil)")
    }

    @Test func `an error cuts a long value`() {
        let long = String(repeating: "x", count: 1_000_000)
        #expect(shortSpelling(ofValue: long).utf8.count < 250)
        #expect(SettingsError.invalidValue(key: "a", value: long, rule: "short").description.utf8.count < 400)
    }
}
