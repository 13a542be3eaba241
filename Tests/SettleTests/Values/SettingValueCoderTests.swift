import FoundationEssentials
import Settle
import Testing

/// The encoder and the decoder of `Codable` types together.
@Suite struct SettingValueCoderTests {
    private func expectRoundTrip<Value: Codable & Sendable & Equatable>(
        _ value: Value, as expected: SettingValue, location: SourceLocation = #_sourceLocation
    ) throws {
        let codec = SettingCodec<Value>.standard
        #expect(try codec.encode(value) == expected, sourceLocation: location)
        #expect(try codec.decode(expected) == value, sourceLocation: location)
    }

    private func failure<Value: Codable & Sendable>(of value: SettingValue, as type: Value.Type) -> SettingCodingError?
    {
        do {
            _ = try SettingCodec<Value>.standard.decode(value)
            return nil
        } catch {
            return error as? SettingCodingError
        }
    }

    enum Level: String, Codable, Sendable, CodingKeyRepresentable { case low, high }
    enum Shape: Codable, Sendable, Equatable { case circle(radius: Double), none }
    enum Color: Int, Codable, Sendable { case red = 1 }

    struct Lock: Codable, Sendable, Equatable {
        var count: UInt8 = 3
        var until = Date(timeIntervalSinceReferenceDate: 0.5)
        var pause = Duration.milliseconds(1500)
        var key = Data([1])
        var id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        var note: String?
        var level = Level.high
        var tags: Set<String> = ["b", "a"]
        var steps: [Step] = [Step(ratio: .infinity)]
    }

    struct Step: Codable, Sendable, Hashable { var ratio: Double }

    @Test("A structure keeps the spellings of its parts at every depth")
    func structures() throws {
        try expectRoundTrip(
            Lock(),
            as: .dictionary([
                "count": .integer(3), "until": .date(Date(timeIntervalSinceReferenceDate: 0.5)),
                "pause": .string("1.5s"),
                "key": .data(Data([1])), "id": .string("00000000-0000-0000-0000-000000000001"),
                "level": .string("high"),
                "tags": .array([.string("a"), .string("b")]),
                "steps": .array([.dictionary(["ratio": .string("inf")])]),
            ]))
    }

    @Test("Enumerations and optionals are encoded as Codable encodes them")
    func enumerations() throws {
        try expectRoundTrip(Level.low, as: .string("low"))
        try expectRoundTrip(Color.red, as: .integer(1))
        try expectRoundTrip([Level.low, nil], as: .array([.string("low"), .null]))
        try expectRoundTrip(Level?.none, as: .null)
        try expectRoundTrip(Shape.circle(radius: 2), as: .dictionary(["circle": .dictionary(["radius": .real(2)])]))
        try expectRoundTrip(Shape.none, as: .dictionary(["none": .dictionary([:])]))
    }

    @Test("Dictionaries have string keys if their keys allow it, and become sorted pairs otherwise")
    func dictionaries() throws {
        try expectRoundTrip([1: "a"], as: .dictionary(["1": .string("a")]))
        try expectRoundTrip([Level.low: 1, .high: 2], as: .dictionary(["low": .integer(1), "high": .integer(2)]))
        try expectRoundTrip(
            [2.5: true, -1: false, 10: true],
            as: .array([.real(-1), .bool(false), .real(2.5), .bool(true), .real(10), .bool(true)]))
        try expectRoundTrip([Double: Bool](), as: .array([]))
    }

    @Test("Sets of any elements are sorted, so equal sets have equal spellings")
    func sets() throws {
        try expectRoundTrip(Set([Level.low, .high]), as: .array([.string("high"), .string("low")]))
        let ratios = (0..<50).map { Double($0) / 7 }
        try expectRoundTrip(
            Set(ratios.map(Step.init)), as: .array(ratios.map { .dictionary(["ratio": .real($0)]) }))
        let mixed = Set((0..<20).map { $0.isMultiple(of: 2) ? Shape2.count($0) : .name("\($0)") })
        let codec = SettingCodec<Set<Shape2>>.standard
        let first = try codec.encode(mixed)
        for _ in 0..<10 { #expect(try codec.encode(Set(mixed.shuffled())) == first) }
        #expect(try codec.decode(first) == mixed)
    }

    enum Shape2: Codable, Sendable, Hashable { case count(Int), name(String) }

    class Base: Codable {
        var base = 1
        init() {}
    }

    final class Derived: Base {
        var derived = 2
        private enum CodingKeys: CodingKey { case derived }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            derived = try container.decode(Int.self, forKey: .derived)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(derived, forKey: .derived)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test("A superclass is encoded under a key of its own")
    func superclasses() throws {
        let value = Derived()
        value.base = 7
        value.derived = 8
        let spelling = try SettingValueEncoder().encode(value)
        #expect(spelling == .dictionary(["derived": .integer(8), "super": .dictionary(["base": .integer(7)])]))
        let read = try SettingValueDecoder().decode(Derived.self, from: spelling)
        #expect(read.base == 7)
        #expect(read.derived == 8)
    }

    struct Nested: Codable, Sendable, Equatable {
        var pairs = [1, 2]
        private enum CodingKeys: CodingKey { case outer, list }
        private enum InnerKeys: CodingKey { case first, second }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let inner = try container.nestedContainer(keyedBy: InnerKeys.self, forKey: .outer)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            let last = try list.nestedContainer(keyedBy: InnerKeys.self).decode(Int.self, forKey: .second)
            #expect(list.isAtEnd)
            pairs = [try inner.decode(Int.self, forKey: .first), last]
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            var inner = container.nestedContainer(keyedBy: InnerKeys.self, forKey: .outer)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try inner.encode(pairs[0], forKey: .first)
            var element = list.nestedContainer(keyedBy: InnerKeys.self)
            try element.encode(pairs[1], forKey: .second)
        }
    }

    @Test("Nested containers can be filled in any order")
    func nestedContainers() throws {
        try expectRoundTrip(
            Nested(),
            as: .dictionary([
                "outer": .dictionary(["first": .integer(1)]), "list": .array([.dictionary(["second": .integer(2)])]),
            ]))
    }

    struct Tenant: Codable {
        static let key = CodingUserInfoKey(rawValue: "tenant")
        var name: String

        init(name: String) { self.name = name }

        init(from decoder: any Decoder) throws {
            let prefix = Self.key.flatMap { decoder.userInfo[$0] as? String } ?? ""
            name = prefix + (try decoder.singleValueContainer().decode(String.self))
        }

        func encode(to encoder: any Encoder) throws {
            let prefix = Self.key.flatMap { encoder.userInfo[$0] as? String } ?? ""
            var container = encoder.singleValueContainer()
            try container.encode(prefix + name)
        }
    }

    @Test("User info reaches every depth")
    func userInfo() throws {
        var encoder = SettingValueEncoder()
        var decoder = SettingValueDecoder()
        let key = try #require(Tenant.key)
        encoder.userInfo[key] = "<"
        decoder.userInfo[key] = ">"
        let spelling = try encoder.encode([[Tenant(name: "a")]])
        #expect(spelling == .array([.array([.string("<a")])]))
        #expect(try decoder.decode([[Tenant]].self, from: spelling)[0][0].name == "><a")
    }

    @Test("An error names the path, what was expected and what was found")
    func errors() throws {
        let spelling = try SettingCodec<Lock>.standard.encode(Lock())
        guard case .dictionary(var entries) = spelling else { return }
        entries["count"] = .integer(256)
        #expect(
            failure(of: .dictionary(entries), as: Lock.self)?.description
                == "Expected an integer from 0 to 255 at count, found the integer 256.")
        entries["count"] = nil
        #expect(
            failure(of: .dictionary(entries), as: Lock.self)?.description
                == "Expected a value for “count”, found none.")
        entries["count"] = .integer(1)
        entries["steps"] = .array([.dictionary(["ratio": .real(1)]), .dictionary(["ratio": .string("high")])])
        #expect(failure(of: .dictionary(entries), as: Lock.self)?.path == ["steps", "1", "ratio"])
        #expect(failure(of: .string("middle"), as: Level.self)?.expected == "a valid Level")
        #expect(failure(of: .array([.integer(1)]), as: [Color: Int].self) != nil)
        #expect(failure(of: .integer(1), as: Lock.self)?.description == "Expected a dictionary, found the integer 1.")
        #expect(
            failure(of: .string("secret"), as: [Step].self)?.description
                == "Expected an array, found a string of 6 characters.")
    }

    struct Silent: Codable, Sendable {
        func encode(to encoder: any Encoder) {}
        init() {}
        init(from decoder: any Decoder) {}
    }

    struct Contradictory: Codable, Sendable {
        func encode(to encoder: any Encoder) throws {
            var single = encoder.singleValueContainer()
            try single.encode(1)
            _ = encoder.unkeyedContainer()
        }
        init() {}
        init(from decoder: any Decoder) {}
    }

    @Test("A type that encodes nothing, or two values in one place, is an error")
    func brokenTypes() {
        #expect(throws: SettingCodingError.self) { try SettingCodec<Silent>.standard.encode(Silent()) }
        #expect(throws: SettingCodingError.self) {
            try SettingCodec<[Contradictory]>.standard.encode([Contradictory()])
        }
        let noTime = Date(timeIntervalSinceReferenceDate: .nan)
        #expect {
            try SettingCodec<Lock>.standard.encode(Lock(until: noTime))
        } throws: {
            ($0 as? SettingCodingError)?.path == ["until"]
        }
    }
}
