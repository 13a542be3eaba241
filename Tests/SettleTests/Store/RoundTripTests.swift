import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private enum Level: String, Codable, Sendable { case low, high }
private enum Number: Int, Codable, Sendable { case one = 1, two }
private struct Lock: Codable, Sendable, Equatable {
    var attempts = 0
    var names: [String] = []
    var until: Date?
}

private struct EveryType: SettingsGroup {
    @Setting var bool = false
    @Setting var int = 0
    @Setting var int8: Int8 = 0
    @Setting var int64: Int64 = 0
    @Setting var uint: UInt = 0
    @Setting var uint64: UInt64 = 0
    @Setting var double = 0.0
    @Setting var float: Float = 0
    @Setting var string = ""
    @Setting var date = Date(timeIntervalSince1970: 0)
    @Setting var data = Data()
    @Setting var url = URL(string: "https://example.com")
    @Setting var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    @Setting var duration = Duration.zero
    @Setting var level = Level.low
    @Setting var number = Number.one
    @Setting var optional: Int?
    @Setting var optionalDate: Date?
    @Setting var array: [Int] = []
    @Setting var dates: [Date] = []
    @Setting var nested: [[String]] = []
    @Setting var dictionary: [String: Int] = [:]
    @Setting var set: Set<String> = []
    @Setting var lock = Lock()
    @Setting var locks: [String: Lock] = [:]

    func fill() {
        bool = true
        int = .min
        int8 = -128
        int64 = .max
        uint = .max
        uint64 = .max
        double = 0.1
        float = 3.4e38
        string = "ä\u{0}\"\n🙂"
        date = Date(timeIntervalSince1970: 1_700_000_000.123)
        data = Data([0, 255, 7])
        url = URL(string: "file:///a%20b?x=1")
        uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))
        duration = .nanoseconds(1_500_000_001)
        level = .high
        number = .two
        optional = 5
        optionalDate = Date(timeIntervalSince1970: -1)
        array = [3, 1, 2]
        dates = [Date(timeIntervalSince1970: 5)]
        nested = [["a"], [], ["b", "c"]]
        dictionary = ["a.b": 1, "": 2]
        set = ["x", "y"]
        lock = Lock(attempts: 3, names: ["a"], until: Date(timeIntervalSince1970: 9))
        locks = ["x": Lock()]
    }

    func expectEqual(_ other: EveryType) {
        #expect(bool == other.bool && int == other.int && int8 == other.int8 && int64 == other.int64)
        #expect(uint == other.uint && uint64 == other.uint64 && double == other.double && float == other.float)
        #expect(string == other.string && date == other.date && data == other.data && url == other.url)
        #expect(uuid == other.uuid && duration == other.duration && level == other.level)
        #expect(number == other.number && optional == other.optional && optionalDate == other.optionalDate)
        #expect(array == other.array && dates == other.dates && nested == other.nested)
        #expect(dictionary == other.dictionary && set == other.set && lock == other.lock && locks == other.locks)
    }
}

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct RoundTripTests {
    @Test("Every type round-trips through a file", arguments: ["a.json", "a.plist"])
    func restart(name: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: name)
        let store = try await SettingsStore.open(at: file)
        let settings = try await store.group(EveryType.self)
        settings.fill()
        try await store.close()
        let again = try await SettingsStore.open(at: file)
        let issues = ChangeRecorder(again.issues)
        let reopened = try await again.group(EveryType.self)
        reopened.expectEqual(settings)
        let expected = EveryType()
        expected.fill()
        reopened.expectEqual(expected)
        #expect(!reopened.$lock.isDefault)
        try reopened.reset()
        reopened.expectEqual(EveryType())
        try await again.close()
        #expect(await issues.untilEnd().isEmpty)
    }

    @Test("A setting set to nil stays nil after a restart, whatever its default")
    func explicitNil() async throws {
        struct Group: SettingsGroup { @Setting var name: String? = "default" }
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(Group.self)
        settings.name = nil
        try await store.close()
        let again = try await SettingsStore.open(storage: InMemoryStorage(storage.tree))
        #expect(try await again.group(Group.self).name == nil)
    }
}
