import Foundation
import Settle
import SettleFoundation
import SettleInterchange
import SettleTesting
import Testing

private struct People: SettingsGroup {
    @Setting(codec: .keyedArchive) var author = Person("Nobody")
    @Setting(codec: .keyedArchive) var editor: Person? = nil
    @Setting(codec: .keyedArchive) var friends: [Person] = []
    @Setting(codec: .keyedArchive) var note = Note("")
}

@Suite(.timeLimit(.minutes(10))) struct KeyedArchiveCodecTests {
    private let alice = Person(
        "Alice", born: Date(timeIntervalSince1970: 0), friends: [Person("Bob"), Person("Carol")])

    private func archive(_ root: NSObject) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: false)
    }

    /// The words of the refusal.
    private func refusal<Value>(_ codec: SettingCodec<Value>, _ stored: SettingValue) -> String? {
        do {
            _ = try codec.decode(stored)
            return nil
        } catch {
            return (error as? SettingCodingError)?.description
        }
    }

    @Test("Objects, optionals and arrays of them are stored as data and read back", arguments: ["json", "plist"])
    func roundTrip(format: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.\(format)")
        var store = try await SettingsStore.open(at: file)
        var people = try await store.group(People.self)
        try await people.commit {
            people.author = alice
            people.editor = Person("Dave")
            people.friends = [alice, Person("Eve")]
            people.note = Note("milk", isDone: true)
        }
        try await store.close()
        store = try await SettingsStore.open(at: file)
        people = try await store.group(People.self)
        #expect(people.author == alice && people.author.friends.map(\.name) == ["Bob", "Carol"])
        #expect(people.author.born == Date(timeIntervalSince1970: 0))
        #expect(people.editor?.name == "Dave" && people.friends == [alice, Person("Eve")])
        #expect(people.note.text == "milk" && people.note.isDone)
        try await people.commit { people.editor = nil }
        try await store.close()
        store = try await SettingsStore.open(at: file)
        #expect(try await store.group(People.self).editor == nil)
        try await store.close()
    }

    @Test("An equal object is no change, and equal objects have equal archives") func equality() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let people = try await store.group(People.self)
        people.author = alice
        let revision = store.revision
        people.author = Person("Alice", born: alice.born, friends: alice.friends)
        #expect(store.revision == revision)
        let codec = SettingCodec<Person>.keyedArchive
        #expect(try codec.encode(alice) == codec.encode(Person("Alice", born: alice.born, friends: alice.friends)))
    }

    @Test("What Foundation has archived is read, and Foundation reads what is written") func exchange() throws {
        let codec = SettingCodec<Person>.keyedArchive
        #expect(try codec.decode(.data(archive(alice))) == alice)
        guard case .data(let data) = try codec.encode(alice) else { throw CancellationError() }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        #expect(unarchiver.decodeObject(of: Person.self, forKey: NSKeyedArchiveRootObjectKey) == alice)
    }

    @Test("An object to which the archive refers several times is made once") func shared() throws {
        func person(_ name: ArchivedValue, friends: ArchivedValue) -> ArchivedValue {
            let fields: ArchivedFields = ["name": name, "born": .null, "friends": friends]
            return .object(ArchivedObject(className: NSStringFromClass(Person.self), fields: fields))
        }
        let codec = SettingCodec<Person>.keyedArchive
        let bob = person("Bob", friends: [])
        let pair = KeyedArchive(
            root: person("Alice", friends: [.reference(0), .reference(0), bob]), sharedObjects: [bob])
        let friends = try codec.decode(.data(pair.data())).friends
        #expect(friends.count == 3 && friends[0] === friends[1] && friends[0] !== friends[2])
        // Each list has the next one twice.
        func lists(_ count: Int) throws -> SettingValue {
            let lists = (1...count).map { ArchivedValue.array([.reference($0), .reference($0)]) }
            let root = person("Alice", friends: .reference(0))
            return .data(try KeyedArchive(root: root, sharedObjects: lists + [[]]).data())
        }
        #expect(try codec.decode(lists(10)).friends == [])
        #expect(
            refusal(codec, try lists(100))
                == "Expected an archive of Person, found one whose collections repeat others too often.")
        #expect(
            refusal(codec, try lists(200)) == "Expected an archive of Person, found one whose objects nest too deeply.")
    }

    @Test("Damage and other classes are refused with a sentence") func refusals() throws {
        let codec = SettingCodec<Person>.keyedArchive
        #expect(
            refusal(codec, .data(Data("abc".utf8)))?.hasPrefix("Expected an archive of Person, found data that") == true
        )
        #expect(refusal(codec, .integer(3)) == "Expected an archive of Person, found the integer 3.")
        #expect(refusal(codec, .null) == "Expected an archive of Person, found nothing.")
        let note = try SettingValue.data(archive(Note("a")))
        #expect(
            refusal(codec, note)
                == "Expected an archive of Person, found an object of the class \(NSStringFromClass(Note.self)), which is "
                + "not expected there.")
        let person = try SettingValue.data(archive(alice))
        #expect(
            refusal(SettingCodec<Note>.keyedArchive, person)
                == "Expected an archive of Note, found an object of another class.")
        let strange = ArchivedObject(className: "Gone.Person", fields: ["name": "Alice"])
        #expect(
            refusal(codec, .data(try KeyedArchive(root: .object(strange)).data()))
                == "Expected an archive of Person, found an object of the class Gone.Person, which the program does not have."
        )
        #expect(
            refusal(codec, .data(try KeyedArchive(top: ["other": "value"]).data()))
                == "Expected an archive of Person, found one without an object at its root.")
        // A person's init refuses it.
        let nameless = ArchivedObject(className: NSStringFromClass(Person.self), fields: [:])
        #expect(
            refusal(codec, .data(try KeyedArchive(root: .object(nameless)).data()))
                == "Expected an archive of Person, found one that its class, or one in it, refuses.")
    }

    @Test("A class with another name in the archive is found by the name that the program gives it") func renamed()
        throws
    {
        let person = ArchivedObject(className: "OldPerson", fields: ["name": "Alice", "friends": []])
        let data = try SettingValue.data(KeyedArchive(root: .object(person)).data())
        NSKeyedUnarchiver.setClass(Person.self, forClassName: "OldPerson")
        defer { NSKeyedUnarchiver.setClass(nil, forClassName: "OldPerson") }
        #expect(try SettingCodec<Person>.keyedArchive.decode(data).name == "Alice")
    }

    @Test("An object inside that is not expected there makes the whole fail") func innerClasses() throws {
        func person(friends: ArchivedValue, name: ArchivedValue = "Alice") throws -> SettingValue {
            let fields: ArchivedFields = ["name": name, "friends": friends]
            let object = ArchivedObject(className: NSStringFromClass(Person.self), fields: fields)
            return .data(try KeyedArchive(root: .object(object)).data())
        }
        let codec = SettingCodec<Person>.keyedArchive
        #expect(try codec.decode(person(friends: [])).name == "Alice")
        let link = ArchivedValue.object(ArchivedObject(className: NSStringFromClass(Link.self), fields: [:]))
        #expect(refusal(codec, try person(friends: [link]))?.contains("Link, which is not expected there") == true)
        #expect(refusal(codec, try person(friends: link))?.contains("Link, which is not expected there") == true)
        #expect(
            refusal(codec, try person(friends: [], name: .date(.distantPast)))?.contains("is not expected there")
                == true)
        #expect(refusal(codec, try person(friends: "none"))?.contains("is not expected there") == true)
    }

    @Test("A class that the archive proposes instead of an unknown one is not made") func hints() throws {
        var list = try PropertyList.read(archive(Note("a"))).list.value
        guard case .dictionary(var root) = list, case .array(var objects)? = root["$objects"] else {
            throw CancellationError()
        }
        for (index, object) in objects.enumerated() {
            guard case .dictionary(var fields) = object, let name = fields["$classname"] else { continue }
            fields["$classname"] = .string("Gone")
            fields["$classes"] = .array([.string("Gone"), .string("NSObject")])
            fields["$classhints"] = .array([name])
            objects[index] = .dictionary(fields)
        }
        root["$objects"] = .array(objects)
        list = .dictionary(root)
        let data = try PropertyList(list).data(as: .binary)
        #expect(refusal(SettingCodec<Note>.keyedArchive, .data(data))?.contains("does not have") == true)
    }

    #if !canImport(ObjectiveC)
        @Test("Objects that contain themselves are neither read nor written") func cycles() throws {
            let (one, two) = (Link(), Link())
            (one.next, two.next) = (two, one)
            let data = try archive(one)
            let codec = SettingCodec<Link>.keyedArchive
            let words = "Expected an archive of Link, found one whose objects contain themselves."
            #expect(refusal(codec, .data(data)) == words)
            #expect(throws: SettingCodingError.self) { try codec.encode(one) }
            two.next = nil
            #expect(try codec.decode(codec.encode(one)).next is Link)
            (one.next, two.next) = (nil, nil)
        }
    #endif

    @Test("An object that could not be read again is not written") func unreadable() throws {
        let link = Link()
        link.next = Note("a")
        #expect(throws: SettingCodingError.self) { try SettingCodec<Link>.keyedArchive.encode(link) }
    }

    @Test("Objects that nest too deeply are refused, and not written") func depth() throws {
        var link = Link()
        for _ in 0..<200 {
            let outer = Link()
            outer.next = link
            link = outer
        }
        #expect(throws: SettingCodingError.self) { try SettingCodec<Link>.keyedArchive.encode(link) }
        let data = try archive(link)
        #expect(refusal(SettingCodec<Link>.keyedArchive, .data(data))?.contains("128 levels") == true)
    }

    @Test("A damaged archive keeps its place until the setting is written") func keptDamage() async throws {
        let storage = InMemoryStorage(SettingTree(["author": .data(Data([1, 2, 3]))]))
        let store = try await SettingsStore.open(storage: storage)
        let people = try await store.group(People.self)
        #expect(people.author.name == "Nobody")
        for await issue in store.issues {
            #expect(issue.key == "author" && issue.code == .unusableValue)
            break
        }
        try await store.flush()
        #expect(storage.tree["author"] == .data(Data([1, 2, 3])))
        try await people.commit { people.author = alice }
        #expect(try SettingCodec<Person>.keyedArchive.decode(try #require(storage.tree["author"])) == alice)
    }

    @Test("Sets and keys that Foundation can't tell apart are refused") func unhashable() throws {
        let elements: [ArchivedValue] = [.null, .null, .number("0.12345678901234567890123"), .orderedSet([1])]
        let entries = elements.map { ArchivedEntry(key: $0, value: 1) }
        var values: [ArchivedValue] = [.set(elements), .orderedSet(elements), .dictionary(entries)]
        for element in elements { values.append(.set([element, element])) }
        values.append(.set([.reference(0), [.reference(0)]]))
        for value in values {
            let note = ArchivedObject(className: NSStringFromClass(Note.self), fields: ["text": value])
            let data = try KeyedArchive(root: .object(note), sharedObjects: [[1]]).data()
            #expect(refusal(SettingCodec<Note>.keyedArchive, .data(data))?.contains("can't tell apart") == true)
        }
    }

    @Test("No mutant of an archive ends the program") func mutants() throws {
        let bytes = [UInt8](try archive(alice))
        for position in bytes.indices {
            for step in [1, 7, 64, 128] as [UInt8] {
                var mutant = bytes
                mutant[position] &+= step
                mutant[position * 7 * Int(step) % bytes.count] &+= 1
                _ = try? SettingCodec<Person>.keyedArchive.decode(.data(Data(mutant)))
                _ = try? SettingCodec<Note>.keyedArchive.decode(.data(Data(mutant)))
            }
        }
    }
}
