import Foundation
import SettleTesting
import Testing

@testable import Settle

/// Where a value in force is.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct PlaceInForceTests {
    @Test("The values that it covers are not located, so no file is read for them") func covered() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        try "{\n  \"count\": 3\n}".write(to: file, atomically: true, encoding: .utf8)
        let (upper, lower) = (LocatedDomain(.integer(4)), LocatedDomain(.integer(5)))
        let store = try await SettingsStore.open(
            at: file, searching: [.source("upper", upper), .source("lower", lower), .application])
        let settings = try await store.group(LayeredGroup.self)
        let before = lower.requestCount
        #expect(store.keys.placeInForce(forKey: "count") == "there")
        #expect(lower.requestCount == before)
        let explanation = Explanation(of: "count", in: store.core, placing: .inForce)
        #expect(explanation.answers.map(\.place) == ["there", "", "", "LayeredGroup.count"])
        withExtendedLifetime(settings) {}
        try await store.close()
    }
}

/// A domain with one value that counts how often it is asked where that is.
private final class LocatedDomain: DomainSource {
    private let value: SettingValue
    private let requests = LockedValue(0)

    init(_ value: SettingValue) { self.value = value }

    var requestCount: Int { requests.withLock { $0 } }

    func load() async throws(StorageError) -> DomainContents { DomainContents(SettingTree(["count": value])) }

    func place(of key: SettingKey) -> String {
        requests.withLock { $0 += 1 }
        return "there"
    }
}
