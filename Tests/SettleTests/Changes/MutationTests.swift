import SettleTesting
import Testing

@testable import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private struct Token: SecretValue, Codable, Equatable {
    var text = ""
}

/// Counts how often it is encoded.
private struct Counted: Codable, Equatable {
    static let encodings = LockedValue(0)
    var number = 0

    func encode(to encoder: any Encoder) throws {
        Self.encodings.withLock { $0 += 1 }
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

private struct MutatedSettings: SettingsGroup {
    static let savePolicy = SavePolicy.memoryOnly
    @Setting var date: Date?
    @Setting var count = 0
    @Setting var token = Token()
    @Setting var counted = Counted()
    @Setting(codec: SettingCodec(encode: { _ in throw TestFailure() }, decode: { _ in 0 })) var odd = 0
}

@Suite(.timeLimit(.minutes(10))) struct MutationTests {
    @Test("A mutation gives its values in stored form, even after its group is gone")
    func storedValues() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        var changes = store.changes.makeAsyncIterator()
        do {
            let settings = try await store.group(MutatedSettings.self)
            try settings.update {
                settings.date = Date(timeIntervalSinceReferenceDate: 0)
                settings.odd = 1
                settings.token.text = "x"
            }
            settings.count = 7
        }
        try store.keys.setValue(.string("y"), forKey: "undeclared")
        let first = try #require(await changes.next())
        #expect(first.mutations.map(\.oldStoredValue) == [.null, nil, nil])
        #expect(first.mutations.map(\.newStoredValue) == [.date(Date(timeIntervalSinceReferenceDate: 0)), nil, nil])
        #expect(first.mutations.map(\.isSecret) == [false, false, true])
        let second = try #require(await changes.next())
        #expect(second.mutations.map(\.oldStoredValue) == [.integer(0)])
        #expect(second.mutations.map(\.newStoredValue) == [.integer(7)])
        let third = try #require(await changes.next())
        #expect(third.mutations.map(\.newStoredValue) == [.string("y")])
    }

    @Test("A mutation encodes a value only when asked for it") func laziness() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(MutatedSettings.self)
        var changes = settings.changes.makeAsyncIterator()
        settings.counted = Counted(number: 1)
        let change = try #require(await changes.next())
        #expect(Counted.encodings.withLock { $0 } == 0)
        #expect(change.mutations[0].newStoredValue == .integer(1))
        #expect(Counted.encodings.withLock { $0 } == 1)
    }
}
