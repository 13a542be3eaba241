import Foundation
import Testing

@testable import Settle

private enum Level: Int, Codable, CaseIterable, Sendable { case low = 1, high = 2 }
private enum Sound: String, Codable, CaseIterable, Sendable, TitledChoice {
    case low, high
    var choiceTitle: String { self == .low ? "Quiet" : "Loud" }
}
private struct Open: RawRepresentable, Codable, CaseIterable, Sendable {
    var rawValue: String
    static let allCases = [Open(rawValue: "a")]
}

@Suite struct ValueShapeTests {
    @Test("The shape of a type is that of its stored values") func shapeTypeStored() {
        #expect(ValueShape(of: Bool.self).kind == .bool)
        #expect(ValueShape(of: Int.self) == ValueShape(.integer))
        #expect(
            ValueShape(of: UInt8.self).minimum == .integer(0) && ValueShape(of: UInt8.self).maximum == .integer(255))
        #expect(ValueShape(of: UInt64.self).maximum == .number("18446744073709551615"))
        #expect(ValueShape(of: Float?.self).kind == .number && ValueShape(of: Float?.self).isOptional)
        #expect(ValueShape(of: Date.self).kind == .date && ValueShape(of: Data.self).kind == .data)
        #expect(ValueShape(of: URL.self).kind == .url && ValueShape(of: UUID.self).kind == .uuid)
        #expect(ValueShape(of: Duration.self).kind == .duration && ValueShape(of: Open.self).kind == .any)
        #expect(ValueShape(of: [[Int?]].self).element?.element?.isOptional == true)
        #expect(ValueShape(of: Set<String>.self).element?.kind == .string)
        #expect(ValueShape(of: [Int: Bool].self).element?.kind == .bool)
        #expect(ValueShape(of: [Level: Bool].self).kind == .any)
        #expect(ValueShape(of: [Level].self).element?.cases == [.integer(1), .integer(2)])
        #expect(ValueShape(of: Open.self).cases == nil, "a struct may have values that it does not list")
        #expect(ValueShape(of: Secret<Int>?.self).kind == .integer && ValueShape(of: Secret<Int>?.self).isOptional)
        #expect(
            ValueShape(of: Secret<Level>.self).cases == nil
                && ValueShape(of: Secret<[Level]>.self).element?.cases == nil)
    }

    @Test("The cases of a type have its titles, in lists too, but not those of a secret")
    func casesHaveTitles() {
        for shape in [ValueShape(of: Sound?.self), ValueShape(of: [String: Sound].self).element] {
            #expect(shape?.cases == [.string("low"), .string("high")] && shape?.titles == ["Quiet", "Loud"])
        }
        #expect(ValueShape(of: Level.self).titles == nil)
        #expect(ValueShape(of: Secret<[Sound]>.self).element?.titles == nil)
    }

    @Test("Stored values pass through a coder as plain values") func storedValuesPass() throws {
        let value = SettingValue.dictionary([
            "a": .array([.null, .bool(true), .integer(-1), .real(0.5), .string("é"), .number("18446744073709551615")]),
            "": .dictionary([:]),
        ])
        #expect(try JSONDecoder().decode(SettingValue.self, from: JSONEncoder().encode(value)) == value)
        let spelled = SettingValue.array([.date(Date(timeIntervalSince1970: 0)), .data(Data([0, 255])), .real(1)])
        #expect(
            try JSONDecoder().decode(SettingValue.self, from: JSONEncoder().encode(spelled))
                == .array([.string("1970-01-01T00:00:00Z"), .string("AP8="), .integer(1)]))
        #expect(try SettingValueEncoder().encode(spelled) == spelled, "in a settings file nothing is lost")
        #expect(try SettingValueDecoder().decode(SettingValue.self, from: spelled) == spelled)
    }
}
