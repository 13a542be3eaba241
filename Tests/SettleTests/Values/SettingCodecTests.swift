import Foundation
import Settle
import Testing

@Suite struct SettingCodecTests {
    private func expectRoundTrip<Value: Codable & Sendable & Equatable>(
        _ value: Value, as expected: SettingValue, location: SourceLocation = #_sourceLocation
    ) throws {
        let codec = SettingCodec<Value>.standard
        #expect(try codec.encode(value) == expected, sourceLocation: location)
        #expect(try codec.decode(expected) == value, sourceLocation: location)
    }

    private func refusal<Value: Codable & Sendable>(of value: SettingValue, as type: Value.Type) -> String? {
        do {
            _ = try SettingCodec<Value>.standard.decode(value)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private enum Level: String, Codable, CaseIterable {
        case low, high
    }

    private enum Stage: Int, Codable, CaseIterable {
        case first = 1
        case second
    }

    @Test("The error about an unknown case of an enumeration lists the known ones")
    func casesInErrors() throws {
        try expectRoundTrip(Level.high, as: .string("high"))
        #expect(
            refusal(of: .string("middle"), as: Level.self)
                == "Expected one of \"low\", \"high\", found a string of 6 characters.")
        #expect(
            refusal(of: .array([.string("low"), .integer(1)]), as: [Level?].self)
                == "Expected one of \"low\", \"high\" at 1, found the integer 1.")
        #expect(refusal(of: .integer(3), as: Stage.self) == "Expected one of 1, 2, found the integer 3.")
    }

    @Test("Booleans, strings and integers keep their kind")
    func plainValues() throws {
        try expectRoundTrip(true, as: .bool(true))
        try expectRoundTrip("a", as: .string("a"))
        try expectRoundTrip(-3, as: .integer(-3))
        try expectRoundTrip(UInt8.max, as: .integer(255))
        try expectRoundTrip(Int64.min, as: .integer(.min))
        try expectRoundTrip(UInt64.max, as: .number("18446744073709551615"))
        try expectRoundTrip(Int128.min, as: .number("-170141183460469231731687303715884105728"))
    }

    @Test("Reals keep their shortest spelling, and become strings if they are not finite")
    func reals() throws {
        try expectRoundTrip(0.1, as: .real(0.1))
        try expectRoundTrip(Float(0.1), as: .real(0.1))
        try expectRoundTrip(Float.greatestFiniteMagnitude, as: .real(3.4028235e38))
        try expectRoundTrip(Float(16_777_216), as: .real(16_777_216))
        try expectRoundTrip(-Double.infinity, as: .string("-inf"))
        try expectRoundTrip(Float.infinity, as: .string("inf"))
        #expect(try SettingCodec<Double>.standard.encode(.nan) == .string("nan"))
        #expect(try SettingCodec<Double>.standard.decode(.string("nan")).isNaN)
    }

    @Test("Numbers are decoded from any exact spelling, and others are refused with an explanation")
    func exactness() throws {
        #expect(try SettingCodec<Int>.standard.decode(.real(3)) == 3)
        #expect(try SettingCodec<Double>.standard.decode(.integer(3)) == 3)
        #expect(try SettingCodec<Double>.standard.decode(.number("100000000000000000000")) == 1e20)
        #expect(try SettingCodec<Double>.standard.decode(.number("0.1000000000000000000001")) == 0.1)
        #expect(
            refusal(of: .integer(300), as: UInt8.self)
                == "Expected an integer from 0 to 255, found the integer 300.")
        #expect(refusal(of: .real(3.5), as: Int.self) != nil)
        #expect(refusal(of: .integer(9_007_199_254_740_993), as: Double.self) != nil)
        #expect(refusal(of: .number("123456789012345678901"), as: Double.self) != nil)
        #expect(refusal(of: .number("1e400"), as: Double.self) != nil)
        #expect(refusal(of: .number("1e-400"), as: Double.self) != nil)
        #expect(refusal(of: .integer(16_777_217), as: Float.self) != nil)
        #expect(refusal(of: .real(1e39), as: Float.self) != nil)
        #expect(
            refusal(of: .string("3"), as: Int.self)?.hasSuffix("found a string of 1 character.") == true)
        #expect(refusal(of: .integer(1), as: Bool.self) == "Expected true or false, found the integer 1.")
        #expect(refusal(of: .string("3"), as: Double.self) != nil)
        #expect(refusal(of: .null, as: String.self) == "Expected a string, found null.")
    }

    @Test("Dates and data keep their kind, URLs and UUIDs become strings, and all are decoded from strings")
    func foundationValues() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.25)
        try expectRoundTrip(date, as: .date(date))
        #expect(try SettingCodec<Date>.standard.decode(.string("2001-01-01T02:00:00.25+02:00")) == date)
        #expect(try SettingCodec<Date>.standard.decode(.real(978_307_200.25)) == date)
        #expect(refusal(of: .string("soon"), as: Date.self) != nil)
        try expectRoundTrip(Data([1, 2]), as: .data(Data([1, 2])))
        #expect(try SettingCodec<Data>.standard.decode(.string("AQI=")) == Data([1, 2]))
        #expect(refusal(of: .string("?"), as: Data.self) != nil)
        try expectRoundTrip(try #require(URL(string: "https://a.b/c?d#e")), as: .string("https://a.b/c?d#e"))
        #expect(refusal(of: .string(""), as: URL.self) != nil)
        #expect(refusal(of: .string("a b"), as: URL.self) != nil)
        let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        try expectRoundTrip(try #require(UUID(uuidString: text)), as: .string(text))
        #expect(refusal(of: .string("E621"), as: UUID.self) != nil)
    }

    @Test(
        "A duration is encoded as exact decimal seconds",
        arguments: [
            (Duration.milliseconds(90_500), "90.5s"), (.zero, "0s"), (.milliseconds(-1), "-0.001s"),
            (Duration(attoseconds: .max), "170141183460469231731.687303715884105727s"),
            (Duration(attoseconds: .min), "-170141183460469231731.687303715884105728s"),
        ])
    func durations(duration: Duration, text: String) throws {
        try expectRoundTrip(duration, as: .string(text))
    }

    @Test("A duration is also decoded from a number, but not from anything finer than attoseconds")
    func durationsFromNumbers() throws {
        #expect(try SettingCodec<Duration>.standard.decode(.integer(2)) == .seconds(2))
        #expect(try SettingCodec<Duration>.standard.decode(.real(0.1)) == .milliseconds(100))
        // As arguments and the environment are read.
        #expect(try SettingCodec<Duration>.standard.decode(.string("250ms")) == .milliseconds(250))
        #expect(try SettingCodec<Duration>.standard.decode(.string("-1m30.5s")) == .seconds(-90.5))
        #expect(refusal(of: .string("90"), as: Duration.self) != nil)
        #expect(refusal(of: .string("1s1m"), as: Duration.self) != nil)
        #expect(refusal(of: .string("1e-19s"), as: Duration.self) != nil)
        #expect(refusal(of: .number("1e40"), as: Duration.self) != nil)
    }

    @Test("Collections nest, and an error names the path of the value")
    func collections() throws {
        try expectRoundTrip([1, 2], as: .array([.integer(1), .integer(2)]))
        try expectRoundTrip(Int?.none, as: .null)
        try expectRoundTrip(Int?.some(1), as: .integer(1))
        try expectRoundTrip(
            ["a": [1, nil]], as: .dictionary(["a": .array([.integer(1), .null])]))
        try expectRoundTrip(Set([10, 9, 100]), as: .array([.integer(9), .integer(10), .integer(100)]))
        try expectRoundTrip(Set(["b", "a"]), as: .array([.string("a"), .string("b")]))
        #expect(
            refusal(of: .dictionary(["a": .array([.integer(1), .bool(true)])]), as: [String: [Int8]].self)
                == "Expected an integer from -128 to 127 at a.1, found true.")
    }
}
