import Foundation
import SettleTesting
import Testing

@testable import Settle

/// Updates of a domain in a file that others write at the same time.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UpdatedFileTests {
    @Test("An update puts the file's newest values in force, even if another write came before it could")
    func newestValues() async throws {
        let file = try TemporaryFolder()
        let url = file.url.appending(path: "global.json")
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(), searching: [.application, .global(at: url)])
        let settings = try await store.group(LayeredGroup.self)
        // Without a follower, which would load the file again.
        await store.core.domains.end()
        let global = try await SettingsStore.open(at: url)
        let counted = try await global.group(EncodedCount.self)
        EncodedCount.act.withLock { act in
            act = {
                // While the update is saved: its closure has ended.
                guard !global.core.isInTransaction else { return }
                EncodedCount.act.withLock { $0 = nil }
                #expect(throws: Never.self) { try global.keys.setValue("newer", forKey: "name") }
            }
        }
        try await store.domains[.global].update { settings.count = 5 }
        #expect(counted.count == 5 && settings.count == 5 && settings.name == "newer")
        try await store.domains[.global].replace(with: plainTree(["count": 6]))
        #expect(counted.count == 6 && settings.count == 6 && settings.name == "default")
        try await store.close()
        try await global.close()
    }
}

/// A group whose value runs `act` when it is encoded.
private struct EncodedCount: SettingsGroup {
    static let act = LockedValue<(@Sendable () -> Void)?>(nil)

    private static let codec = SettingCodec<Int>(
        encode: { value in
            EncodedCount.act.withLock { $0 }?()
            return .integer(Int64(value))
        },
        decode: { try SettingCodec<Int>.standard.decode($0) })

    @Setting(codec: EncodedCount.codec) var count = 0
}
