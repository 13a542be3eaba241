import Foundation
import Settle
import SettleTesting
import Testing

private indirect enum Chain: Codable, Sendable, Equatable {
    case end
    case link(Chain)

    static func ofLength(_ count: Int) -> Chain {
        (0..<count).reduce(.end) { chain, _ in .link(chain) }
    }
}

private struct Visit: Codable, Sendable, Equatable {
    var date = Date(timeIntervalSinceReferenceDate: 0)
}

private struct Bad: SettingsGroup {
    @Setting var healthy = 0
    @Setting var real = 0.0
    @Setting var visit = Visit()
    @Setting var text = ""
    @Setting var large: UInt128 = 0
    @Setting var chain = Chain.end
}

/// A value that the file can't hold does not stop others from being saved.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnstorableValueTests {
    private static let formats = [FileFormat.json, .propertyListXML, .propertyListBinary]

    private let fixture: FileStorageFixture

    init() throws { fixture = try FileStorageFixture("settings") }

    private func open(_ format: FileFormat) async throws -> SettingsStore {
        try await SettingsStore.open(
            storage: FileStorage(at: fixture.file, format: format), configuration: .init(clock: ManualClock()))
    }

    private func nested(_ levels: Int) -> SettingValue {
        (0..<levels).reduce(.integer(1)) { value, level in
            level.isMultiple(of: 2) ? .array([value]) : .dictionary(["x": value])
        }
    }

    /// Writes a bad value beside a good one, and checks what is saved.
    private func isolates(
        _ key: String, in format: FileFormat, _ write: (Bad) throws -> Void
    ) async throws {
        do {
            let store = try await open(format)
            let group = try await store.group(Bad.self)
            try write(group)
            group.healthy = 7
            let error = await #expect(throws: SettingsError.self) { try await store.flush() }
            #expect(error?.code == .encodingFailed && error?.key == key, "\(format): \(error as Any)")
            #expect(error?.description.contains(key) == true)
            #expect("\(store.status)" != "saved")
            // The file gets the other values too, and the bad one does not block the store for good.
            await #expect(throws: SettingsError.self) { try await store.close() }
            for await issue in store.issues {
                #expect(issue.key == key)
                break
            }
            try store.keys.removeValue(forKey: key)
            group.healthy = 8
            try await store.close()
        }
        let store = try await open(format)
        #expect(store.file.loadOutcome == .intact)
        #expect(try store.keys.value(forKey: "healthy", as: Int.self) == 8)
        let tree = try format.decode([UInt8](Data(contentsOf: fixture.file)))
        #expect(tree["healthy"] == .integer(8))
        try await store.close()
    }

    /// Writes a bad value by key, which is refused.
    private func refuses(_ value: SettingValue, at key: String, in format: FileFormat) async throws {
        do {
            let store = try await open(format)
            let error = #expect(throws: SettingsError.self) { try store.keys.setValue(value, forKey: key) }
            #expect(error?.key == key, "\(format): \(error as Any)")
            #expect(throws: SettingsError.self) {
                try store.update {
                    try store.keys.setValue(1, forKey: "never")
                    try store.keys.setValue(value, forKey: key)
                }
            }
            try store.keys.setValue(7, forKey: "healthy")
            try await store.flush()
            #expect("\(store.status)" == "saved")
            try await store.close()
        }
        let store = try await open(format)
        #expect(try store.keys.value(forKey: "healthy", as: Int.self) == 7)
        #expect(try store.keys.value(forKey: "never", as: Int.self) == nil)
        try await store.close()
        try FileManager.default.removeItem(at: fixture.file)
    }

    @Test("A date that is not finite, in the value of a declared setting", arguments: formats)
    func dateFiniteDeclared(format: FileFormat) async throws {
        try await isolates("visit", in: format) { $0.visit.date = Date(timeIntervalSinceReferenceDate: .nan) }
    }

    @Test("A larger value beside a bad one is stored, and no error names it") func largerValueBeside() async throws {
        let store = try await open(.propertyListBinary)
        let group = try await store.group(Bad.self)
        let text = String(repeating: "x", count: 1_000)
        try group.update {
            group.text = text
            group.large = .max
        }
        let error = await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(error?.key == "large")
        #expect(try fixture.freshLoad().tree["text"] == .string(text))
        for await issue in store.issues {
            #expect(issue.key == "large")
            break
        }
        group.large = 0
        try await store.close()
    }

    @Test("A declared number that is not finite is a text where the format has no word for it", arguments: formats)
    func declaredNumberFinite(
        format: FileFormat
    ) async throws {
        do {
            let store = try await open(format)
            try await store.group(Bad.self).real = -.infinity
            try await store.close()
        }
        let store = try await open(format)
        #expect(try await store.group(Bad.self).real == -.infinity)
        try await store.close()
    }

    @Test("An integer that a binary property list has no room for, by a declared setting")
    func integerBinaryProperty() async throws {
        try await isolates("large", in: .propertyListBinary) { $0.large = .max }
    }

    @Test("The largest integer is stored where it can be", arguments: [FileFormat.json, .propertyListXML])
    func largestIntegerStored(format: FileFormat) async throws {
        do {
            let store = try await open(format)
            try await store.group(Bad.self).large = .max
            try await store.close()
        }
        let store = try await open(format)
        #expect(try await store.group(Bad.self).large == .max)
        try await store.close()
    }

    @Test("5,000 nested cases are an error and no crash", arguments: formats)
    func nestedCasesError(format: FileFormat) async throws {
        try await isolates("chain", in: format) { $0.chain = .ofLength(5_000) }
    }

    @Test("What no file can hold is refused when it is written by key", arguments: formats)
    func fileHoldRefused(format: FileFormat) async throws {
        let bad: [SettingValue] = [
            .number("abc"), .number(""), .date(Date(timeIntervalSinceReferenceDate: .nan)),
            .date(Date(timeIntervalSinceReferenceDate: .infinity)), nested(128), nested(5_000),
            .array([.dictionary(["x": .number("1.")])]),
        ]
        for value in bad { try await refuses(value, at: "bad", in: format) }
        // The key's levels count too, and so do those of a value read from JSON.
        let json = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        try await refuses(SettingValue(json: Data(json.utf8)), at: "a.b", in: format)
        let deep = Array(repeating: "k", count: 129).joined(separator: ".")
        try await refuses(.integer(1), at: deep, in: format)
    }

    @Test("What one format can't hold is refused there") func oneFormatHold() async throws {
        for value in [SettingValue.real(.nan), .real(.infinity), .array([.real(-.infinity)])] {
            try await refuses(value, at: "bad", in: .json)
        }
        try await refuses(.number("\(UInt128.max)"), at: "bad", in: .propertyListBinary)
        for format in [FileFormat.propertyListXML, .propertyListBinary] {
            try await refuses(.number("0.12345678901234567890123"), at: "bad", in: format)
        }
    }

    @Test("The deepest value and the longest key are stored and read again", arguments: formats)
    func deepestValueLongest(format: FileFormat) async throws {
        let key = Array(repeating: "k", count: 128).joined(separator: ".")
        do {
            let store = try await open(format)
            try store.keys.setValue(5, forKey: key)
            try store.keys.setValue(nested(127), forKey: "deep")
            try await store.close()
        }
        let store = try await open(format)
        #expect(store.file.loadOutcome == .intact)
        #expect(try store.keys.value(forKey: key, as: Int.self) == 5)
        try await store.close()
        let tree = try format.decode([UInt8](Data(contentsOf: fixture.file)))
        #expect(tree["deep"] == nested(127))
    }

    @Test("A text that looks like a property list's null is a text", arguments: formats)
    func textLooksLike(format: FileFormat) async throws {
        let texts = ["$null", "$$null", "$", "null", "$nul", "$$$null", "$nullx"]
        for text in texts {
            do {
                let store = try await open(format)
                let group = try await store.group(Bad.self)
                group.text = text
                try store.keys.setValue(SettingValue.array([.string(text), .null]), forKey: "list")
                try await store.close()
            }
            let store = try await open(format)
            #expect(try await store.group(Bad.self).text == text)
            try await store.close()
            let tree = try format.decode([UInt8](Data(contentsOf: fixture.file)))
            #expect(tree["list"] == .array([.string(text), .null]))
        }
    }

    @Test("A value beyond the limit leaves a file and a journal that open again") func valueBeyondLimit() async throws {
        let large = Data(count: 257 << 20)
        do {
            let store = try await open(.propertyListBinary)
            #expect(throws: SettingsError.self) { try store.keys.setValue(large, forKey: "large") }
            try store.keys.setValue(7, forKey: "healthy")
            try await store.close()
        }
        let store = try await open(.propertyListBinary)
        #expect(try store.keys.value(forKey: "healthy", as: Int.self) == 7)
        try await store.close()
    }

    @Test("Values that are too long for a file together are still there when the journal has been renewed")
    func valuesBeyondLimitTogether() throws {
        let large = SettingValue.data(Data(count: 130 << 20))
        let storage = fixture.storage(format: .propertyListBinary)
        _ = try storage.load()
        try storage.append(batch(1, ["one": large]), durability: .buffered)
        try storage.append(batch(2, ["other": large]), durability: .buffered)
        // The next journal begins with all values.
        try storage.forgetHistory(of: "missing")
        storage.close()
        let found = try fixture.freshLoad().tree
        for key in ["one", "other"] as [SettingKey] {
            let isThere = found[key] == large
            #expect(isThere, "\(key)")
        }
    }

    @Test("A batch that is too long for one record is refused, and the store leaves out its largest value")
    func batchTooLong()
        async throws
    {
        let storage = FileStorage(at: fixture.file, format: .propertyListBinary)
        _ = try storage.load()
        let large = SettingValue.data(Data(count: 130 << 20))
        let error = #expect(throws: StorageError.self) {
            try storage.append(batch(1, ["one": large, "other": large]), durability: .buffered)
        }
        #expect(error?.code == .unsupportedValue)
        // The value that it replaces is as long, and does not fit beside it.
        try storage.append(
            StorageBatch(revision: 1, values: ["one": large], expectedValues: ["one": large]), durability: .buffered)
        storage.close()
        #expect(try fixture.freshLoad().tree["one"] == large)

        let narrow = NarrowStorage()
        let store = try await SettingsStore.open(storage: narrow, configuration: .init(clock: ManualClock()))
        try store.keys.setValue("old", forKey: "larger")
        try await store.flush()
        // No transaction, which would be left out as a whole. The clock stands still, so they wait for the flush.
        try store.keys.setValue(String(repeating: "a", count: 60), forKey: "large")
        try store.keys.setValue(String(repeating: "b", count: 70), forKey: "larger")
        try store.keys.setValue(7, forKey: "healthy")
        // Nothing is lost: a value left out of one batch goes with the next.
        _ = try? await store.flush()
        try await store.flush()
        #expect(narrow.batches.allSatisfy { $0.values.count < 3 })
        #expect(narrow.tree["healthy"] == .integer(7))
        #expect(narrow.tree["larger"] == .string(String(repeating: "b", count: 70)))
        // Too large by itself.
        try store.keys.setValue(String(repeating: "c", count: 200), forKey: "large")
        try store.keys.setValue(8, forKey: "healthy")
        for _ in 0..<2 {
            let error = await #expect(throws: SettingsError.self) { try await store.flush() }
            #expect(error?.code == .encodingFailed && error?.key == "large")
        }
        #expect(narrow.tree["healthy"] == .integer(8))
        for await issue in store.issues where issue.key == "large" {
            #expect(issue.code == .encodingFailed)
            break
        }
        #expect("\(store.status)" != "saved")
        try store.keys.removeValue(forKey: "large")
        try await store.flush()
        #expect("\(store.status)" == "saved")
    }
}

/// Accepts batches with at most 100 characters of text, but does not say so for a single value.
private final class NarrowStorage: StorageWrapper {
    private let recording = RecordingStorage(InMemoryStorage())

    var base: any Storage { recording }
    var batches: [StorageBatch] { recording.batches }
    var tree: SettingTree {
        var tree = SettingTree()
        for batch in batches { for (key, value) in batch.values { tree[key] = value } }
        return tree
    }

    func append(
        _ batch: StorageBatch, durability: StorageDurability
    ) async throws(StorageError) -> StorageReceipt {
        let count = batch.values.values.reduce(0) { count, value in
            if case .string(let text)? = value { count + text.utf8.count } else { count }
        }
        guard count <= 100 else { throw StorageError(.unsupportedValue, "There are more than 100 characters.") }
        return try await recording.append(batch, durability: durability)
    }
}
