import Foundation
import Settle
import SettleInterchange
import SettleTesting
import Testing

/// The guide “Moving archives”, and the code in it.
@Suite(.timeLimit(.minutes(10))) struct MovingArchivesGuideTests {
    private struct NotAPerson: Error {}

    private struct PasscodeSettings: SettingsGroup {
        @Setting var isPasscodeEnabled = false
        @Setting(in: 0...20) var attemptCount = 0
        @Setting var nextCheckDate: Date?
    }

    private struct AppSettings: SettingsGroup {
        let passcode = PasscodeSettings()
    }

    private let mapping = ArchiveMapping(classes: [
        "PasscodeLock": ArchiveMapping.Class(
            keys: ["PLAttempts": "attemptCount", "PLNext": "nextCheckDate", "PLOn": "isPasscodeEnabled"],
            values: ["PLNext": .secondsSince1970(zeroIsNone: true), "PLOn": .number01],
            ignoring: ["PLVersion"])
    ])

    private func lock(attempts: ArchivedValue) throws -> Data {
        let lock = ArchivedObject(
            className: "PasscodeLock",
            fields: ["PLAttempts": attempts, "PLOn": true, "PLNext": 1_000.5, "PLVersion": 2])
        return try KeyedArchive(root: .object(lock)).data()
    }

    @Test("What is there is seen") func seeing() throws {
        let person = ArchivedObject(className: "Person", fields: ["name": "Alice", "age": 30])
        let data = try KeyedArchive(root: .object(person)).data()
        let archive = try KeyedArchive(data)
        guard case .object(let person)? = archive.root else { throw NotAPerson() }
        #expect(person.className == "Person" && (person.fields["name"] ?? .null) == .string("Alice"))
    }

    @Test("Friends who are shared are followed") func following() throws {
        let vain = ArchivedObject(className: "Person", fields: ["friends": [.reference(0), .reference(0), "none"]])
        let data = try KeyedArchive(root: .reference(0), sharedObjects: [.object(vain)]).data()
        let archive = try KeyedArchive(data)
        guard case .object(let person)? = archive.root else { throw NotAPerson() }
        var found: [String] = []
        if let value = person.fields["friends"], case .array(let friends, _)? = archive.resolved(value) {
            for case .object(let friend)? in friends.map(archive.resolved) { found.append(friend.className) }
        }
        #expect(found == ["Person", "Person"])
    }

    @Test("A type with the same names reads it") func decoding() throws {
        struct Friend: Decodable, Equatable {
            var name: String
            var age: Int
        }
        let people = ["Bob", "Carol"].map { name in
            ArchivedValue.object(
                ArchivedObject(className: "Person", fields: ["name": .string(name), "age": 41, "friends": []]))
        }
        let data = try KeyedArchive(root: .array(people)).data()
        let friends = try KeyedArchive(data).decode([Friend].self)
        #expect(friends == [Friend(name: "Bob", age: 41), Friend(name: "Carol", age: 41)])
    }

    @Test("It is imported in a transaction that checks the rules") func importing() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(AppSettings.self)
        let contents = try KeyedArchive(try lock(attempts: 3)).contents(mapping)
        guard let tree = contents.tree(at: "passcode") else { throw NotAPerson() }
        try store.file.import(tree)
        #expect(settings.passcode.attemptCount == 3 && settings.passcode.isPasscodeEnabled)
        #expect(settings.passcode.nextCheckDate == Date(timeIntervalSince1970: 1_000.5))
        #expect(contents.findings.isEmpty)
        let broken = try KeyedArchive(try lock(attempts: 21)).contents(mapping).tree(at: "passcode")
        let error = #expect(throws: SettingsError.self) { try store.file.import(try #require(broken)) }
        #expect(error?.code == .importRefused && error?.problems.map(\.key) == ["passcode.attemptCount"])
        #expect(settings.passcode.attemptCount == 3)
    }

    @Test("A number that the program reads as an object is written as one") func objects() throws {
        var fields: ArchivedFields = ["PLAttempts": 3, "PLOn": true]
        fields.set(.integer(3), isPrimitive: false, forKey: "PLAttempts")
        let object = ArchivedObject(className: "PasscodeLock", fields: fields)
        let data = try KeyedArchive(root: .object(object)).data()
        NSKeyedUnarchiver.setClass(ArchivedPasscodeLock.self, forClassName: "PasscodeLock")
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        let lock = try #require(unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? ArchivedPasscodeLock)
        #expect(lock.attempts == 3 && lock.isOn)
    }
}

final class ArchivedPasscodeLock: NSObject, NSCoding {
    let attempts: Int
    let isOn: Bool

    init?(coder: NSCoder) {
        attempts = (coder.decodeObject(forKey: "PLAttempts") as? NSNumber)?.intValue ?? -1
        isOn = coder.decodeBool(forKey: "PLOn")
    }

    func encode(with coder: NSCoder) {}
}
