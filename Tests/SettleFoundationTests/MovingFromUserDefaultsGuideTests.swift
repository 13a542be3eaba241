import Foundation
import Settle
import SettleFoundation
import SettleInterchange
import SettleTesting
import Testing

/// The guide “Moving from UserDefaults”, and the code in it.
@Suite(.timeLimit(.minutes(10))) struct MovingFromUserDefaultsGuideTests {
    private struct People: SettingsGroup {
        @Setting(codec: .keyedArchive) var author: Person? = nil
    }

    private struct PasscodeSettings: SettingsGroup {
        @Setting var isPasscodeEnabled = false
        @Setting(in: 0...20) var attemptCount = 0
        @Setting var checkInterval: TimeInterval = 60
        @Setting var nextCheckDate: Date?
    }

    private struct AppSettings: SettingsGroup {
        @Setting var applicationVersion = "1.0"
        let passcode = PasscodeSettings()
    }

    @Test("One line is changed, and declared settings see the same values") func oneLine() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let defaults = SettingsDefaults(store)  // was UserDefaults.standard
        defaults.register(defaults: ["attemptCount": 3])
        #expect(defaults.integer(forKey: "attemptCount") == 3)
        let settings = try await store.group(PasscodeSettings.self)
        #expect(settings.attemptCount == 3)
        settings.attemptCount += 1
        #expect(defaults.integer(forKey: "attemptCount") == 4)
        defaults.set(5, forKey: "attemptCount")
        #expect(settings.attemptCount == 5)
        try settings.$attemptCount.reset()
        #expect(defaults.integer(forKey: "attemptCount") == 3)
    }

    private struct LineByLine: SettingsGroup {
        @Setting var attemptCount = 1
        @Setting var folder: URL?
        @Setting var value = [0]
        @Setting(codec: .keyedArchive) var person: Person? = nil
    }

    @Test("Each line of the table works over a store that searches what the guide's store does") func lines()
        async throws
    {
        let folder = try TemporaryFolder()
        let issues = LockedIssues()
        let store = try await SettingsStore.open(
            at: folder.url.appending(path: "settings.plist"),
            searching: [
                .overrides, .arguments(["-attemptCount", "9"]), .application,
                .global(at: folder.url.appending(path: "global.json")), .language(), .registration,
            ], configuration: .init(unheardIssueHandler: issues.add))
        let settings = try await store.group(LineByLine.self)
        let defaults = SettingsDefaults(store, domainName: "com.example.app")
        #expect(defaults.integer(forKey: "attemptCount") == 9)
        defaults.setVolatileDomain(["attemptCount": 8], forName: SettingsDefaults.argumentDomain)
        #expect(settings.attemptCount == 8)
        defaults.setVolatileDomain([:], forName: SettingsDefaults.argumentDomain)
        #expect(settings.attemptCount == 9)
        let override = try store.domains.override(settings.$attemptCount, with: 7)
        #expect(defaults.integer(forKey: "attemptCount") == 7)
        override.cancel()
        defaults.register(defaults: ["rest": 3])
        #expect(defaults.integer(forKey: "rest") == 3)
        let date = Date(timeIntervalSinceReferenceDate: 0.25)
        defaults.set(date, forKey: "nextCheckDate")
        #expect(defaults.object(forKey: "nextCheckDate") as? Date == date)
        defaults.set(URL(filePath: "/a"), forKey: "folder")
        #expect(defaults.url(forKey: "folder") == URL(filePath: "/a") && settings.folder == URL(filePath: "/a"))
        let person = Person("Bob")
        defaults.set(
            try NSKeyedArchiver.archivedData(withRootObject: person, requiringSecureCoding: false), forKey: "person")
        #expect(settings.person == person)
        defaults.set([1, 2], forKey: "value")
        #expect(settings.value == [1, 2])
        defaults.removeObject(forKey: "value")
        #expect(settings.value == [0])
        #expect(defaults.synchronize())
        let suite = "settle-tests-\(UUID())"
        defaults.addSuite(named: suite)
        defaults.removeSuite(named: suite)
        defaults.setPersistentDomain(["theme": "dark"], forName: SettingsDefaults.globalDomain)
        #expect(defaults.string(forKey: "theme") == "dark")
        var own = defaults.persistentDomain(forName: "com.example.app") ?? [:]
        #expect(own["nextCheckDate"] as? Date == date)
        own["extra"] = 1
        defaults.setPersistentDomain(own, forName: "com.example.app")
        #expect(defaults.dictionaryRepresentation()["extra"] as? Int == 1)
        #expect(!defaults.objectIsForced(forKey: "attemptCount") && !settings.$attemptCount.domains.isLocked)
        try await store.close()
        #expect(issues.all == [])
    }

    /// What an older program has left: a person with friends, in a file.
    private func archivePerson(to file: URL) throws -> Person {
        let alice = Person(
            "Alice", born: Date(timeIntervalSince1970: 0),
            friends: [Person("Bob", friends: [Person("Carol")]), Person("Dave")])
        guard NSKeyedArchiver.archiveRootObject(alice, toFile: file.path) else { throw CocoaError(.fileWriteUnknown) }
        return alice
    }

    @Test("An archived person is read, compared, written back, and the file removed") func person() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "person.archive")
        let own = folder.url.appending(path: "settings.json")
        let alice = try archivePerson(to: file)
        var store = try await SettingsStore.open(at: own)
        var people = try await store.group(People.self)
        if people.author == nil, let data = try? Data(contentsOf: file) {
            let person = try SettingCodec<Person>.keyedArchive.decode(.data(data))
            try await people.commit { people.author = person }  // on stable storage when it returns
            try FileManager.default.removeItem(at: file)
        }
        try await store.close()
        #expect(!FileManager.default.fileExists(atPath: file.path))
        store = try await SettingsStore.open(at: own)
        people = try await store.group(People.self)
        #expect(people.author == alice)
        #expect(people.author?.friends.map(\.name) == ["Bob", "Dave"])
        #expect(people.author?.friends.first?.friends.map(\.name) == ["Carol"])
        try await store.close()
    }

    @Test("A damaged file stays where it is") func damagedPerson() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "person.archive")
        _ = try archivePerson(to: file)
        let half = try Data(contentsOf: file).prefix(100)
        #expect(throws: SettingCodingError.self) { try SettingCodec<Person>.keyedArchive.decode(.data(half)) }
    }

    @Test("A group under one key becomes settings, once") func passcode() async throws {
        let folder = try TemporaryFolder()
        let own = folder.url.appending(path: "settings.json")
        let name = "settle-tests-\(UUID())"
        // The older program.
        let defaults = try #require(UserDefaults(suiteName: name))
        defer { defaults.removePersistentDomain(forName: name) }
        let lock = PasscodeLock(version: "2.1", isEnabled: true, attempts: 3, interval: 30, next: 1_000.5)
        let data = try NSKeyedArchiver.archivedData(withRootObject: lock, requiringSecureCoding: false)
        defaults.set(data, forKey: "settings")
        // This program.
        let mapping = ArchiveMapping(classes: [
            NSStringFromClass(PasscodeLock.self): ArchiveMapping.Class(
                keys: [
                    "isPasscodeEnabled": "passcode.isPasscodeEnabled", "attemptCount": "passcode.attemptCount",
                    "checkInterval": "passcode.checkInterval", "nextCheckDate": "passcode.nextCheckDate",
                ],
                values: ["isPasscodeEnabled": .number01, "nextCheckDate": .secondsSince1970(zeroIsNone: true)])
        ])
        let old = UserDefaultsImport(domain: name, ["settings": .archive(mapping, nil)], others: .left)
        let store = try await SettingsStore.open(at: own)
        let app = try await store.group(AppSettings.self)
        let report = try await old.run(into: store)
        #expect(report.left.isEmpty && report.converted.count == 5)
        #expect(app.applicationVersion == "2.1" && app.passcode.isPasscodeEnabled && app.passcode.attemptCount == 3)
        #expect(app.passcode.checkInterval == 30)
        #expect(app.passcode.nextCheckDate == Date(timeIntervalSince1970: 1_000.5))
        app.passcode.attemptCount = 0
        #expect(try await old.run(into: store).isRepeated)
        #expect(app.passcode.attemptCount == 0)
        try await store.close()
    }
}

private final class LockedIssues: Sendable {
    private let issues = LockedValue<[String]>([])

    var all: [String] { issues.withLock { $0 } }

    @Sendable func add(_ issue: SettingsError) { issues.withLock { $0.append(issue.description) } }
}

/// The older program's group, kept as one object.
final class PasscodeLock: NSObject, NSCoding {
    private let fields: (version: String, isEnabled: Bool, attempts: Int, interval: Double, next: Double)

    init(version: String, isEnabled: Bool, attempts: Int, interval: Double, next: Double) {
        fields = (version, isEnabled, attempts, interval, next)
    }

    init?(coder: NSCoder) { return nil }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: fields.version), forKey: "applicationVersion")
        coder.encode(fields.isEnabled, forKey: "isPasscodeEnabled")
        coder.encode(fields.attempts, forKey: "attemptCount")
        coder.encode(fields.interval, forKey: "checkInterval")
        coder.encode(fields.next, forKey: "nextCheckDate")
    }
}
