import Foundation
import Settle
import SettleInterchange
import Testing

/// Archives that this toolchain's archiver has made, read without the classes, and the other way round.
@Suite(.timeLimit(.minutes(10))) struct KeyedArchiveTests {
    private func archive(_ object: Any, xml: Bool = false) throws -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.outputFormat = xml ? .xml : .binary
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    private func root(_ object: Any, xml: Bool = false) throws -> ArchivedValue {
        try #require(try KeyedArchive(try archive(object, xml: xml)).root)
    }

    /// Whether a text or data is mutable; `nil` if it is another value.
    private func isMutable(_ value: ArchivedValue, _ expected: ArchivedValue) -> Bool? {
        switch (value, expected) {
        case (.string(let text, let isMutable), .string(let other, _)): text == other ? isMutable : nil
        case (.data(let data, let isMutable), .data(let other, _)): data == other ? isMutable : nil
        default: nil
        }
    }

    /// Each with what Foundation makes of it.
    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    private static let uuid = UUID()

    @Test("Foundation's values are read in both forms", arguments: [false, true]) func values(xml: Bool) throws {
        #expect(try root(NSString(string: "Zoë \u{1F511}"), xml: xml) == .string("Zoë \u{1F511}"))
        // Foundation on Linux does not archive that these are mutable.
        #expect(try isMutable(root(NSMutableString(string: "a"), xml: xml), .string("a")) != nil)
        #expect(try root(NSNumber(value: -5), xml: xml) == .integer(-5))
        #expect(try root(NSNumber(value: 0.1), xml: xml) == .real(0.1))
        #expect(try root(NSNumber(value: true), xml: xml) == .bool(true))
        #expect(try root(NSData(data: Data([1, 2, 0])), xml: xml) == .data(Data([1, 2, 0])))
        #expect(try isMutable(root(NSMutableData(data: Data([3])), xml: xml), .data(Data([3]))) != nil)
        #expect(try root(NSMutableArray(array: []), xml: xml) == .array([], isMutable: true))
        #expect(try root(NSMutableDictionary(), xml: xml) == .dictionary([], isMutable: true))
        #expect(try root(Self.date as NSDate, xml: xml) == .date(Self.date))
        #expect(try root(Self.uuid as NSUUID, xml: xml) == .uuid(Self.uuid))
        #expect(
            try root(NSURL(string: "https://example.com/a")!, xml: xml) == .url("https://example.com/a", base: nil))
        let base = NSURL(string: "b", relativeTo: URL(string: "https://example.com/a/"))!
        #expect(try root(base, xml: xml) == .url("b", base: "https://example.com/a/"))
        #expect(
            try root(NSArray(array: [NSString("x"), NSNumber(value: 1), NSNull()]), xml: xml)
                == .array([.string("x"), .integer(1), .null]))
        #expect(try root(NSSet(array: [NSString("x")]), xml: xml) == .set([.string("x")]))
        #expect(
            try root(NSOrderedSet(array: [NSString("x"), NSString("y")]), xml: xml)
                == .orderedSet([.string("x"), .string("y")]))
        #expect(
            try root(NSDictionary(object: NSNumber(value: 2), forKey: NSNumber(value: 7)), xml: xml)
                == .dictionary([ArchivedEntry(key: .integer(7), value: .integer(2))]))
    }

    @Test("What is written is read back by Foundation's unarchiver", arguments: [KeyedArchive.Form.binary, .xml])
    func written(form: KeyedArchive.Form) throws {
        func unarchived(_ value: ArchivedValue) throws -> Any? {
            let data = try KeyedArchive(root: value).data(as: form)
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
            unarchiver.requiresSecureCoding = false
            return unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        }
        #expect(try unarchived(.string("Zoë")) as? String == "Zoë")
        #expect(try unarchived(.integer(-5)) as? Int == -5)
        #expect(try unarchived(.real(0.1)) as? Double == 0.1)
        #expect(try unarchived(.bool(true)) as? Bool == true)
        #expect(try unarchived(.data(Data([1, 2]))) as? Data == Data([1, 2]))
        #expect(try unarchived(.date(Self.date)) as? Date == Self.date)
        #expect(try unarchived(.uuid(Self.uuid)) as? UUID == Self.uuid)
        let url = try unarchived(.url("b", base: "https://example.com/a/")) as? URL
        #expect(url?.absoluteString == "https://example.com/a/b")
        let array = try unarchived(.array([.string("x"), .integer(1), .null])) as? [Any]
        #expect(array?.count == 3 && array?[0] as? String == "x" && array?[2] is NSNull)
        #expect(try unarchived(.set([.string("x")])) as? NSSet == NSSet(array: [NSString("x")]))
        #expect(
            try unarchived(.orderedSet([.string("y"), .string("x")])) as? NSOrderedSet
                == NSOrderedSet(array: [NSString("y"), NSString("x")]))
        let dictionary = try unarchived(
            .dictionary([
                ArchivedEntry(key: .string("a"), value: .integer(1)), ArchivedEntry(key: .string("b"), value: .null),
            ]))
        #expect((dictionary as? [String: Any])?["a"] as? Int == 1)
    }

    @Test("A person with friends, among them itself") func person() throws {
        let (alice, bob) = (ArchivedPerson(name: "Alice", age: 30), ArchivedPerson(name: "Bob", age: 41))
        alice.friends = [bob, alice]
        bob.friends = [alice]
        let archive = try KeyedArchive(try archive(alice))
        guard case .object(let object)? = archive.root else {
            Issue.record("\(String(describing: archive.root))")
            return
        }
        #expect(object.className.hasSuffix("Person") && object.superclasses == ["NSObject"])
        #expect(object.fields["name"] == .string("Alice") && object.fields["age"] == .integer(30))
        #expect(object.fields.all.map(\.key) == ["age", "friends", "name"])
        #expect(object.fields.all.map(\.isPrimitive) == [true, false, false])
        guard case .array(let friends, _)? = object.fields["friends"], friends.count == 2,
            case .object(let friend) = friends[0]
        else {
            Issue.record("\(object)")
            return
        }
        // There is only one reference to Bob.
        #expect(archive.sharedObjects == [.object(object)] && archive.top["root"] == .reference(0))
        #expect(friend.fields["friends"] == .array([.reference(0)]))
        #expect(friends[1] == .reference(0) && archive.resolved(friends[1]) == .object(object))
        #expect(try KeyedArchive(archive.data()) == archive)
        // As settings: cycles are left out, and listed.
        let contents = try archive.contents()
        #expect(contents.findings.map(\.path.description) == ["root.friends.0.friends.0", "root.friends.1"])
    }

    /// Without cycles, of which Foundation's unarchiver on Linux sees no end, also in archives of its own.
    @Test("What was read and is written back is the same to a program that has the class") func writtenBack() throws {
        let alice = ArchivedPerson(name: "Alice", age: 30)
        alice.friends = [ArchivedPerson(name: "Bob", age: 41)]
        let data = try KeyedArchive(try archive(alice)).data()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        let again = try #require(unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? ArchivedPerson)
        #expect(again.name == "Alice" && again.age == 30)
        #expect(again.friends.map(\.name) == ["Bob"] && again.friends.map(\.age) == [41])
    }

    @Test("A lock that keeps a date as seconds becomes settings, and an archive again") func mapping() throws {
        let mapping = ArchiveMapping(classes: [
            "PasscodeLock": ArchiveMapping.Class(
                keys: ["PLAttempts": "attemptCount", "PLNext": "nextCheckDate", "PLOn": "isPasscodeEnabled"],
                values: ["PLNext": .secondsSince1970(zeroIsNone: true), "PLOn": .number01], ignoring: ["PLVersion"])
        ])
        let object = ArchivedObject(
            className: "PasscodeLock",
            fields: [
                "PLAttempts": .integer(3), "PLNext": .real(1_000.5), "PLOn": .integer(1), "PLVersion": .integer(9),
            ])
        let archive = try KeyedArchive(try KeyedArchive(root: .object(object)).data())
        let contents = try archive.contents(mapping)
        #expect(
            contents.value
                == .dictionary([
                    "attemptCount": .integer(3), "nextCheckDate": .date(Date(timeIntervalSince1970: 1_000.5)),
                    "isPasscodeEnabled": .bool(true),
                ]))
        struct Lock: Decodable, Equatable {
            var attemptCount: Int
            var nextCheckDate: Date?
            var isPasscodeEnabled: Bool
        }
        let lock = try archive.decode(Lock.self, mapping)
        #expect(lock.attemptCount == 3 && lock.nextCheckDate == Date(timeIntervalSince1970: 1_000.5))
        var without = object
        without.fields["PLNext"] = .real(0)
        #expect(try KeyedArchive(root: .object(without)).decode(Lock.self, mapping).nextCheckDate == nil)
        without.fields["PLNext"] = .string("soon")
        let error = #expect(throws: ArchiveError.self) { try KeyedArchive(root: .object(without)).contents(mapping) }
        #expect(error?.path == "root.PLNext" && error?.description.contains("soon") == false)
    }

    @Test("A number is written as the one of Foundation's that holds it exactly") func numbers() throws {
        for (literal, expected) in [
            ("18446744073709551615", .number("18446744073709551615")), ("-0.0", .integer(0)),
            ("18446744073709551616", .number("18446744073709551616")), ("0.10", .real(0.1)), ("1e130", .real(1e130)),
            ("-9223372036854775809", .number("-9223372036854775809")),
            ("0.1000000000000000055", .number("1000000000000000055e-19")), ("1e-128", .real(1e-128)),
            ("12345678901234567890123456789012345678e5", .number("12345678901234567890123456789012345678e5")),
        ] as [(String, ArchivedValue)] {
            #expect(try KeyedArchive(KeyedArchive(root: .number(literal)).data()).root == expected, "\(literal)")
        }
        for literal in ["1234567890123456789012345678901234567891", "1e-129", "1e166", "x", ""] {
            let error = #expect(throws: ArchiveError.self) { try KeyedArchive(root: .number(literal)).data() }
            #expect(error?.path == "root" && error?.code == .unsupportedValue)
        }
    }

    @Test("Dictionaries with other keys than texts become what Codable reads") func keys() throws {
        let archive = KeyedArchive(
            root: .dictionary([
                ArchivedEntry(key: .date(Self.date), value: .integer(1)),
                ArchivedEntry(key: .uuid(Self.uuid), value: .integer(2)),
            ]))
        let contents = try archive.contents()
        #expect(
            contents.value
                == .array([.date(Self.date), .integer(1), .string(Self.uuid.uuidString), .integer(2)]))
        #expect(contents.findings.count == 1)
        // Each one is gone through once, however deep.
        var nested = ArchivedValue.reference(0)
        for _ in 0..<100 {
            nested = .dictionary([
                ArchivedEntry(key: .string("a"), value: nested), ArchivedEntry(key: .bool(true), value: .null),
            ])
        }
        #expect(try KeyedArchive(root: .reference(0), sharedObjects: [nested]).contents().findings.count == 101)
        let byNumber = KeyedArchive(root: .dictionary([ArchivedEntry(key: .integer(7), value: .string("x"))]))
        #expect(try byNumber.decode([Int: String].self) == [7: "x"])
    }
}

/// As an older program has it.
final class ArchivedPerson: NSObject, NSCoding {
    let name: String
    let age: Int
    var friends: [ArchivedPerson] = []

    init(name: String, age: Int) {
        self.name = name
        self.age = age
    }

    init?(coder: NSCoder) {
        name = coder.decodeObject(forKey: "name") as? String ?? ""
        age = coder.decodeInteger(forKey: "age")
        super.init()
        friends = coder.decodeObject(forKey: "friends") as? [ArchivedPerson] ?? []
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: name), forKey: "name")
        coder.encode(age, forKey: "age")
        coder.encode(NSArray(array: friends), forKey: "friends")
    }
}
