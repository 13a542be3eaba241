import Foundation
import Settle
import SettleInterchange
import Testing

/// Objects to which an archive refers several times, and what else is the same in an archive that is written back.
@Suite(.timeLimit(.minutes(10))) struct SharedObjectsTests: WritesArchives {
    /// The number of objects in an archive, with `$null` and the classes.
    private func objectCount(_ data: Data) throws -> Int {
        guard case .dictionary(let root) = try PropertyList.read(data).list.value,
            case .array(let objects)? = root["$objects"]
        else { throw ArchiveError(.notAnArchive, "It is no archive.") }
        return objects.count
    }

    @Test("Objects that refer to the next one twice are read once, and written once", arguments: [17, 200, 10_000])
    func doubling(count: Int) throws {
        let numbers = [1] + (3..<(count + 3))
        let objects = [list([3, 3])] + [described("NSArray")] + (3..<(count + 2)).map { list([$0 + 1, $0 + 1]) }
        let data = archive(objects + [object(2, "<key>NS.objects</key><array/>")])
        let archive = try KeyedArchive(data)
        #expect(archive.root == .array([.reference(0), .reference(0)]))
        #expect(archive.sharedObjects.count == numbers.count - 1 && archive.sharedObjects.last == .array([]))
        let written = try archive.data()
        #expect(try objectCount(written) == objectCount(data))
        #expect(try KeyedArchive(written) == archive)
        // As settings it is a tree, which has to be bounded.
        if count == 17 {
            #expect(try archive.contents().findings.isEmpty)
        } else {
            let error = #expect(throws: ArchiveError.self) { try archive.contents() }
            #expect(error?.code == .limit)
        }
    }

    @Test("Each object has many references to all, and none of them is followed twice") func dense() throws {
        let numbers = [1] + (3..<32)
        let objects = [list(numbers), described("NSArray")] + numbers.dropFirst().map { _ in list(numbers) }
        let archive = try KeyedArchive(archive(objects))
        #expect(archive.sharedObjects.count == 30 && archive.sharedObjects.first?.referenceCount == 30)
        #expect(try KeyedArchive(archive.data()) == archive)
        let error = #expect(throws: ArchiveError.self) { try archive.contents() }
        #expect(error?.code == .limit)
    }

    @Test("Findings count with the names in their paths") func longNames() throws {
        // Each reference to the object itself is a finding below the long name.
        func archive(_ count: Int) -> KeyedArchive {
            var fields = ArchivedFields()
            fields[String(repeating: "a", count: 1 << 20)] = .array(Array(repeating: .reference(0), count: count))
            let object = ArchivedObject(className: "Odd", fields: fields)
            return KeyedArchive(root: .reference(0), sharedObjects: [.object(object)])
        }
        #expect(try archive(3).contents().findings.count == 3)
        let error = #expect(throws: ArchiveError.self) { try archive(300).contents() }
        #expect(error?.code == .limit)
    }

    @Test("Collections that repeat others too often are found before objects are made, and large ones are not")
    func repetition() {
        // Each list has the next one twice.
        func lists(_ count: Int) -> KeyedArchive {
            let lists = (1...count).map { ArchivedValue.array([.reference($0), .reference($0)]) }
            return KeyedArchive(root: .reference(0), sharedObjects: lists + [[]])
        }
        #expect(lists(16).collectionProblem == nil)
        #expect(lists(20).collectionProblem == .repetition && lists(100).collectionProblem == .repetition)
        let large = KeyedArchive(root: .array(Array(repeating: 1, count: 300_000)))
        #expect(large.collectionProblem == nil)
        // In an object of the archive, too, but not through one: its class makes it once.
        let inner = ArchivedValue.object(odd([.reference(0)]))
        var archive = lists(20)
        archive.top = ["root": inner]
        #expect(archive.collectionProblem == .repetition)
        archive.sharedObjects = [[inner, inner]]
        #expect(archive.collectionProblem == nil)
        archive.sharedObjects = [[.reference(1)], [.reference(0)]]
        #expect(archive.collectionProblem == .repetition)
    }

    @Test("Shared collections in sets and keys are found, and other shared objects are not") func comparison() {
        func problem(_ value: ArchivedValue, _ shared: ArchivedValue) -> KeyedArchive.CollectionProblem? {
            KeyedArchive(root: .object(odd(value)), sharedObjects: [shared]).collectionProblem
        }
        let reference = ArchivedValue.reference(0)
        for value in [
            .set([reference]), .orderedSet([[reference]]), .dictionary([ArchivedEntry(key: reference, value: 1)]),
            .set([.dictionary([ArchivedEntry(key: 1, value: reference)])]),
        ] as [ArchivedValue] {
            #expect(problem(value, [1]) == .comparison)
            #expect(problem(value, .string("a", isMutable: true)) == nil)
            #expect(problem(value, .object(odd(1))) == nil)
        }
        #expect(problem(.dictionary([ArchivedEntry(key: 1, value: reference)]), [1]) == nil)
    }

    @Test("An object that is shared is still one object to a program that has the class") func identity() throws {
        let alice = ArchivedPerson(name: "Alice", age: 30)
        let bob = ArchivedPerson(name: "Bob", age: 41)
        alice.friends = [bob, bob, ArchivedPerson(name: "Bob", age: 41)]
        let data = try NSKeyedArchiver.archivedData(withRootObject: alice, requiringSecureCoding: false)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: try KeyedArchive(data).data())
        unarchiver.requiresSecureCoding = false
        let root = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        let friends = try #require(root as? ArchivedPerson).friends
        #expect(friends.map(\.name) == ["Bob", "Bob", "Bob"])
        #expect(friends[0] === friends[1] && friends[0] !== friends[2])
    }

    @Test("Texts that may change are shared, others are themselves unless they are long") func texts() throws {
        let long = String(repeating: "a", count: 300)
        let changing = object(4, "<key>NS.string</key><string>m</string>")
        let numbers = [3, 3, 6, 6, 7, 7, 8, 8, 9]
        let data = archive([
            list(numbers), described("NSArray"), changing, described("NSMutableString", "NSString"), "<true/>",
            "<string>s</string>", "<string>\(long)</string>", "<data>AQ==</data>", "<string>\(long)</string>",
        ])
        let archive = try KeyedArchive(data)
        #expect(
            archive.root
                == .array([
                    .reference(0), .reference(0), "s", "s", .reference(1), .reference(1), .data(Data([1])),
                    .data(Data([1])), .string(long),
                ]))
        #expect(archive.sharedObjects == [.string("m", isMutable: true), .string(long)])
        // All but the unused object.
        let written = try archive.data()
        #expect(try objectCount(written) == objectCount(data) - 1)
        #expect(try KeyedArchive(written) == archive)
        let texts = ["m", "m", "s", "s", long, long].map(SettingValue.string)
        let bytes = SettingValue.data(Data([1]))
        #expect(try archive.contents().value == .array(texts + [bytes, bytes, .string(long)]))
    }

    @Test("A text from which many objects take theirs does not make a large archive of a small one")
    func borrowed() throws {
        let text = String(repeating: "a", count: 100_000)
        func urls(_ count: Int) -> Data {
            let url = object(4, "<key>NS.base</key>\(reference(0))<key>NS.relative</key>\(reference(5))")
            let objects = Array(repeating: url, count: count)
            return archive(
                [list(Array(6..<(count + 6))), described("NSArray"), "<true/>", described("NSURL")]
                    + ["<string>\(text)</string>"] + objects)
        }
        #expect(try KeyedArchive(urls(3)).root == .array(Array(repeating: .url(text, base: nil), count: 3)))
        let error = #expect(throws: ArchiveError.self) { try KeyedArchive(urls(1_000)) }
        #expect(error?.code == .limit)
    }

    @Test("What can change can still change when it is written back") func mutability() throws {
        let list = "<key>NS.objects</key><array/>"
        let classes = ["Array", "Set", "OrderedSet", "Dictionary"]
        for name in classes {
            let content = name == "Dictionary" ? "<key>NS.keys</key><array/>" + list : name == "OrderedSet" ? "" : list
            for prefix in ["NSMutable", "NS"] {
                let data = archive([object(2, content), described(prefix + name, "NS" + name, "NSObject")])
                let archive = try KeyedArchive(data)
                #expect(try KeyedArchive(archive.data()) == archive)
                let xml = String(decoding: try archive.data(as: .xml), as: UTF8.self)
                let name = "<key>$classname</key><string>\(prefix)\(name)</string>"
                #expect(xml.filter { !$0.isWhitespace }.contains(name), "\(xml)")
            }
        }
        let bytes = object(2, "<key>NS.data</key><data>AQ==</data>")
        let archive = try KeyedArchive(archive([bytes, described("NSMutableData", "NSData", "NSObject")]))
        #expect(archive.root == .data(Data([1]), isMutable: true))
        #expect(try KeyedArchive(archive.data()) == archive)
    }

    @Test("NSNull in a field is not nil, and there is one of it") func nullObjects() throws {
        let fields = "<key>a</key>\(reference(3))<key>b</key>\(reference(0))<key>c</key>\(reference(5))"
        let data = archive([
            object(2, fields), described("Odd"), object(4, ""), described("NSNull"), list([3, 3], class: 6),
            described("NSArray"),
        ])
        let archive = try KeyedArchive(data)
        guard case .object(let odd)? = archive.root else {
            Issue.record("\(archive)")
            return
        }
        #expect(odd.fields["a"] == .nullObject && odd.fields["b"] == .null)
        #expect(odd.fields["c"] == .array([.null, .null]) && archive.sharedObjects.isEmpty)
        let written = try archive.data()
        #expect(try KeyedArchive(written) == archive && objectCount(written) == objectCount(data))
        #expect(try archive.contents().value == .dictionary(["c": .array([.null, .null])]))
    }

    @Test("References that lead nowhere are refused with their paths") func nowhere() throws {
        let archive = KeyedArchive(root: .array([.reference(1)]), sharedObjects: [.array([])])
        #expect(archive.resolved(.reference(1)) == nil && archive.resolved(.reference(0)) == .array([]))
        let unwritten = #expect(throws: ArchiveError.self) { try archive.data() }
        #expect(unwritten?.path == "root.0" && unwritten?.reason.contains("shared object 1") == true)
        let unread = #expect(throws: ArchiveError.self) { try archive.contents() }
        #expect(unread?.path == "root.0" && unread?.reason == unwritten?.reason)
        let outside = KeyedArchive(root: .reference(0), sharedObjects: [.object(odd(.date(.distantFuture))), .null])
        #expect(try KeyedArchive(outside.data()).sharedObjects.isEmpty)
        var infinite = outside
        infinite.sharedObjects[0] = .object(odd(.date(Date(timeIntervalSinceReferenceDate: .infinity))))
        let error = #expect(throws: ArchiveError.self) { try infinite.data() }
        #expect(error?.path == "sharedObjects.0.a")
        let empty = KeyedArchive(root: .reference(1), sharedObjects: outside.sharedObjects)
        #expect(throws: ArchiveError.self) { try empty.data() }
    }

    private func odd(_ value: ArchivedValue) -> ArchivedObject {
        ArchivedObject(className: "Odd", fields: ["a": value])
    }
}

extension ArchivedValue {
    /// The number of references in an array.
    fileprivate var referenceCount: Int? {
        guard case .array(let elements, _) = self else { return nil }
        return elements.count { if case .reference = $0 { true } else { false } }
    }
}
